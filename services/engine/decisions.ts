import type { InboxRequest } from "@woml/prisma";
import { approvalDeadlines, type RunState } from "@woml/run";
import type { Asked } from "./judge.ts";

/** A decision out of the inbox, as a command. */
export function decisionOf({ id, body, createdAt }: InboxRequest): readonly Asked[] {
  return body.kind === "resolve_approval" ? [{ command: { ...body, askedAt: createdAt }, request: id }] : [];
}

/**
 * Whether these commands say that nobody has decided an approval in time. Then whatever came in time is judged before: accepted means
 * persisted, also where the inbox is read late.
 */
export function endsApproval(state: RunState, asked: readonly Asked[], now: number): boolean {
  return asked.some(({ command }) => command.kind === "fire_timers") && approvalDeadlines(state).some(([, at]) => at <= now);
}
