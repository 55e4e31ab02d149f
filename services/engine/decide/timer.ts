import { hasDeadline, isAction } from "@woml/run";
import { expireCalls } from "./child.ts";
import { expireApprovals } from "./decision.ts";
import type { Draft } from "./draft.ts";
import { fail } from "./finish.ts";
import { isExhausted } from "./limits.ts";

/** Starts the attempts whose time has come, and ends approvals and calls whose time is over. */
export function fireTimers(draft: Draft): void {
  for (const node of draft.state.open) {
    const step = draft.state.steps.get(node);
    // Such a run ends now (history.ts), unless what observes its outcome has yet to.
    if (isExhausted(draft.state) && draft.state.outcome === null) return;
    if (step?.status !== "backoff" || step.dueAt === null || step.dueAt > draft.at) continue;
    draft.emit({ type: isAction(node) ? "action_started" : "step_started", data: { node, attempt: step.attempt } });
  }
  expireApprovals(draft);
  expireCalls(draft);
}

/** Ends the run, or begins to, when its time is over. A run that stops already goes on so. */
export function reachDeadline(draft: Draft): void {
  const { state } = draft;
  if (!hasDeadline(state) || draft.at < state.deadlineAt) return;
  const { deadlineAt, startedAt } = state;
  draft.emit({ type: "deadline_reached", data: { deadlineAt } });
  const message = `The workflow did not end within its time-out of ${deadlineAt - (startedAt ?? deadlineAt)} ms.`;
  fail(draft, { code: "WOML_WORKFLOW_TIMED_OUT", kind: "workflow_timed_out", message }, "timed_out");
}
