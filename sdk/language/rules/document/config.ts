import { DAY_MS, durationMs } from "../../duration.ts";
import { quoted } from "../../source.ts";
import type { Rule } from "../../visit.ts";

const LONGEST_MS = 365 * DAY_MS;

export const configNotEmpty: Rule = (findings) => (element) => {
  if (element.name !== "config" || element.attributes.size > 0) return;
  const hint = 'Set a timeout, or remove it: <config timeout="1h" />.';
  findings.add(element.openRange, { code: "WOML_CONFIG_EMPTY", message: "<config> says nothing.", hint });
};

export const configTimeout: Rule = (findings) => (element) => {
  const attribute = element.name === "config" ? element.attributes.get("timeout") : undefined;
  if (!attribute || attribute.value === null || durationMs(attribute.value, LONGEST_MS) !== null) return;
  const message = `${quoted(attribute.value)} is no timeout.`;
  findings.onValue(attribute, { code: "WOML_CONFIG_TIMEOUT_INVALID", message, hint: "A duration of 1ms to 365d: 500ms, 30s, 1.5h." });
};
