import type { Remark } from "../../diagnostic.ts";
import type { Document } from "../../document.ts";
import { aliasesReached } from "../../reached.ts";
import { quoted } from "../../source.ts";
import { childrenNamed, textOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";
import { tagsIn } from "../reusable/unused.ts";

/** A workflow and the definitions whose tags stand in it mean the same capability by an alias that scripts of both call: all run in one version. */
export const oneAlias: Rule = (findings, document) => (element) => {
  if (element.parent || document.defines !== "workflow") return;
  const tags = tagsIn(document);
  if (tags.size === 0) return;
  const meanings = new Map(meaningsIn(document));
  for (const { from, definition } of tags) {
    for (const [alias, meaning] of definition ? meaningsIn(definition.document) : []) {
      const known = meanings.get(alias) ?? meaning;
      meanings.set(alias, known);
      if (known !== meaning) findings.onValue(from, conflict(alias));
    }
  }
};

/** By alias, what tells it from every other capability. A service of the platform is told by its name alone, and a module is its script's own. */
function* meaningsIn(document: Document): Generator<readonly [alias: string, meaning: string]> {
  const uses = childrenNamed(document.root, "imports").flatMap((list) => childrenNamed(list, "uses"));
  const capabilities = new Map(uses.map((use) => [textOf(use, "as"), `${textOf(use, "capability")} ${textOf(use, "version")}`]));
  for (const alias of aliasesReached(document)) {
    if (!document.imports.modules.has(alias)) yield [alias, capabilities.get(alias) ?? alias];
  }
}

const conflict = (alias: string): Remark => ({
  code: "WOML_MODULE_ALIAS_DUPLICATE",
  message: `This definition means something else by ${quoted(alias)} than this workflow, or another definition in it, does.`,
  hint: "Give one of them another name where it is imported.",
});
