import type { Remark } from "../../diagnostic.ts";
import { mayHold } from "../../meant.ts";
import { quoted } from "../../source.ts";
import { childrenNamed, type Element } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** What a reusable definition does is exactly one script, and that has a body. */
export const definedScript: Rule = (findings) => (element) => {
  const { name, parent } = element;
  if (parent?.name !== "woml" || (name !== "step" && name !== "provider")) return;
  const [script, second] = childrenNamed(element, "script");
  if (!script && mayHold(element, "script")) return;
  if (!script || second) findings.add((second ?? element).openRange, operation(element, script !== undefined));
  else if (script.children.length === 0) findings.add(script.openRange, BODY);
};

const operation = ({ name }: Element, isMore: boolean): Remark => ({
  code: name === "step" ? "WOML_REUSABLE_STEP_OPERATION_REQUIRED" : "WOML_PROVIDER_OPERATION_REQUIRED",
  message: `The ${name} has ${isMore ? "more than one" : "no"} <script>.`,
  hint: `A ${name} holds exactly one <script>.`,
});
const BODY: Remark = {
  code: "WOML_SCRIPT_BODY_REQUIRED",
  message: "The script of a reusable definition has no body.",
  hint: "Write what it does between <script> and </script>.",
};

/** A provider sends notifications: there is no other kind. */
export const providerKind: Rule = (findings) => (element) => {
  const kind = element.name === "provider" ? element.attributes.get("kind") : undefined;
  if (!kind || kind.value === null || kind.value === "notification") return;
  const message = `${quoted(kind.value)} is no kind of provider.`;
  findings.onValue(kind, { code: "WOML_PROVIDER_KIND_UNSUPPORTED", message, hint: 'Write kind="notification".' });
};
