import { DAY_MS, durationMs } from "../../duration.ts";
import type { Findings } from "../../findings.ts";
import { isMisnamed } from "../../meant.ts";
import { quoted } from "../../source.ts";
import type { Attribute, Element } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

const COUNT = /^([1-9]|10)$/;
const DELAY_HINT = "A duration of 1ms to 24h: 500ms, 1.5s, 2m.";

export const retry: Rule = (findings) => (element) => {
  if (element.name === "step" && element.parent?.name !== "woml") checkRetry(element, findings, isMisnamed(element));
};

/** Tags of reusable steps are tried again as steps are. `mayBeMisnamed`: what seems to be missing may be there under another name. */
export function checkRetry(element: Element, findings: Findings, mayBeMisnamed: boolean): void {
  const count = element.attributes.get("retry");
  if (count && count.value !== null && !COUNT.test(count.value)) {
    findings.onValue(count, {
      code: "WOML_RETRY_INVALID",
      message: `${quoted(count.value)} is no number of attempts.`,
      hint: "An integer of 1 to 10.",
    });
  }
  const usesRetry = count !== undefined && (!findings.isSound(count) || count.value !== "1");
  if (usesRetry) checkBackoff(element, findings);
  else if (!mayBeMisnamed) refuseBackoff(element, findings);
}

/** Without a second attempt there is nothing to wait for. */
function refuseBackoff(element: Element, findings: Findings): void {
  const first = [...element.attributes.values()].find((attribute) => attribute.name.startsWith("retry-"));
  if (!first) return;
  const message = `${quoted(first.name)} means nothing without retry above 1.`;
  findings.onName(first, { code: "WOML_RETRY_BACKOFF_REQUIRES_RETRY", message, hint: 'Add retry="3", say, or remove it.' });
}

function checkBackoff(element: Element, findings: Findings): void {
  const backoff = element.attributes.get("retry-backoff");
  if (backoff?.value != null && backoff.value !== "fixed" && backoff.value !== "exponential") {
    const message = `${quoted(backoff.value)} is no kind of back-off.`;
    findings.onValue(backoff, { code: "WOML_RETRY_BACKOFF_INVALID", message, hint: "Write fixed or exponential." });
  }
  const delay = element.attributes.get("retry-delay");
  const delayMs = delayOf(delay, "WOML_RETRY_DELAY_INVALID", findings);
  const longest = element.attributes.get("retry-max-delay");
  if (longest && backoff?.value === "fixed") {
    const message = "A fixed back-off has no longest delay.";
    findings.onName(longest, { code: "WOML_RETRY_MAX_DELAY_NOT_ALLOWED", message, hint: "Remove retry-max-delay." });
  }
  const longestMs = delayOf(longest, "WOML_RETRY_MAX_DELAY_INVALID", findings);
  if (longest && longestMs !== null && delayMs !== null && longestMs < delayMs) {
    const message = "The longest delay is shorter than the first.";
    findings.onValue(longest, {
      code: "WOML_RETRY_MAX_DELAY_INVALID",
      message,
      hint: "Raise it to retry-delay (1s when absent) at least.",
    });
  }
}

/** The delay in milliseconds, the default when the attribute is absent; null when it is unusable. */
function delayOf(
  attribute: Attribute | undefined,
  code: "WOML_RETRY_DELAY_INVALID" | "WOML_RETRY_MAX_DELAY_INVALID",
  findings: Findings,
): number | null {
  if (!attribute) return 1_000;
  const ms = attribute.value === null ? null : durationMs(attribute.value, DAY_MS);
  if (ms === null) findings.onValue(attribute, { code, message: `${quoted(attribute.value ?? "")} is no delay.`, hint: DELAY_HINT });
  return ms;
}
