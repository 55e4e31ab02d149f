import type { ApprovalNode } from "@woml/model";
import type { Draft } from "./draft.ts";
import { requestNotices } from "./observe.ts";

export function requestApproval(draft: Draft, { id, timeoutMs, onTimeout = "fail", notices }: ApprovalNode): void {
  const deadlineAt = timeoutMs === undefined ? null : draft.at + timeoutMs;
  draft.emit({ type: "approval_requested", data: { node: id, deadlineAt, onTimeout } });
  if (notices !== undefined) requestNotices(draft, id, notices.length);
}
