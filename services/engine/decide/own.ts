import type { OperationOutcome, RunState } from "@woml/run";
import { performEvents } from "../builtin/events.ts";
import { performState } from "../builtin/state.ts";
import { performWorkflows } from "../builtin/workflows.ts";
import type { CallOperation } from "./command.ts";
import type { Draft } from "./draft.ts";

/** Performs what the platform itself does: settled in the answer that starts it, but for a call that waits for another run. */
export function performOwn(draft: Draft, command: CallOperation): void {
  const { node, attempt, call } = command;
  const performed = perform(draft.state, command);
  if (performed === null) return;
  const outcome: OperationOutcome =
    "failure" in performed ? { status: "failed", failure: performed.failure } : { status: "succeeded", result: performed.result };
  draft.emit({ type: "operation_settled", data: { node, attempt, call, try: 1, outcome, evidence: "it is written with this" } });
}

function perform(state: RunState, { asked }: CallOperation): ReturnType<typeof performWorkflows> {
  if (!("called" in asked) || asked.drawn === undefined)
    throw new Error("an operation of the platform's own was asked without what it is judged by");
  const { called, drawn } = asked;
  if (drawn.of === "state") return performState(called, drawn.entry);
  return drawn.of === "events" ? performEvents(state, called, drawn) : performWorkflows(state, called, drawn);
}
