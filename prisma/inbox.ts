import type { Json } from "@woml/model";
import { asRunId, asTenantId } from "@woml/run";
import type { InboxRequest } from "./engine-store.ts";

export interface InboxRow {
  readonly tenant: string;
  readonly id: string;
  readonly kind: string;
  readonly run: string;
  readonly body: string;
  readonly status: string | null;
}
type Body = InboxRequest["body"];

/** A door: what lies in the inbox was written by another process. null = not a request that this engine knows. */
export function readRequest(row: InboxRow): InboxRequest | null {
  const body = readBody(row.kind, JSON.parse(row.body));
  if (body === null) return null;
  const status = body.kind === "cancel" ? row.status : null;
  return { tenant: asTenantId(row.tenant), run: asRunId(row.run), id: row.id, body, status };
}

function readBody(kind: string, body: unknown): Body | null {
  if (!isObject(body) || body["kind"] !== kind) return null;
  if (kind === "cancel") return { kind };
  const { workflow, version, trigger, payload, labels } = body;
  if (kind !== "start" || typeof workflow !== "string" || typeof version !== "string" || !isObject(trigger)) return null;
  const { kind: trigged, id } = trigger;
  if (typeof trigged !== "string" || typeof id !== "string" || payload === undefined || !areTexts(labels)) return null;
  return { kind, workflow, version, trigger: { kind: trigged, id }, payload: payload as Json, labels };
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
