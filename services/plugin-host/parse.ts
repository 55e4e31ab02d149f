import { FrameFault } from "@woml/child";
import { integer, list, matching, one, optional, type Rule, record, text, utf8 } from "@woml/child/strict";
import { BOUNDS } from "./bounds.ts";
import type { Dispatch, Fence, Found, Named, Performed } from "./door.ts";
import type {
  Absent,
  Attach,
  AttachedFrame,
  Cancel,
  Clock,
  Closing,
  Draining,
  FoundFrame,
  FromHost,
  Heard,
  Hello,
  Perform,
  PerformedFrame,
  Piece,
  Reattach,
  ReleaseHead,
  ToHost,
  Wanted,
  Welcome,
} from "./frames.ts";

const LATEST_MS = 8_640_000_000_000_000;
const id = integer(1, Number.MAX_SAFE_INTEGER);
const word = text(256, 1);
const code = text(BOUNDS.codeChars, 1);
const message = text(BOUNDS.messageChars);
const digest = matching(/^sha256:[0-9a-f]{64}$/);
const uuid = matching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
/** W3C. */
const traceparent = matching(/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/);
const truth: Rule = (value) => (typeof value === "boolean" ? undefined : "is not true or false");
const count = integer(1, 1e9);
const time = integer(0, LATEST_MS);
const result = utf8(BOUNDS.resultBytes);
const protocol = integer(0, 1e6);

const named = { tenant: word, run: word, attempt: count, key: text(64, 1), try: count };
const fence = { engine: word, run: word, epoch: integer(0, Number.MAX_SAFE_INTEGER), now: time, notAfter: time };
const secretsShape = mapping(utf8(BOUNDS.secretBytes), BOUNDS.secrets);
const secrets: Rule = (value) => secretsShape(value) ?? together(Object.values(value as Readonly<Record<string, string>>));
const dispatch = record<Dispatch>({
  ...named,
  ...fence,
  release: digest,
  operation: text(64, 1),
  effect: one("pure", "keyed", "reattachable", "unsafe"),
  input: utf8(BOUNDS.inputBytes),
  timeoutMs: integer(1, 600_000),
  secrets,
  trace: optional(traceparent),
});

type Of<T, S> = Extract<T, { readonly status: S }>;
const status = <S extends string>(name: S): Rule => one(name);
const refused = record<Of<Performed, "refused">>({
  status: status("refused"),
  reason: one("late", "fenced", "overloaded", "unavailable"),
  message,
});
const performed = either("status", {
  succeeded: record<Of<Performed, "succeeded">>({ status: status("succeeded"), result, evidence: message }),
  failed: record<Of<Performed, "failed">>({ status: status("failed"), code, message, retryable: truth, evidence: message }),
  ambiguous: record<Of<Performed, "ambiguous">>({ status: status("ambiguous"), code, message }),
  refused,
});
const found = either("status", {
  succeeded: record<Of<Found, "succeeded">>({ status: status("succeeded"), result }),
  failed: record<Of<Found, "failed">>({ status: status("failed"), code, message }),
  pending: record<Of<Found, "pending">>({ status: status("pending"), askAgainMs: integer(0, BOUNDS.askAgainMs.longest) }),
  not_found: record<Of<Found, "not_found">>({ status: status("not_found") }),
  unknown: record<Of<Found, "unknown">>({ status: status("unknown"), message }),
  refused,
});

/** What is wrong with a dispatch, if it cannot be sent. */
export const dispatchRule: Rule = dispatch;

export const parseToHost: (value: unknown) => ToHost = parser<ToHost>({
  hello: record<Hello>({ frame: one("hello"), protocol }),
  clock: record<Clock>({ frame: one("clock"), now: time }),
  perform: record<Perform>({ frame: one("perform"), id, dispatch }),
  attach: record<Attach>({ frame: one("attach"), id, ask: record<Fence & Named>({ ...named, ...fence }) }),
  reattach: record<Reattach>({ frame: one("reattach"), id, dispatch }),
  cancel: record<Cancel>({ frame: one("cancel"), named: record<Named>(named) }),
  heard: record<Heard>({ frame: one("heard"), id }),
  release: record<ReleaseHead>({
    ...{ frame: one("release"), digest, manifest: utf8(BOUNDS.manifestBytes) },
    artefactBytes: integer(0, BOUNDS.artefactBytes),
  }),
  piece: record<Piece>({ frame: one("piece"), digest, base64: text(Math.ceil(BOUNDS.pieceBytes / 3) * 4, 1) }),
  absent: record<Absent>({ frame: one("absent"), digest, reason: one("unknown", "unavailable") }),
});
export const parseFromHost: (value: unknown) => FromHost = parser<FromHost>({
  hello: record<Welcome>({ frame: one("hello"), protocol, layers: list(text(64), 64), host: uuid }),
  draining: record<Draining>({ frame: one("draining") }),
  closing: record<Closing>({ frame: one("closing") }),
  performed: record<PerformedFrame>({ frame: one("performed"), id, performed }),
  attached: record<AttachedFrame>({ frame: one("attached"), id, performed: (value) => (value === null ? undefined : performed(value)) }),
  found: record<FoundFrame>({ frame: one("found"), id, found }),
  wanted: record<Wanted>({ frame: one("wanted"), digest }),
});

function parser<T extends { readonly frame: string }>(rules: Readonly<Record<T["frame"], Rule>>): (value: unknown) => T {
  const rule = either("frame", rules);
  return (value) => {
    const complaint = rule(value);
    if (complaint !== undefined) throw new FrameFault(`A frame ${complaint}.`);
    return value as T;
  };
}
/** The rule is chosen by one field. */
function either(field: string, rules: Readonly<Record<string, Rule>>): Rule {
  const byName = new Map<unknown, Rule>(Object.entries(rules));
  return (value) => {
    const name = typeof value === "object" && value !== null && Object.hasOwn(value, field) ? Reflect.get(value, field) : undefined;
    return byName.get(name)?.(value) ?? (byName.has(name) ? undefined : `has no known ${field}`);
  };
}
function together(values: readonly string[]): string | undefined {
  const bytes = values.reduce((sum, value) => sum + Buffer.byteLength(value), 0);
  return bytes > BOUNDS.secretsBytes ? `has more than ${BOUNDS.secretsBytes} bytes together` : undefined;
}
function mapping(rule: Rule, most: number): Rule {
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return "is not an object";
    const members = Object.values(value);
    if (members.length > most) return `has more than ${most} members`;
    return members.map(rule).find((complaint) => complaint !== undefined);
  };
}
