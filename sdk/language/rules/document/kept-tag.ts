import { childrenNamed, type Element, elementsOf, textOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";
import { isBare } from "../lifecycle/actions.ts";
import { isKept } from "./alias.ts";

/**
 * An alias that is an element's name, or another import's, has been reported: what is empty and called so may be the tag that was meant,
 * and is not judged.
 */
export const keptTag: Rule = (findings, { root, imports, text }) => {
  const modules = childrenNamed(root, "imports").flatMap(elementsOf);
  const aliases = new Set(modules.flatMap(tagName).filter((name) => isKept(name) || !imports.reusables.has(name)));
  return (element) => {
    const isMeant = aliases.has(element.name) && isBare(element, text) && element.parent !== null;
    if (isMeant && element.parent?.name !== "imports") findings.refuse(element);
  };
};

function tagName(module: Element): readonly string[] {
  const name = textOf(module, "name");
  return name !== undefined && textOf(module, "from")?.endsWith(".woml") ? [name] : [];
}
