import type { ApprovalNode } from "@woml/model";
import { durationMs } from "../duration.ts";
import { childrenNamed, type Element, textOf } from "../tree.ts";
import { lowerArms } from "./arms.ts";
import { labels, required } from "./attribute.ts";
import type { Draft, Ends, LowerFlow } from "./draft.ts";
import { lowerNotices } from "./notice.ts";

/** `a`, whose output is the decision, leads into both arms, and both to `a:end`. */
export function lowerApproval(element: Element, draft: Draft, lowerFlow: LowerFlow): Ends {
  const id = required(element, "id");
  const choice = `${id}:end`;
  const notices = childrenNamed(element, "notify").flatMap((notify) => lowerNotices(notify, draft));
  draft.add({ kind: "approval", id, choice, ...labels(element), ...waiting(element), ...(notices.length > 0 && { notices }) }, element);
  draft.outputs.add(id);
  const arms = ["approved", "rejected"].flatMap((arm) =>
    childrenNamed(element, `when-${arm}`).map((written) => ({ arm, element: written })),
  );
  lowerArms(arms, [id, choice], draft, lowerFlow);
  draft.add({ kind: "choice", id: choice }, element);
  return { entry: id, exit: choice };
}

/** How long, and what then: the run fails, when nothing else is said. */
function waiting(element: Element): Pick<ApprovalNode, "timeoutMs" | "onTimeout"> {
  const timeoutMs = durationMs(textOf(element, "timeout") ?? "", Number.MAX_SAFE_INTEGER);
  if (timeoutMs === null) return {};
  return { timeoutMs, onTimeout: textOf(element, "on-timeout") === "reject" ? "reject" : "fail" };
}
