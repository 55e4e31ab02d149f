import type { Code } from "../../codes.ts";
import { isElementName } from "../../grammar.ts";
import { countOf, isQueue, rateOf, timeoutOf } from "../../policy.ts";
import { quoted, type Range } from "../../source.ts";
import { type Attribute, elementsOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

interface Policy {
  readonly isSound: (value: string) => boolean;
  readonly code: Code;
  readonly what: string;
  readonly hint: string;
}
/** By attribute of `<config>`. */
const POLICIES: ReadonlyMap<string, Policy> = new Map<string, Policy>([
  [
    "timeout",
    {
      isSound: (value) => timeoutOf(value) !== null,
      code: "WOML_CONFIG_TIMEOUT_INVALID",
      what: "timeout",
      hint: "A duration of 1ms to 365d: 500ms, 30s, 1.5h.",
    },
  ],
  [
    "concurrency",
    {
      isSound: (value) => countOf(value) !== null,
      code: "WOML_CONFIG_CONCURRENCY_INVALID",
      what: "number of runs",
      hint: "An integer of 1 to 1000000, in digits alone.",
    },
  ],
  [
    "rate-limit",
    {
      isSound: (value) => rateOf(value) !== null,
      code: "WOML_CONFIG_RATE_LIMIT_INVALID",
      what: "rate",
      hint: "An integer of 1 to 1000000, a slash, a duration of 1ms to 365d: 100/1m.",
    },
  ],
  [
    "queue",
    {
      isSound: isQueue,
      code: "WOML_CONFIG_QUEUE_INVALID",
      what: "name of a queue",
      hint: "Lower case letters and digits, with a dot, dash or underscore between words, at most 128 characters: billing.eu.",
    },
  ],
]);

/** `<config>` says something. An element that is not of the language has been reported, and may be what it says. */
export const configNotEmpty: Rule = (findings) => (element) => {
  if (element.name !== "config" || element.attributes.size > 0 || !elementsOf(element).every(({ name }) => isElementName(name))) return;
  const hint = 'Set a timeout, or remove it: <config timeout="1h" />.';
  findings.add(element.openRange, { code: "WOML_CONFIG_EMPTY", message: "<config> says nothing.", hint });
};

/** What `<config>` says can be held to. Of a rate whose count is sound, what is behind the slash is marked. */
export const configPolicies: Rule =
  (findings, { text }) =>
  (element) => {
    if (element.name !== "config") return;
    for (const attribute of element.attributes.values()) {
      const { name, value } = attribute;
      const policy = POLICIES.get(name);
      if (!policy || value === null || policy.isSound(value)) continue;
      const remark = { code: policy.code, message: `${quoted(value)} is no ${policy.what}.`, hint: policy.hint };
      const window = name === "rate-limit" ? windowIn(attribute, text) : null;
      if (window && findings.isSound(attribute)) findings.add(window, remark);
      else findings.onValue(attribute, remark);
    }
  };

function windowIn({ valueRange: { start, end } }: Attribute, text: string): Range | null {
  const [count = "", window] = text.slice(start, end).split("/", 2);
  return window === undefined || countOf(count) === null ? null : { start: start + count.length + 1, end };
}
