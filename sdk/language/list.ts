import type { Range } from "./source.ts";
import type { Attribute } from "./tree.ts";

/** One item of a list in an attribute, without the blanks around it; `range` is its place in the source. */
export interface Item {
  readonly text: string;
  readonly range: Range;
}

/** What stands between the commas of a value, as it is written: entities are not decoded, so an item that holds one is of no form. */
export function commaItems({ valueRange }: Pick<Attribute, "valueRange">, source: string): readonly Item[] {
  let at = valueRange.start;
  return source
    .slice(valueRange.start, valueRange.end)
    .split(",")
    .map((part) => {
      const text = part.trim();
      const start = at + part.length - part.trimStart().length;
      at += part.length + 1;
      return { text, range: { start, end: start + text.length } };
    });
}

/** What stands between the blanks of a value, as it is written. */
export function blankItems({ valueRange: { start, end } }: Pick<Attribute, "valueRange">, source: string): readonly Item[] {
  return [...source.slice(start, end).matchAll(/\S+/g)].map(({ 0: text, index }) => ({
    text,
    range: { start: start + index, end: start + index + text.length },
  }));
}
