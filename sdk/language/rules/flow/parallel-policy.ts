import { quoted } from "../../source.ts";
import type { Rule } from "../../visit.ts";

/** What becomes of the other steps of a group when one has failed. */
export const parallelPolicy: Rule = (findings) => (element) => {
  const attribute = element.name === "parallel" ? element.attributes.get("on-error") : undefined;
  if (!attribute || attribute.value === null || attribute.value === "fail-fast" || attribute.value === "wait-all") return;
  const message = `${quoted(attribute.value)} does not say what becomes of the other steps when one has failed.`;
  const hint = "Write fail-fast (they are cancelled, as without the attribute) or wait-all.";
  findings.onValue(attribute, { code: "WOML_PARALLEL_INVALID_POLICY", message, hint });
};
