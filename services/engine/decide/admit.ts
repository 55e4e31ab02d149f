import type { RunEvents } from "@woml/run";
import type { AdmitRun, RefuseRun } from "./command.ts";
import type { Draft } from "./draft.ts";
import { fail } from "./finish.ts";
import { enter } from "./flow.ts";
import { holdBack } from "./observe.ts";

/** Admitted, with all that it takes over, started, and its first steps with it: one append. */
export function admitRun(draft: Draft, command: AdmitRun): void {
  const timeoutMs = draft.graph.definition.policy?.timeoutMs;
  admitted(draft, command);
  takeOver(draft, command);
  draft.emit({ type: "run_started", data: { deadlineAt: timeoutMs === undefined ? null : draft.at + timeoutMs } });
  if (!holdBack(draft, null)) enter(draft);
}

export function refuseRun(draft: Draft, command: RefuseRun): void {
  admitted(draft, command);
  fail(draft, command.failure);
}

function admitted(draft: Draft, command: AdmitRun | RefuseRun): void {
  const { workflow, version, trigger, payload, seed, labels } = command;
  draft.emit({
    type: "run_admitted",
    data: { workflow, version, trigger, payload, seed, labels, ...settings(command), ...links(command) },
  });
}

function settings({ onAmbiguous, trace }: AdmitRun | RefuseRun): Partial<RunEvents["run_admitted"]> {
  return { ...(onAmbiguous === undefined ? {} : { onAmbiguous }), ...(trace === undefined ? {} : { trace }) };
}

/** What it goes back to. */
function links({ parent, signal, resumed, rerunOf }: AdmitRun | RefuseRun): Partial<RunEvents["run_admitted"]> {
  return {
    ...(parent === undefined ? {} : { parent }),
    ...(signal === undefined ? {} : { signal }),
    ...(resumed === undefined ? {} : { resumed: { run: resumed.run, from: resumed.from } }),
    ...(resumed?.origin === undefined ? {} : { origin: resumed.origin }),
    ...(rerunOf === undefined ? {} : { rerunOf }),
  };
}

function takeOver(draft: Draft, { resumed }: AdmitRun): void {
  if (resumed === undefined) return;
  for (const data of resumed.outputs) draft.emit({ type: "output_inherited", data });
  if (resumed.origin === undefined) return;
  for (const data of resumed.operations) draft.emit({ type: "effect_inherited", data });
  for (const data of resumed.keys) draft.emit({ type: "key_inherited", data });
}
