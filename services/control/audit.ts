import type { Json } from "@woml/model";
import type { NewAudit } from "@woml/prisma";
import { mintUuid } from "./ids.ts";

/** The words of what can be done; they stand in the audit for ever. */
type Action =
  | "tenant.create"
  | "key.create"
  | "key.revoke"
  | "run.resolve"
  | "approval.decide"
  | "run.resume"
  | "run.rerun"
  | "workflow.activate"
  | "workflow.deactivate"
  | "trigger.set"
  | "webhook.refuse"
  | "delivery.redeliver"
  | "signal.emit"
  | "signal.refuse"
  | "secret.set"
  | "secret.remove"
  | "tenant.on_ambiguous"
  | "tenant.quota"
  | "plugin.submit"
  | "plugin.approve"
  | "plugin.grant"
  | "plugin.revoke_grant"
  | "plugin.revoke";

/** `actor` is the id of a key, `token`, `door` or `platform`; `detail` holds no secret's value. */
export function entryOf(actor: string, action: Action, subject: string, detail: Json = {}): NewAudit {
  return { id: mintUuid(), actor, action, subject, detail };
}
