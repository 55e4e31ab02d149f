/**
 * What one run may have in all: events, and bytes of outputs. Invariants (history.ts holds the run to them):
 *
 *  D31 Each of the two is warned of once, at WARNED of it.
 *  D32 An output that would pass the bytes is not kept: what would publish it fails instead, and the run can still be cancelled.
 *  D33 The last ENDING events, and one for whatever is open, are kept for ending the run: at them nothing begins, and the run fails with
 *      its history whole. With FINAL left, what is pending is not waited for any more.
 */
import { type Json, RUN_LIMITS, utf8Bytes } from "@woml/model";
import type { Failure, RunState } from "@woml/run";
import type { Draft } from "./draft.ts";

export const EVENTS: number = RUN_LIMITS.events;
export const ENDING = 1_000;
export const FINAL = 100;
/** Of all outputs of a run together, as JSON: of steps, choices, approvals, loops and their iterations. */
export const OUTPUT_BYTES = 67_108_864;
export const WARNED = 0.8;

/** Nothing more of the flow, and nothing that observes it, may begin. */
export const isExhausted = (state: RunState): boolean => left(state) <= ENDING;

/** Not even what is pending can be waited for. */
export const isSpent = (state: RunState): boolean => left(state) <= FINAL;

/** Events that may still be written, without those that end what is open. */
function left({ head, open, steps }: RunState): number {
  // Else every start would look at whatever is open.
  if (head < EVENTS * WARNED) return EVENTS - head;
  return open.reduce((rest, site) => rest - 1 - (steps.get(site)?.pending.length ?? 0), EVENTS - head);
}

export function historyLimit({ head }: RunState): Failure {
  const message = `The run has ${head} events of at most ${EVENTS}; the last ${ENDING} are kept for its end (/run/events).`;
  return { code: "WOML_RUN_HISTORY_LIMIT", kind: "run_history_limit", message };
}

/** Why `output` cannot be published at `site`; null: it can. */
export function overflow({ state }: Draft, site: string, output: Json): Failure | null {
  // Nothing published is longer than all before it together, or than what a script may return: far from the limit it need not be measured.
  if (state.outputBytes < OUTPUT_BYTES / 4) return null;
  const bytes = utf8Bytes(JSON.stringify(output));
  const all = state.outputBytes + bytes;
  if (all <= OUTPUT_BYTES) return null;
  const message = `The outputs of a run may have ${OUTPUT_BYTES} bytes together; with the ${bytes} of /steps/${site} these would have ${all}.`;
  return { code: "WOML_RUN_OUTPUT_LIMIT", kind: "run_output_limit", message, step: site };
}
