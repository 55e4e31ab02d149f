import { childrenNamed, type Element, textOf } from "./tree.ts";

/** The tags that the modules of a document stand for: not unknown, only not executable yet. */
export function importedTags(root: Element): ReadonlySet<string> {
  const modules = childrenNamed(root, "imports").flatMap((imports) => childrenNamed(imports, "module"));
  return new Set(modules.flatMap((module) => textOf(module, "name") ?? []));
}
