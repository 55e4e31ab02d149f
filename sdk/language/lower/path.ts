import { readReference } from "../reference.ts";
import type { Element } from "../tree.ts";
import { required } from "./attribute.ts";

/** What the reference in an attribute names, as a path of the definition. */
export function pathIn(element: Element, attribute: string): string[] {
  const read = readReference(required(element, attribute));
  if (read.kind === "invalid") throw new Error(`<${element.name} ${attribute}> without a reference has passed the rules`);
  return [...read.path];
}
