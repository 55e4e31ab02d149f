import type { CancelRun } from "./command.ts";
import type { Draft } from "./draft.ts";
import { stop } from "./finish.ts";
import { abandon } from "./operation.ts";

/** Ends the run at once where no operation is pending, or where nobody would hear of those that are. A run that stops already goes on so. */
export function cancelRun(draft: Draft, { request, isAbandoned }: CancelRun): void {
  if (draft.state.stop !== null && !draft.isGraphless && !isAbandoned) return;
  if (draft.state.stop === null) draft.emit({ type: "cancel_requested", data: { request } });
  if (draft.isGraphless || isAbandoned) abandon(draft);
  if (draft.state.stop === null) stop(draft, { reason: "cancelled", failure: null });
}
