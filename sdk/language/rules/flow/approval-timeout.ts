import type { Remark } from "../../diagnostic.ts";
import { durationMs } from "../../duration.ts";
import { isMisnamed } from "../../meant.ts";
import { quoted } from "../../source.ts";
import type { Rule } from "../../visit.ts";

/** As far as milliseconds can be counted exactly. */
const LONGEST_MS = Number.MAX_SAFE_INTEGER;
const TIMEOUT_HINT = "A duration of 1ms or more: 30m, 24h, 7d.";

/** How long a decision is waited for, and what then. */
export const approvalTimeout: Rule = (findings) => (element) => {
  if (element.name !== "approval") return;
  const [timeout, then] = [element.attributes.get("timeout"), element.attributes.get("on-timeout")];
  const invalid = (message: string, hint: string): Remark => ({ code: "WOML_APPROVAL_TIMEOUT_INVALID", message, hint });
  if (timeout && timeout.value !== null && durationMs(timeout.value, LONGEST_MS) === null)
    findings.onValue(timeout, invalid(`${quoted(timeout.value)} is no time to wait.`, TIMEOUT_HINT));
  if (then && then.value !== null && then.value !== "reject" && then.value !== "fail")
    findings.onValue(then, invalid(`${quoted(then.value)} does not say what happens when nobody decides.`, "Write reject or fail."));
  else if (then && !timeout && !isMisnamed(element))
    findings.onName(then, invalid("on-timeout means nothing without timeout.", 'Add timeout="24h", say, or remove it.'));
};
