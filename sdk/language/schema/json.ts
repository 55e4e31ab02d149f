import type { Json } from "@woml/model";
import { checkText } from "@woml/model/laws";
import { type Range, trimmed } from "../source.ts";
import type { Element } from "../tree.ts";
import type { Fault } from "./fault.ts";

/** What an element holds as text, and where; null when that is blank. Comments are no part of it, entities stay as they are written. */
export function bodyOf(element: Element, source: string): { readonly text: string; readonly range: Range } | null {
  const parts = element.children.filter((child) => child.kind === "text").map(({ range }) => range);
  const ranges = parts.flatMap((range) => trimmed(source, range) ?? []);
  const [first, last] = [ranges.at(0), ranges.at(-1)];
  if (!first || !last) return null;
  return { text: parts.map(({ start, end }) => source.slice(start, end)).join(""), range: { start: first.start, end: last.end } };
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
