import { childrenNamed, type Element, elementsOf, textOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";
import { isKept } from "./alias.ts";

/** An alias that is an element's name has been reported: what is empty and called so may be the tag that was meant, and is not judged. */
export const keptTag: Rule = (findings, { root }) => {
  const aliases = new Set(childrenNamed(root, "imports").flatMap(elementsOf).flatMap(keptAlias));
  return (element) => {
    const isMeant = aliases.has(element.name) && element.children.length === 0 && element.parent !== null;
    if (isMeant && element.parent?.name !== "imports") findings.refuse(element);
  };
};

function keptAlias(module: Element): readonly string[] {
  const name = textOf(module, "name");
  return name !== undefined && isKept(name) && textOf(module, "from")?.endsWith(".woml") ? [name] : [];
}
