import { quoted } from "../../source.ts";
import { elementsOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

const COUNT = /^[1-9]\d{0,5}$/;

/** At most `concurrency` steps run at a time: not fewer than one, nor more than there are. */
export const parallelConcurrency: Rule = (findings) => (element) => {
  const attribute = element.name === "parallel" ? element.attributes.get("concurrency") : undefined;
  if (!attribute || attribute.value === null) return;
  const count = elementsOf(element).length;
  // Of an empty group that is said, and nothing more.
  if (COUNT.test(attribute.value) && (count === 0 || Number(attribute.value) <= count)) return;
  findings.onValue(attribute, {
    code: "WOML_PARALLEL_INVALID_CONCURRENCY",
    message: `${quoted(attribute.value)} is no number of steps of this group.`,
    hint: count > 0 ? `An integer of 1 to ${count}, the number of its steps.` : "An integer, at most the number of its steps.",
  });
};
