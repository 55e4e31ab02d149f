import type { OutcomeName } from "./frames.ts";

/** Ends after which nothing may run in that process again. */
export const SPOILED: ReadonlySet<OutcomeName> = new Set([
  "cpu_exceeded",
  "wall_exceeded",
  "memory_exceeded",
  "protocol_violation",
  "diverged",
]);
