import { quoted } from "../../source.ts";
import type { Rule } from "../../visit.ts";

const COUNT = /^([1-9]|[1-5]\d|6[0-4])$/;

/** At most `concurrency` iterations run at a time. */
export const forEachConcurrency: Rule = (findings) => (element) => {
  const attribute = element.name === "for-each" ? element.attributes.get("concurrency") : undefined;
  if (!attribute || attribute.value === null || COUNT.test(attribute.value)) return;
  const message = `${quoted(attribute.value)} is no number of iterations at a time.`;
  findings.onValue(attribute, { code: "WOML_FOR_EACH_CONCURRENCY_INVALID", message, hint: "An integer of 1 to 64 (1 when absent)." });
};
