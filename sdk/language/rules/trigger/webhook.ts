import { pathFault } from "@woml/model/laws";
import type { Remark } from "../../diagnostic.ts";
import { isMisnamed } from "../../meant.ts";
import { quoted } from "../../source.ts";
import type { Rule } from "../../visit.ts";

const AUTHS: readonly string[] = ["none", "bearer"];

/** The address of a webhook and the method it answers to. */
export const webhookRoute: Rule = (findings) => (element) => {
  if (element.name !== "webhook") return;
  const path = element.attributes.get("path");
  const fault = path?.value == null ? null : pathFault(path.value);
  if (path && fault) findings.onValue(path, { code: "WOML_WEBHOOK_PATH_INVALID", message: fault, hint: "Write a path: /orders/created." });
  const method = element.attributes.get("method");
  if (!method || method.value === "POST") return;
  const message = `${quoted(method.value ?? "")} is no method of a webhook.`;
  findings.onValue(method, { code: "WOML_WEBHOOK_METHOD_UNSUPPORTED", message, hint: "Write POST, or leave it out." });
};

/** Who may call a webhook: all, or who knows a secret. */
export const webhookAuth: Rule = (findings) => (element) => {
  const auth = element.name === "webhook" ? element.attributes.get("auth") : undefined;
  if (auth?.value == null) return;
  const secret = element.attributes.get("secret");
  if (!AUTHS.includes(auth.value)) findings.onValue(auth, unknown(auth.value));
  else if (auth.value === "none" && secret) findings.onName(secret, FORBIDDEN);
  else if (auth.value === "bearer" && !secret && !isMisnamed(element)) findings.add(element.openRange, REQUIRED);
};

const unknown = (auth: string): Remark => ({
  code: "WOML_WEBHOOK_AUTH_INVALID",
  message: `${quoted(auth)} is no way to know who calls.`,
  hint: 'Write auth="bearer" with a secret, or auth="none".',
});
const FORBIDDEN: Remark = {
  code: "WOML_WEBHOOK_AUTH_INVALID",
  message: 'A webhook with auth="none" asks for no secret.',
  hint: 'Write auth="bearer", or remove the secret.',
};
const REQUIRED: Remark = {
  code: "WOML_WEBHOOK_AUTH_INVALID",
  message: 'A webhook with auth="bearer" needs a secret.',
  hint: 'Add secret="{{secrets.HOOK_TOKEN}}".',
};
