import type { CancelRun } from "./command.ts";
import type { Draft } from "./draft.ts";
import { cutShort, stop } from "./finish.ts";
import { abandon } from "./operation.ts";

/**
 * Ends the run at once where no operation is pending. A run that stops already goes on so; unless it is judged without its definition, when
 * nobody hears of its operations any more, nor of what still observes it.
 */
export function cancelRun(draft: Draft, { request }: CancelRun): void {
  const isDecided = draft.state.outcome !== null;
  if (isDecided && !draft.isGraphless) return;
  const isStopping = draft.state.stop !== null;
  if (!isDecided && !isStopping) draft.emit({ type: "cancel_requested", data: { request } });
  if (draft.isGraphless) abandon(draft);
  if (isDecided) cutShort(draft);
  else if (!isStopping) stop(draft, { reason: "cancelled", failure: null });
}
