import type { Outcome, OutcomeName, Work } from "./frames.ts";

/** One invocation on its way through the supervisor. `work.invocation` is the supervisor's own number for it. */
export interface Job {
  readonly work: Work;
  readonly tenant: string;
  /** What it weighs in a queue. */
  readonly bytes: number;
  readonly listener: JobListener;
  /** Its asker has had an outcome; whatever follows is for nobody. */
  settled: boolean;
}
interface JobListener {
  readonly outcome: (outcome: Outcome) => void;
  readonly line: (level: string, text: string) => void;
  readonly call: (call: number, operation: string, input: string) => void;
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
