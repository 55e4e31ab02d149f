import type { Remark } from "../../diagnostic.ts";
import { RETRY_ATTRIBUTES } from "../../grammar.ts";
import { namesSecret } from "../../reference.ts";
import { isLongSecret, secretName } from "../../secret.ts";
import { tagOf } from "../../tag.ts";
import type { Attribute } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** By element, the attributes that take a secret and nothing else. */
const CREDENTIALS: ReadonlyMap<string, readonly string[]> = new Map([
  ["webhook", ["secret"]],
  ["event", ["secret"]],
  ["slack", ["bot-token", "app-token"]],
  ["telegram", ["bot-token"]],
  ["discord", ["bot-token"]],
  ["whatsapp", ["access-token", "verify-token", "app-secret"]],
]);
/** What every tag of an imported definition may have. Its other attributes are props, and the definition says which of them are secrets. */
const TAG_ATTRIBUTES: ReadonlySet<string> = new Set(["id", "name", "description", "message", ...RETRY_ATTRIBUTES]);
/** A message takes references with blanks around them. */
const IN_MESSAGE = /\{\{\s*secrets\b/;

/** A secret is named where a credential belongs, and nowhere else. */
export const credentials: Rule = (findings, document) => (element) => {
  const isTag = tagOf(element, document) !== undefined;
  const credential = isTag ? undefined : CREDENTIALS.get(element.name);
  for (const attribute of element.attributes.values()) {
    if (isTag && !TAG_ATTRIBUTES.has(attribute.name)) continue;
    const remark = credential?.includes(attribute.name) ? credentialFault(attribute) : sinkFault(attribute);
    if (remark) findings.onValue(attribute, remark);
  }
};

function credentialFault({ name, value }: Attribute): Remark | null {
  if (value === null || secretName(value) !== null) return null;
  const hint = `Write ${name}="{{secrets.API_KEY}}", without blanks: upper case, digits and underscores, at most 128.`;
  const message = `The attribute ${name} is not exactly one secret.`;
  return namesSecret(value)
    ? { code: "WOML_SECRET_REFERENCE_INVALID", message, hint, ...(isLongSecret(value) && { own: true }) }
    : { code: "WOML_SECRET_LITERAL_FORBIDDEN", message: `The attribute ${name} takes a secret, and never the value itself.`, hint };
}

function sinkFault({ name, value }: Attribute): Remark | null {
  if (value === null || !(namesSecret(value) || (name === "message" && IN_MESSAGE.test(value)))) return null;
  return {
    code: "WOML_SECRET_SINK_UNSUPPORTED",
    message: `The attribute ${name} may not name a secret.`,
    hint: "Only attributes made for credentials take a secret.",
  };
}
