import type { Remark } from "../../diagnostic.ts";
import type { Document } from "../../document.ts";
import { quoted } from "../../source.ts";
import { childrenNamed, textOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** A workflow and the definitions that it imports mean the same by an alias: scripts of both may run in it. */
export const oneAlias: Rule = (findings, document) => (element) => {
  if (element.parent || document.defines !== "workflow") return;
  const meanings = new Map(meaningsIn(document));
  for (const { from, definition } of document.imports.reusables.values()) {
    for (const [alias, meaning] of definition ? meaningsIn(definition.document) : []) {
      const known = meanings.get(alias) ?? meaning;
      meanings.set(alias, known);
      if (known !== meaning) findings.onValue(from, conflict(alias));
    }
  }
};

/** By alias, what tells it from every other capability or module. */
function* meaningsIn({ root, imports }: Document): Generator<readonly [alias: string, meaning: string]> {
  for (const [alias, bundle] of imports.modules) if (bundle) yield [alias, bundle.digest];
  for (const element of childrenNamed(root, "imports").flatMap((list) => childrenNamed(list, "uses"))) {
    const alias = textOf(element, "as");
    if (alias !== undefined) yield [alias, `${textOf(element, "capability")} ${textOf(element, "version")}`];
  }
}

const conflict = (alias: string): Remark => ({
  code: "WOML_MODULE_ALIAS_DUPLICATE",
  message: `This definition means something else by ${quoted(alias)} than this workflow, or another definition in it, does.`,
  hint: "Give one of them another name where it is imported.",
});
