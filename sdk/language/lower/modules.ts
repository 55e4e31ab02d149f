import type { Module } from "@woml/model";
import { childrenNamed, type Element, textOf } from "../tree.ts";
import type { Draft } from "./draft.ts";

const modulesIn = (root: Element): readonly Element[] =>
  childrenNamed(root, "imports").flatMap((imports) => childrenNamed(imports, "module"));

/** The JavaScript modules that scripts use, each by what it is and not by where it came from; undefined when they use none. */
export function lowerModules(root: Element, draft: Draft): Module[] | undefined {
  const places = new Map(modulesIn(root).map((element) => [textOf(element, "name"), element.openRange]));
  const modules = [...draft.modules].map(([alias, { bundle, place }]) => {
    draft.subjects.set(`module:${alias}`, places.get(alias) ?? place);
    return { alias, exports: [...bundle.exports].sort(), digest: bundle.digest };
  });
  return modules.length > 0 ? modules.sort((a, b) => (a.alias < b.alias ? -1 : 1)) : undefined;
}

/** Imports of modules that no script of the document uses. */
export const unusedModules = (root: Element, { document, modules }: Draft): readonly Element[] =>
  modulesIn(root).filter((element) => {
    const alias = textOf(element, "name") ?? "";
    return document.imports.modules.has(alias) && !modules.has(alias);
  });
