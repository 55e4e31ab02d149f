import type { Module } from "@woml/model";
import { aliasesReached } from "../reached.ts";
import { childrenNamed, type Element, textOf } from "../tree.ts";
import type { Draft } from "./draft.ts";

const modulesIn = (root: Element): readonly Element[] =>
  childrenNamed(root, "imports").flatMap((imports) => childrenNamed(imports, "module"));

/** The JavaScript modules that scripts use, each by what it is and not by where it came from; undefined when they use none. */
export function lowerModules(root: Element, draft: Draft): Module[] | undefined {
  const known = draft.document.imports.modules;
  const places = new Map(modulesIn(root).map((element) => [known.get(textOf(element, "name") ?? "")?.digest, element.openRange]));
  const modules = [...draft.modules].map(([digest, { bundle, place }]) => {
    draft.subjects.set(`module:${digest}`, places.get(digest) ?? place);
    return { digest, exports: [...bundle.exports].sort() };
  });
  return modules.length > 0 ? modules.sort((a, b) => (a.digest < b.digest ? -1 : 1)) : undefined;
}

/** Imports of modules that no script of the document uses. */
export function unusedModules(root: Element, { document }: Draft): readonly Element[] {
  const reached = aliasesReached(document);
  return modulesIn(root).filter((element) => {
    const alias = textOf(element, "name") ?? "";
    return document.imports.modules.has(alias) && !reached.has(alias);
  });
}
