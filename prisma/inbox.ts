import type { Json } from "@woml/model";
import { asRunId, asTenantId, type ParentCall, type SignalFrom, type Verdict } from "@woml/run";
import type { InboxRequest, StartBody } from "./engine-store.ts";

export interface InboxRow {
  readonly tenant: string;
  readonly id: string;
  readonly kind: string;
  readonly run: string;
  readonly body: string;
  readonly created_at: number;
  readonly status: string | null;
  readonly starting?: boolean;
  readonly rated?: boolean;
}
/** W3C `traceparent`. */
const TRACE = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
type Body = InboxRequest["body"];
type Fields = Readonly<Record<string, unknown>>;

/** A door: what lies in the inbox was written by another process. null = not a request that this engine knows. */
export function readRequest(row: InboxRow): InboxRequest | null {
  const body = readBody(row.kind, JSON.parse(row.body));
  if (body === null) return null;
  const status = body.kind === "start" ? null : row.status;
  const more = { ...(row.starting ? { isStarting: true } : {}), ...(row.rated ? { isRated: true } : {}) };
  return { tenant: asTenantId(row.tenant), run: asRunId(row.run), id: row.id, createdAt: row.created_at, body, status, ...more };
}

function readBody(kind: string, body: unknown): Body | null {
  if (!isObject(body) || body["kind"] !== kind) return null;
  if (kind === "cancel") return { kind };
  if (kind === "resolve") return readResolve(body);
  if (kind === "child_settled") return typeof body["child"] === "string" ? { kind, child: asRunId(body["child"]) } : null;
  if (kind === "resolve_approval") return readDecision(body);
  return kind === "start" ? readStart(body) : null;
}

function readStart(body: Fields): Body | null {
  const { workflow, version, trigger, payload, labels, onAmbiguous, trace, parent, signal } = body;
  const links = readLinks(body);
  if (typeof workflow !== "string" || typeof version !== "string" || !isObject(trigger)) return null;
  const { kind, id } = trigger;
  if (typeof kind !== "string" || typeof id !== "string" || payload === undefined || !areTexts(labels)) return null;
  if (onAmbiguous !== undefined && onAmbiguous !== "fail") return null;
  const called = parent === undefined ? {} : readParent(parent);
  const signalled = signal === undefined ? {} : readSignal(signal);
  if (called === null || links === null || signalled === null) return null;
  const asked = { workflow, version, trigger: { kind, id }, payload: payload as Json, labels };
  // A trace helps to look on, and is no reason to refuse a start.
  const traced = typeof trace === "string" && TRACE.test(trace) ? { trace } : {};
  return { kind: "start", ...asked, ...(onAmbiguous ? { onAmbiguous } : {}), ...traced, ...called, ...signalled, ...links };
}

/** Runs that it goes back to. */
function readLinks({ resumed, rerunOf }: Fields): Pick<StartBody, "resumed" | "rerunOf"> | null {
  if (rerunOf !== undefined && typeof rerunOf !== "string") return null;
  const again = rerunOf === undefined ? {} : { rerunOf };
  if (resumed === undefined) return again;
  if (!isObject(resumed)) return null;
  const { run, from } = resumed;
  return typeof run === "string" && UUID.test(run) && typeof from === "string" ? { ...again, resumed: { run, from } } : null;
}

function readParent(parent: unknown): { readonly parent: ParentCall } | null {
  if (!isObject(parent)) return null;
  const { run, node, attempt, call, lineage, isAwaited } = parent;
  if (typeof run !== "string" || typeof node !== "string" || !isCount(attempt) || !isCount(call)) return null;
  if (!areTexts(lineage) || typeof isAwaited !== "boolean") return null;
  return { parent: { run, node, attempt, call, lineage, isAwaited } };
}

function readSignal(signal: unknown): { readonly signal: SignalFrom } | null {
  if (!isObject(signal)) return null;
  const { id, name, lineage } = signal;
  return typeof id === "string" && typeof name === "string" && areTexts(lineage) ? { signal: { id, name, lineage } } : null;
}

function readResolve({ node, attempt, call, expectedHead, verdict, by }: Fields): Body | null {
  const said = readVerdict(verdict);
  if (typeof node !== "string" || typeof by !== "string" || said === null) return null;
  if (!isCount(attempt) || !(call === null || isCount(call)) || !isCount(expectedHead)) return null;
  return { kind: "resolve", node, attempt, call, expectedHead, verdict: said, by };
}

function readDecision({ node, decision, by }: Fields): Body | null {
  if (typeof node !== "string" || typeof by !== "string") return null;
  return decision === "approved" || decision === "rejected" ? { kind: "resolve_approval", node, decision, by } : null;
}

function readVerdict(verdict: unknown): Verdict | null {
  if (!isObject(verdict)) return null;
  const { status, result, message } = verdict;
  if (status === "retry") return { status };
  if (status === "succeeded" && result !== undefined) return { status, result: result as Json };
  return status === "failed" && typeof message === "string" ? { status, message } : null;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1;
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
