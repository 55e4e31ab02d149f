import type { RunEvents } from "../event.ts";
import type { ApprovalState, RunState } from "../state.ts";
import { iso } from "../time.ts";
import { demand, demandGoing } from "./demand.ts";
import { withOutput } from "./output.ts";

export function approval_requested(state: RunState, { node, deadlineAt, onTimeout }: RunEvents["approval_requested"]): RunState {
  demandGoing(state);
  demand(state, "WOML_LOG_APPROVAL", !state.approvals.has(node));
  const waits: ApprovalState = { status: "waiting", requestedAt: state.at, deadlineAt, onTimeout, head: state.head };
  return { ...state, approvals: state.approvals.with(node, waits), waiting: [...state.waiting, node] };
}

/** A person's decision comes before the time-out was written, and one by the time-out no earlier than that is due. */
export function approval_resolved(state: RunState, { node, decision, source, by }: RunEvents["approval_resolved"]): RunState {
  demandGoing(state);
  const approval = waits(state, node);
  demand(state, "WOML_LOG_APPROVAL", (source === "timeout") === (by === null));
  if (source === "timeout")
    demand(state, "WOML_LOG_APPROVAL", decision === "rejected" && approval.onTimeout === "reject" && isOver(state, approval));
  return withOutput(ended(state, node, approval, decision), node, { decision, source, decidedAt: iso(state.at) });
}

export function approval_failed(state: RunState, { node, reason }: RunEvents["approval_failed"]): RunState {
  demandGoing(state);
  const approval = waits(state, node);
  if (reason === "timeout") demand(state, "WOML_LOG_APPROVAL", approval.onTimeout === "fail" && isOver(state, approval));
  return ended(state, node, approval, "failed");
}

function waits(state: RunState, node: string): ApprovalState {
  const approval = state.approvals.get(node);
  demand(state, "WOML_LOG_APPROVAL", approval?.status === "waiting");
  return approval;
}

function isOver(state: RunState, { deadlineAt }: ApprovalState): boolean {
  return deadlineAt !== null && state.at >= deadlineAt;
}

function ended(state: RunState, node: string, approval: ApprovalState, status: ApprovalState["status"]): RunState {
  const approvals = state.approvals.with(node, { ...approval, status, head: state.head });
  return { ...state, approvals, waiting: state.waiting.filter((id) => id !== node) };
}
