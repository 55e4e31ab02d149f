import type { Range } from "./source.ts";
import type { Attribute } from "./tree.ts";

const ENTITY = /&(?:lt|gt|amp|quot|apos);/g;

/** Where in the source a part of an attribute's value stands; `part` is in code units of the decoded value, `text` the whole source. */
export function within({ valueRange }: Attribute, part: Range, text: string): Range {
  let [start, end] = [part.start, part.end];
  // Each entity takes more room in the source than in the value: what comes after it stands further on by the difference.
  let wider = 0;
  for (const { index, 0: entity } of text.slice(valueRange.start, valueRange.end).matchAll(ENTITY)) {
    const at = index - wider;
    if (at >= part.end) break;
    const more = entity.length - 1;
    if (at < part.start) start += more;
    end += more;
    wider += more;
  }
  return { start: valueRange.start + start, end: valueRange.start + end };
}
