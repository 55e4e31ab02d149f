import type { AdmitRun, RefuseRun } from "./command.ts";
import type { Draft } from "./draft.ts";
import { fail } from "./finish.ts";
import { enter } from "./flow.ts";

/** Admitted, started, and its first steps with it: one append. */
export function admitRun(draft: Draft, command: AdmitRun): void {
  const timeoutMs = draft.graph.definition.policy?.timeoutMs;
  admitted(draft, command);
  draft.emit({ type: "run_started", data: { deadlineAt: timeoutMs === undefined ? null : draft.at + timeoutMs } });
  enter(draft);
}

export function refuseRun(draft: Draft, command: RefuseRun): void {
  admitted(draft, command);
  fail(draft, command.failure);
}

function admitted(draft: Draft, { workflow, version, trigger, payload, seed, labels, onAmbiguous, trace }: AdmitRun | RefuseRun): void {
  const set = { ...(onAmbiguous === undefined ? {} : { onAmbiguous }), ...(trace === undefined ? {} : { trace }) };
  draft.emit({ type: "run_admitted", data: { workflow, version, trigger, payload, seed, labels, ...set } });
}
