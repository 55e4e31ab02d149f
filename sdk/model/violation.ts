import type { Code } from "./codes.ts";
import { byText } from "./text.ts";

/** One thing wrong with a value, and where: `path` is a JSON pointer (RFC 6901) into the value as it was given. */
export interface Violation {
  readonly code: Code;
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

export const violated = (code: Code, path: string, message: string, hint?: string): Violation =>
  hint === undefined ? { code, path: clipped(path), message } : { code, path: clipped(path), message, hint };

/** One step of a JSON pointer. */
export const pointer = (key: string | number): string => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;

const PATH_CHARS = 1_024;

/** A path as it is shown: keys may be as long as what holds them, and a hundred violations may lie below one. */
export const clipped = (path: string): string => (path.length > PATH_CHARS ? `${path.slice(0, PATH_CHARS).toWellFormed()}…` : path);

/** By path, in which numbers count as numbers, then by code: the same faults are always answered in the same order. */
export function sortViolations(violations: Iterable<Violation>): Violation[] {
  return [...violations]
    .map((violation) => ({ violation, segments: violation.path.split("/") }))
    .sort(
      (a, b) =>
        bySegments(a.segments, b.segments) ||
        byText(a.violation.code, b.violation.code) ||
        byText(a.violation.message, b.violation.message),
    )
    .map((entry) => entry.violation);
}

function bySegments(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = bySegment(a[i] ?? "", b[i] ?? "");
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** By path alone: JSON pointers in the order in which they stand. */
export const byPath = (a: string, b: string): number => bySegments(a.split("/"), b.split("/"));

const INDEX = /^\d+$/;
const bySegment = (a: string, b: string): number => (INDEX.test(a) && INDEX.test(b) ? Number(a) - Number(b) : byText(a, b));
