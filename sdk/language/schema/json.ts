import type { Json } from "@woml/model";
import { checkText } from "@woml/model/laws";
import type { Fault } from "@woml/model/schema";
import { type Range, trimmed } from "../source.ts";
import type { Element } from "../tree.ts";

/** The text of an element without its comments; entities stay as they are written. */
export interface Body {
  readonly text: string;
  /** From its first character that is no blank to its last. */
  readonly range: Range;
  /** By offset in the text, the offset in the source. */
  readonly place: (offset: number) => number;
}

/** What an element holds as text; null when that is blank. */
export function bodyOf(element: Element, source: string): Body | null {
  const parts = element.children.filter((child) => child.kind === "text").map(({ range }) => range);
  const ranges = parts.flatMap((range) => trimmed(source, range) ?? []);
  const [first, last] = [ranges.at(0), ranges.at(-1)];
  if (!first || !last) return null;
  const text = parts.map(({ start, end }) => source.slice(start, end)).join("");
  return { text, range: { start: first.start, end: last.end }, place: (offset) => placeIn(parts, offset) };
}

function placeIn(parts: readonly Range[], offset: number): number {
  let before = 0;
  for (const { start, end } of parts) {
    if (offset < before + end - start) return start + offset - before;
    before += end - start;
  }
  return parts.at(-1)?.end ?? 0;
}

/** The JSON that a text is; undefined for what is none. */
export function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Deepest nesting of arrays and objects in a schema: whatever walks one may recurse. */
const DEPTH = 100;

/** What keeps a JSON value from being stored in a definition. */
export function unstorable(value: Json): Fault | null {
  if (isDeeper(value, DEPTH)) return { kind: "invalid", pointer: "", why: `is nested more than ${DEPTH} deep` };
  const fault = checkText(value);
  return fault && { kind: "invalid", pointer: fault.path, why: `cannot be stored: ${fault.message}` };
}

function isDeeper(value: Json, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((member) => isDeeper(member, depth - 1));
}
