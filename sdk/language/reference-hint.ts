import { type Read, readReference } from "./reference.ts";

/** Longer values are no slips of the pen. */
const LONGEST = 100;
const BRACES = /^\$?\{{1,3}|\}{1,3}$/g;
const COMPUTES = /[()[\]<>=!&|+*?:"'`]/;

/** How the author can write what `value`, which is not taken, seems to be meant for; null when it is like nothing that `takes` would. */
export function referenceHint(value: string, takes: (read: Read) => boolean): string | null {
  if (value.length > LONGEST) return null;
  const isTaken = (reference: string): boolean => takes(readReference(reference));
  const compact = value.replace(/\s+/g, "");
  if (isTaken(compact)) return `Write it without blanks: ${compact}`;
  const inner = compact.replace(BRACES, "");
  const meant = [`{{${inner}}}`, `{{context.${inner}}}`].find(isTaken);
  if (meant !== undefined) return `Did you mean ${meant}?`;
  if (!inner.includes("context.") || !COMPUTES.test(inner)) return null;
  return "A reference computes nothing and has no indexes: let a step return the value, and name that.";
}
