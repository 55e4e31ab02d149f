import type { Remark } from "../../diagnostic.ts";
import type { Document, Imported } from "../../document.ts";
import { aliasesReached } from "../../reached.ts";
import { tagOf } from "../../tag.ts";
import { childrenNamed, type Element, elementsOf, textOf } from "../../tree.ts";

/**
 * Warns of what is imported for nothing. Only in a document without errors: a tag or a call may be what is wrong. What the scripts of a
 * workflow do not call is told when they are lowered.
 */
export function unusedImports(document: Document): void {
  const { findings, imports, defines } = document;
  if (findings.hasError) return;
  const tags = tagsIn(document);
  const reached = defines === "workflow" ? null : aliasesReached(document);
  for (const element of importsIn(document)) {
    const alias = textOf(element, element.name === "uses" ? "as" : "name") ?? "";
    const imported = element.name === "module" ? imports.reusables.get(alias) : undefined;
    if (imported && !tags.has(imported)) findings.add(element.openRange, noTag(alias));
    if (!imported && reached?.has(alias) === false) findings.add(element.openRange, NO_CALL);
  }
}

/** The definitions whose tags stand in a document. */
export function tagsIn(document: Document): ReadonlySet<Imported> {
  const tags = new Set<Imported>();
  if (document.imports.reusables.size === 0) return tags;
  const enter = (element: Element): void => {
    const imported = tagOf(element, document);
    if (imported) tags.add(imported);
    for (const child of elementsOf(element)) enter(child);
  };
  enter(document.root);
  return tags;
}

const importsIn = ({ root }: Document): readonly Element[] => childrenNamed(root, "imports").flatMap(elementsOf);

const noTag = (alias: string): Remark => ({
  code: "WOML_MODULE_UNUSED",
  severity: "warning",
  message: `No tag <${alias}> stands here: the definition is imported for nothing.`,
  hint: "Remove the import, or use the tag.",
});
const NO_CALL: Remark = {
  code: "WOML_MODULE_UNUSED",
  severity: "warning",
  message: "No script calls this: it is imported for nothing.",
  hint: "Remove it, or call it.",
};
