import type { Remark } from "../../diagnostic.ts";
import type { Document } from "../../document.ts";
import { tagOf } from "../../tag.ts";
import { childrenNamed, type Element, elementsOf, textOf } from "../../tree.ts";

/** Warns of definitions that are imported for nothing. Only in a document without errors: a tag may be what is wrong. */
export function unusedTags(document: Document): void {
  const { root, findings, imports } = document;
  if (findings.hasError || imports.reusables.size === 0) return;
  const used = new Set<string>();
  const enter = (element: Element): void => {
    if (tagOf(element, document)) used.add(element.name);
    for (const child of elementsOf(element)) enter(child);
  };
  enter(root);
  for (const element of childrenNamed(root, "imports").flatMap((parent) => childrenNamed(parent, "module"))) {
    const alias = textOf(element, "name") ?? "";
    if (imports.reusables.has(alias) && !used.has(alias)) findings.add(element.openRange, unused(alias));
  }
}

const unused = (alias: string): Remark => ({
  code: "WOML_MODULE_UNUSED",
  severity: "warning",
  message: `No tag <${alias}> stands here: the definition is imported for nothing.`,
  hint: "Remove the import, or use the tag.",
});
