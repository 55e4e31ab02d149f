import type { Retry } from "@woml/model";
import { DAY_MS, durationMs } from "../duration.ts";
import { type Element, textOf } from "../tree.ts";

const DELAY_MS = 1_000;
const LONGEST_MS = 30_000;

/** How a step is tried again; undefined when it is not. */
export function lowerRetry(step: Element): Retry | undefined {
  const maxAttempts = Number(textOf(step, "retry") ?? "1");
  if (maxAttempts === 1) return undefined;
  const delayMs = delay(step, "retry-delay") ?? DELAY_MS;
  if (textOf(step, "retry-backoff") === "fixed") return { maxAttempts, backoff: { kind: "fixed", delayMs } };
  const maxDelayMs = delay(step, "retry-max-delay") ?? Math.max(LONGEST_MS, delayMs);
  return { maxAttempts, backoff: { kind: "exponential", delayMs, maxDelayMs } };
}

const delay = (step: Element, name: string): number | null => durationMs(textOf(step, name) ?? "", DAY_MS);
