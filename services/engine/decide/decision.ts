/** Decisions about approvals: the first one counts, a person's or that of the time-out. */
import { approvalDeadlines, type Failure } from "@woml/run";
import { withdraw } from "./action.ts";
import type { ResolveApproval } from "./command.ts";
import type { Draft } from "./draft.ts";
import { failAt, goOn } from "./flow.ts";

/** One that came after the time was over decides nothing, though nobody has said so yet. */
export function resolveApproval(draft: Draft, { node, decision, by, askedAt }: ResolveApproval): void {
  const approval = draft.state.approvals.get(node);
  const isLate = approval?.deadlineAt != null && Math.min(askedAt, draft.at) >= approval.deadlineAt;
  if (draft.isOver || approval?.status !== "waiting" || isLate) return;
  draft.emit({ type: "approval_resolved", data: { node, decision, source: "human", by } });
  withdraw(draft, node);
  goOn(draft, node);
}

/** Of approvals whose time is over. */
export function expireApprovals(draft: Draft): void {
  for (const [node, deadlineAt] of approvalDeadlines(draft.state)) {
    if (draft.isOver || deadlineAt > draft.at) continue;
    if (draft.state.approvals.get(node)?.onTimeout === "reject") {
      draft.emit({ type: "approval_resolved", data: { node, decision: "rejected", source: "timeout", by: null } });
      withdraw(draft, node);
      goOn(draft, node);
    } else {
      draft.emit({ type: "approval_failed", data: { node, reason: "timeout" } });
      withdraw(draft, node);
      failAt(draft, node, timedOut(node));
    }
  }
}

function timedOut(step: string): Failure {
  return { code: "WOML_APPROVAL_TIMEOUT", kind: "approval_timed_out", message: "Nobody decided within the approval's time.", step };
}
