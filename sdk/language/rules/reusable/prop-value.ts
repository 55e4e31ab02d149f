import type { Remark } from "../../diagnostic.ts";
import type { DeclaredProp } from "../../document.ts";
import { readReference } from "../../reference.ts";
import { referenceHint } from "../../reference-hint.ts";
import { isLongSecret, secretName } from "../../secret.ts";
import { quoted } from "../../source.ts";
import { tagOf } from "../../tag.ts";
import type { Rule } from "../../visit.ts";

/** A prop is a text, one exact reference, or for a secret prop one exact secret. */
export const propValue: Rule = (findings, document) => (element) => {
  const props = tagOf(element, document)?.definition?.props;
  if (!props) return;
  for (const attribute of element.attributes.values()) {
    const prop = props.get(attribute.name);
    if (!prop || attribute.value === null) continue;
    const remark = prop.secret ? secretFault(attribute.value, prop) : valueFault(attribute.value, prop);
    if (remark) findings.onValue(attribute, remark);
  }
};

function secretFault(value: string, { name }: DeclaredProp): Remark | null {
  if (secretName(value) !== null) return null;
  const hint = `Write ${name}="{{secrets.API_KEY}}", and nothing else in the attribute.`;
  const message = `The prop ${name} takes one secret, and never the value itself.`;
  return { code: "WOML_REUSABLE_SECRET_PROP_INVALID", message, hint, ...(isLongSecret(value) && { own: true }) };
}

function valueFault(value: string, { name }: DeclaredProp): Remark | null {
  if (!value.includes("{{")) return null;
  if (secretName(value) !== null) {
    const message = `The prop ${name} is not declared as a secret.`;
    return {
      code: "WOML_REUSABLE_SECRET_PROP_UNDECLARED",
      message,
      hint: `Declare it so in the definition: <prop name="${name}" secret="true" />.`,
    };
  }
  const read = readReference(value);
  if (read.kind !== "invalid") return null;
  return {
    code: "WOML_REUSABLE_PROP_VALUE_INVALID",
    message: `${quoted(value)} is neither a text nor a reference. ${read.why}`,
    hint:
      referenceHint(value, ({ kind }) => kind === "payload" || kind === "steps") ??
      "Write a text without {{, or {{context.payload.<property>}} or {{context.steps.<id>.<property>}} and nothing else.",
  };
}
