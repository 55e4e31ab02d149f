import { type Read, readReference } from "../../reference.ts";
import { referenceHint } from "../../reference-hint.ts";
import { quoted } from "../../source.ts";
import type { Rule } from "../../visit.ts";

/** The items of a loop are a list in the payload, or in an output. */
export const forEachItems: Rule = (findings) => (element) => {
  const items = element.name === "for-each" ? element.attributes.get("items") : undefined;
  if (!items || items.value === null) return;
  const read = readReference(items.value);
  if (isList(read)) return;
  const older = read.kind === "payload" ? " Here the payload has no other name." : "";
  findings.onValue(items, {
    code: "WOML_FOR_EACH_ITEMS_INVALID",
    message: `${quoted(items.value)} is no list to go through.${older}`,
    hint: referenceHint(items.value, isList) ?? "Write one reference: {{context.payload.<property>}} or {{context.steps.<id>.<property>}}.",
  });
};

const isList = (read: Read): boolean => read.kind === "steps" || (read.kind === "payload" && read.word === "payload");
