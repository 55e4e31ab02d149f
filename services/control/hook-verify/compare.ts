// INVARIANTS
// X1 Whether two texts are the same is asked of their SHA-256 and with timingSafeEqual alone: how long it takes says nothing of where they differ, nor
//    of how long they are.
// X2 Every secret is tried, whichever fits: how long it takes says nothing of which it was, or whether one did.
import { createHash, timingSafeEqual } from "node:crypto";
import type { KnownSecret } from "./came.ts";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

export function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

/** The first secret by which one of what was given can be explained; `explained` answers what each of them would have been sent. */
export function matching(
  given: readonly string[],
  secrets: readonly KnownSecret[],
  explained: (secret: KnownSecret) => readonly string[],
): string | null {
  let found: string | null = null;
  for (const secret of secrets) {
    for (const expected of explained(secret)) {
      for (const one of given) {
        const fits = isSame(one, expected);
        found = fits && found === null ? secret.name : found;
      }
    }
  }
  return found;
}
