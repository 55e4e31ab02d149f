import type { Range } from "./source.ts";

export interface Attribute {
  readonly name: string;
  /** Decoded; null when it could not be read, which has been reported. */
  readonly value: string | null;
  readonly nameRange: Range;
  /** Without the quotes. */
  readonly valueRange: Range;
}
export interface Element {
  readonly kind: "element";
  readonly name: string;
  readonly attributes: ReadonlyMap<string, Attribute>;
  readonly children: readonly Child[];
  readonly parent: Element | null;
  readonly range: Range;
  readonly openRange: Range;
}
interface Text {
  readonly kind: "text";
  readonly range: Range;
}
/** The body of a script, character for character. */
interface Raw {
  readonly kind: "raw";
  readonly value: string;
  readonly range: Range;
}
export type Child = Element | Text | Raw;

export const elementsOf = (element: Element): readonly Element[] => element.children.filter((child) => child.kind === "element");

const numbers = new WeakMap<Element, ReadonlyMap<Element, number>>();

/** Which of its parent's elements one is, counted from 1. Of thousands each may ask. */
export function numberOf(element: Element): number {
  const { parent } = element;
  if (!parent) return 1;
  const known = numbers.get(parent) ?? new Map(elementsOf(parent).map((child, at) => [child, at + 1]));
  numbers.set(parent, known);
  return known.get(element) ?? 1;
}

export const childrenNamed = (element: Element, name: string): readonly Element[] =>
  elementsOf(element).filter((child) => child.name === name);

/** The value of an attribute; undefined when it is absent or could not be read. */
export const textOf = (element: Element, name: string): string | undefined => element.attributes.get(name)?.value ?? undefined;
