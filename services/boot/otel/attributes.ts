import type { Attributes as Given } from "../telemetry.ts";

/**
 * All that a span may say. A name that is not here is dropped: so nothing that somebody sent can slip in under a new one. Texts of ours are ids,
 * names and words of closed sets, and short.
 */
export const ATTRIBUTES = [
  ...["tenant", "run", "workflow", "version", "node", "attempt", "call", "try"],
  ...["capability", "operation", "release", "effect", "asked", "resumed", "lost", "outcome", "code"],
  ...["host", "request"],
] as const;
const KNOWN: ReadonlySet<string> = new Set(ATTRIBUTES);

const TEXT_CHARS = 128;

/** As they are exported: `woml.tenant`. */
export function exported(given: Given | undefined): Record<string, string | number | boolean> {
  const found = Object.entries(given ?? {}).filter(([name, value]) => KNOWN.has(name) && value !== undefined);
  return Object.fromEntries(found.map(([name, value]) => [`woml.${name}`, short(value)]));
}

/** The labels that a metric has: each of them, and no other. */
export function labelled(names: readonly string[], given: Given | undefined): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, String(short(given?.[name] ?? ""))]));
}

export function short<T extends string | number | boolean>(value: T): T | string {
  return typeof value === "string" && value.length > TEXT_CHARS ? value.slice(0, TEXT_CHARS).toWellFormed() : value;
}

const CODE = /^WOML_[A-Z0-9_]{1,80}$/;

/** A code says what was wrong; a message might quote what was sent. */
export function failureOf(failure: string): string {
  return CODE.test(failure) ? failure : "failed";
}
