import { FrameFault, integer, one, type Rule, record, text, utf8 } from "@woml/child/strict";
import type {
  Answer,
  Begin,
  Broken,
  Cancel,
  Found,
  FromPlugin,
  LogLine,
  Performed,
  Ping,
  Pong,
  Ready,
  Request,
  Threw,
  ToPlugin,
  Unfit,
} from "./frames.ts";

/** A frame holds no more; what its own bound is, is judged where it is used. */
export const FRAME_BYTES: number = 8 * 1_024 * 1_024;
/** Texts may be longer here than what is kept of them, and a longer one is not told at all: a secret that was cut would not be found any more. */
export const GUEST: { readonly [bound in "resultBytes" | "requestBytes" | "logChars" | "codeChars" | "messageChars"]: number } = {
  resultBytes: 1_024 * 1_024,
  requestBytes: 3 * 1_024 * 1_024,
  logChars: 65_536,
  codeChars: 128,
  messageChars: 262_144,
};
const call = integer(1, Number.MAX_SAFE_INTEGER);
const body = utf8(FRAME_BYTES);
const truth: Rule = (value) => (typeof value === "boolean" ? undefined : "is not true or false");
const orNull =
  (rule: Rule): Rule =>
  (value) =>
    value === null ? undefined : rule(value);
const begin = record<Begin>({
  frame: one("perform", "reattach"),
  call,
  operation: text(64, 1),
  key: text(64, 1),
  try: integer(1, 1e9),
  input: body,
});

export const parseToPlugin: (value: unknown) => ToPlugin = parser({
  perform: begin,
  reattach: begin,
  cancel: record<Cancel>({ frame: one("cancel"), call }),
  answer: record<Answer>({ frame: one("answer"), call, request: call, answer: body }),
  ping: record<Ping>({ frame: one("ping") }),
});
export const parseFromPlugin: (value: unknown) => FromPlugin = parser({
  ready: record<Ready>({ frame: one("ready"), manifest: body }),
  broken: record<Broken>({ frame: one("broken"), message: text(GUEST.messageChars) }),
  performed: record<Performed>({ frame: one("performed"), call, result: body }),
  unfit: record<Unfit>({ frame: one("unfit"), call, why: one("too_large", "not_json") }),
  threw: record<Threw>({
    frame: one("threw"),
    call,
    code: orNull(text(GUEST.codeChars, 1)),
    message: text(GUEST.messageChars),
    ambiguous: truth,
  }),
  found: record<Found>({ frame: one("found"), call, found: body }),
  request: record<Request>({ frame: one("request"), call, request: call, asked: utf8(GUEST.requestBytes) }),
  log: record<LogLine>({ frame: one("log"), call, text: text(GUEST.logChars) }),
  pong: record<Pong>({ frame: one("pong") }),
});

function parser<T extends { readonly frame: string }>(rules: Readonly<Record<T["frame"], Rule>>): (value: unknown) => T {
  const byName = new Map<unknown, Rule>(Object.entries<Rule>(rules));
  return (value) => {
    const name = typeof value === "object" && value !== null && "frame" in value ? value.frame : undefined;
    const rule = byName.get(name);
    const complaint = rule === undefined ? "is no known frame" : rule(value);
    if (complaint !== undefined) throw new FrameFault(`A frame ${complaint}.`);
    return value as T;
  };
}
