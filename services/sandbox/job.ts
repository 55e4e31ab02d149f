import { BOUNDS } from "./bounds.ts";
import type { Told } from "./course.ts";
import type { ScriptCall } from "./door.ts";
import type { Outcome, OutcomeName, Work } from "./frames.ts";
import type { Text } from "./shelf.ts";

/** One invocation on its way through the supervisor. `work.invocation` is the supervisor's own number for it. */
export interface Job {
  readonly work: Work;
  /** The modules that it names, each once. */
  readonly texts: readonly Text[];
  readonly tenant: string;
  /** What it weighs in a queue, its modules and answers that wait for it included. */
  bytes: number;
  /** Answers of its calls so far, in bytes; and those that came before it began. */
  answered: number;
  readonly ahead: Told[];
  readonly listener: JobListener;
  /** Its asker has had an outcome; whatever follows is for nobody. */
  settled: boolean;
}
interface JobListener {
  /** It is about to be a worker's live one. */
  readonly begun: () => void;
  readonly outcome: (outcome: Outcome) => void;
  readonly line: (level: string, text: string) => void;
  readonly call: (call: ScriptCall) => void;
}

const TOO_MUCH = JSON.stringify({
  ...{ ok: false, code: "WOML_CALL_RESULTS_TOO_LARGE", retryable: false, ambiguous: false },
  message: `The results of this attempt are larger than ${BOUNDS.answersBytes} bytes together.`,
});
/**
 * An answer as the script is told it: past the bound of an attempt a failure stands in its place. Counted in the order they come, which a
 * replay repeats.
 */
export function bounded(job: Job, told: Told): Told {
  job.answered += Buffer.byteLength(told.text);
  return job.answered > BOUNDS.answersBytes ? { ...told, text: TOO_MUCH } : told;
}

export function settle(job: Job, outcome: Outcome): void {
  if (job.settled) return;
  job.settled = true;
  job.listener.outcome(outcome);
}

/** An end that no worker reported itself. */
export function ending(outcome: OutcomeName, more: Omit<Partial<Outcome>, "outcome"> = {}): Outcome {
  return { outcome, cpuMs: 0, ms: 0, ...more };
}
