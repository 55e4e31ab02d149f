import type { Remark } from "../../diagnostic.ts";
import { readReference } from "../../reference.ts";
import { quoted } from "../../source.ts";
import { childrenNamed, elementsOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

const COUNT = /^([1-9]|[1-5]\d|6[0-4])$/;

/** The items of a loop are a list in the payload, or in an output. */
export const forEachItems: Rule = (findings) => (element) => {
  const items = element.name === "for-each" ? element.attributes.get("items") : undefined;
  if (!items || items.value === null) return;
  const read = readReference(items.value);
  if (read.kind === "steps" || (read.kind === "payload" && read.word === "payload")) return;
  const older = read.kind === "payload" ? " Here the payload has no other name." : "";
  findings.onValue(items, {
    code: "WOML_FOR_EACH_ITEMS_INVALID",
    message: `${quoted(items.value)} is no list to go through.${older}`,
    hint: "Write one reference: {{context.payload.<property>}} or {{context.steps.<id>.<property>}}.",
  });
};

export const forEachConcurrency: Rule = (findings) => (element) => {
  const attribute = element.name === "for-each" ? element.attributes.get("concurrency") : undefined;
  if (!attribute || attribute.value === null || COUNT.test(attribute.value)) return;
  const message = `${quoted(attribute.value)} is no number of iterations at a time.`;
  findings.onValue(attribute, { code: "WOML_FOR_EACH_CONCURRENCY_INVALID", message, hint: "An integer of 1 to 64 (1 when absent)." });
};

/** A loop may end with one `<result>`. */
export const forEachResult: Rule = (findings) => (element) => {
  if (element.name !== "for-each") return;
  const [first, second] = childrenNamed(element, "result");
  if (second) findings.add(second.openRange, TWICE);
  else if (first && elementsOf(element).at(-1) !== first) findings.add(first.openRange, ORDER);
};

const TWICE: Remark = {
  code: "WOML_FOR_EACH_RESULT_INVALID",
  message: "The loop has more than one <result>.",
  hint: "Keep one: it says what each iteration adds to results.",
};
const ORDER: Remark = {
  code: "WOML_FOR_EACH_RESULT_ORDER",
  message: "<result> is not the last of its loop.",
  hint: "Put it behind the items.",
};
