import { DAY_MS, durationMs } from "./duration.ts";

/** Longest time of a policy: a time-out, and the window of a rate. */
const LONGEST_MS = 365 * DAY_MS;
const MOST = 1_000_000;
const COUNT = /^[1-9]\d{0,6}$/;
const QUEUE = /^[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*$/;
const LONGEST_QUEUE = 128;

/** Milliseconds of the time that a run may take; null when the text is none. */
export const timeoutOf = (text: string): number | null => durationMs(text, LONGEST_MS);

/** How many runs; null when the text is no integer of 1 to 1,000,000. */
export function countOf(text: string): number | null {
  const count = COUNT.test(text) ? Number(text) : MOST + 1;
  return count <= MOST ? count : null;
}

/** `count/duration`: so many runs in any window of that length; null when the text is no such thing. */
export function rateOf(text: string): { readonly count: number; readonly windowMs: number } | null {
  const slash = text.indexOf("/");
  const [count, windowMs] = slash < 0 ? [null, null] : [countOf(text.slice(0, slash)), timeoutOf(text.slice(slash + 1))];
  return count === null || windowMs === null ? null : { count, windowMs };
}

/** Whether a text can name the queue in which runs wait. */
export const isQueue = (text: string): boolean => text.length <= LONGEST_QUEUE && QUEUE.test(text);
