import type { Play } from "@woml/engine/testing";
import { asRunId, operationId, type StepState } from "@woml/run";

/** More than any of these runs needs. */
const TURNS = 200;
const WAIT_MS = 5_000;

/** Drives a run on, wherever it stands, as if an engine had just loaded it and all went well from now on. */
export function goOn(play: Play): void {
  for (let turn = 0; turn < TURNS && play.state.ended === null; turn++) {
    const before = play.state.head;
    play.fire();
    for (const node of play.state.open) {
      const step = play.state.steps.get(node);
      if (step?.status === "running") answer(play, node, step);
    }
    for (const node of play.state.waiting)
      play.do({ kind: "resolve_approval", node, decision: "approved", by: "key_1", askedAt: play.now });
    if (play.state.head === before) play.wait(WAIT_MS);
  }
}

/** What it waits for comes, and then its script ends. */
function answer(play: Play, node: string, { attempt, pending, unknown, diverged }: StepState): void {
  for (const call of pending) {
    const { doubt, called, try: tried = 1 } = play.state.operations.get(operationId(node, attempt, call)) ?? { doubt: null, called: null };
    const child = called?.child?.run;
    if (child !== undefined) play.do({ kind: "report_child", child: asRunId(child), ended: { status: "succeeded", result: 1 } });
    if (doubt !== null && doubt.askAt > play.now) continue;
    play.do({ kind: "report_operation", node, attempt, call, try: tried, said: { status: "succeeded", result: 1, evidence: "found" } });
  }
  for (const call of unknown) play.resolve(node, call, { status: "succeeded", result: 1 });
  if (diverged !== null) play.resolve(node, null, { status: "succeeded", result: 1 });
  play.ok(node, true);
}
