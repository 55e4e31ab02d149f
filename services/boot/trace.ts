// W3C Trace Context, level 1: the one header that leads from process to process.
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NOWHERE = /^0+$/;

/** The parts of a `traceparent`. */
export interface TraceParts {
  readonly trace: string;
  readonly span: string;
  readonly isSampled: boolean;
}

/** null: not a `traceparent`. Of a version after ours only what ours has is read, as the standard says. */
export function traceParts(traceparent: unknown): TraceParts | null {
  if (typeof traceparent !== "string" || traceparent.length > 512) return null;
  const [, version, trace = "", span = "", flags = "", more] = TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return null;
  if (NOWHERE.test(trace) || NOWHERE.test(span)) return null;
  return { trace, span, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function traceparentOf({ trace, span, isSampled }: TraceParts): string {
  return `00-${trace}-${span}-${isSampled ? "01" : "00"}`;
}

/** What came from outside, as we hand it on; null where it is none. `tracestate` is not kept: nothing of ours reads it. */
export function readTraceparent(given: unknown): string | null {
  const parts = traceParts(given);
  return parts === null ? null : traceparentOf(parts);
}

/** The trace that a line of a log belongs to, as a field of it: `{ trace }`, or nothing. */
export function traceField(traceparent: string | null | undefined): { readonly trace?: string } {
  const parts = traceParts(traceparent);
  return parts === null ? {} : { trace: parts.trace };
}
