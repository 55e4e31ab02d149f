import type { CancelRun } from "./command.ts";
import type { Draft } from "./draft.ts";
import { cancelOpen } from "./finish.ts";

/** Nothing can have left a sandbox, so nothing needs to settle first: the run ends at once. */
export function cancelRun(draft: Draft, { request }: CancelRun): void {
  draft.emit({ type: "cancel_requested", data: { request } });
  cancelOpen(draft, "cancelled");
  draft.emit({ type: "outcome_decided", data: { status: "cancelled" } });
  draft.emit({ type: "run_cancelled", data: {} });
}
