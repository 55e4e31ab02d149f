import type { Json } from "../value.ts";

/** More than these in one answer helps nobody. */
export const MOST_FAULTS = 20;

/** What is wrong with a schema. `pointer` is a JSON pointer to the place in it; `why` goes on from there: "must be a text". */
export interface Fault {
  /** `pattern`: a regular expression that is valid, but cannot be matched in linear time. */
  readonly kind: "invalid" | "pattern";
  readonly pointer: string;
  readonly why: string;
}

/** Where a value stands in a schema: the way from the root, from its end. */
export type Way = { readonly above: Way; readonly key: string | number } | null;

/** A schema, and where it stands in the whole. */
export interface Part {
  readonly schema: Json;
  readonly way: Way;
}

export function pointerOf(way: Way): string {
  const keys: string[] = [];
  for (let at = way; at !== null; at = at.above) keys.push(String(at.key).replaceAll("~", "~0").replaceAll("/", "~1"));
  return keys
    .reverse()
    .map((key) => `/${key}`)
    .join("");
}
