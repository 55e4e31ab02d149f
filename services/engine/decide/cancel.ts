import type { CancelRun } from "./command.ts";
import type { Draft } from "./draft.ts";
import { stop } from "./finish.ts";
import { abandon } from "./operation.ts";

/**
 * Ends the run at once where no operation is pending. A run that stops already goes on so; unless it is judged without its definition, when
 * nobody hears of its operations any more.
 */
export function cancelRun(draft: Draft, { request }: CancelRun): void {
  if (draft.state.outcome !== null && !draft.isGraphless) return;
  if (draft.state.stop === null) draft.emit({ type: "cancel_requested", data: { request } });
  if (draft.isGraphless) abandon(draft);
  if (draft.state.stop === null) stop(draft, { reason: "cancelled", failure: null });
}
