import { type Element, textOf } from "../tree.ts";

/** An attribute that the rules have seen to. */
export function required(element: Element, name: string): string {
  const value = textOf(element, name);
  if (value === undefined) throw new Error(`<${element.name}> without ${name} has passed the rules`);
  return value;
}

/** `name` and `description`, where they are written. */
export function labels(element: Element): { name?: string; description?: string } {
  const [name, description] = [textOf(element, "name"), textOf(element, "description")];
  return { ...(name !== undefined && { name }), ...(description !== undefined && { description }) };
}
