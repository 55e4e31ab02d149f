import type { RunEventType, RunId } from "@woml/run";

/** A page of one run's log, cut before `maxBytes` of data are passed; its first event is always in it. */
export interface EventAsk {
  readonly run: RunId;
  readonly after: number;
  readonly limit: number;
  readonly maxBytes: number;
  /** All events when absent. */
  readonly only?: EventFilter;
}
/** Which events of a log are wanted, so that a part of a very long one can be read. */
export interface EventFilter {
  readonly types: readonly RunEventType[];
  /** About these sites, hooks or calls (`node:attempt:call`); what is about the run as a whole is wanted too. */
  readonly about?: readonly string[];
  /** At these nodes, in whatever iteration. */
  readonly nodes?: readonly string[];
  /** What begins something, failed for good, or nobody knows: no further attempt or dispatch, no action that is tried again, no known outcome. */
  readonly isFirst?: boolean;
  /** Members that are left out of the data, because they may be large. */
  readonly without?: readonly string[];
}
