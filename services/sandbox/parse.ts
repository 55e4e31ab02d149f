import {
  duration,
  either,
  FrameFault,
  integer,
  list,
  matching,
  none,
  one,
  optional,
  type Rule,
  record,
  table,
  text,
  utf8,
} from "@woml/child/strict";
import { BOUNDS, HIGHEST_LIMITS } from "./bounds.ts";
import type {
  Answer,
  Begun,
  Call,
  Cancel,
  Draining,
  Ended,
  FromSupervisor,
  FromWorker,
  Hello,
  Import,
  Invoke,
  Limits,
  Line,
  Module,
  Outcome,
  OutcomeName,
  Ready,
  Returned,
  Run,
  Script,
  ScriptFailure,
  ToSupervisor,
  ToWorker,
  Welcome,
  Work,
} from "./frames.ts";

const LONGEST_MS = 24 * 3_600_000;
/** As far as `Date` goes. */
const LATEST_MS = 8_640_000_000_000_000;
const MOST_SECRETS = 64;
const HANDLE = /^woml_secret\.[0-9a-f]{32}\.n\.[A-Za-z_][A-Za-z0-9_]{0,127}\.$/;
const OUTCOMES: Readonly<Record<OutcomeName, true>> = {
  ...{ ok: true, script_threw: true, script_syntax: true, invalid_result: true, result_too_large: true, cpu_exceeded: true },
  ...{ wall_exceeded: true, memory_exceeded: true, worker_crashed: true, protocol_violation: true, overloaded: true },
  ...{ host_unavailable: true, cancelled: true, waiting: true, diverged: true },
};
const id = text(256, 1);
/** `alias.operation`, or a plain name. */
const operation = matching(/^[A-Za-z_$][A-Za-z0-9_$]{0,63}(\.[A-Za-z_$][A-Za-z0-9_$]{0,63})?$/);
/** 1 to 128 printable characters. */
const callName = matching(/^[^\p{Cc}\p{Cs}\u2028\u2029]{1,128}$/u);
const call = integer(1, BOUNDS.calls);
const timer = integer(1, BOUNDS.timers);
const answered = record<{ readonly answer: number }>({ answer: call });
const fired = record<{ readonly timer: number }>({ timer });
const made = record<{ readonly call: number }>({ call });
const at = integer(0, LATEST_MS);
const seed = matching(/^[0-9a-f]{64}$/);
const level = one("debug", "log", "info", "warn", "error");

const limits = record<Limits>({
  cpuMs: integer(1, HIGHEST_LIMITS.cpuMs),
  wallMs: integer(1, HIGHEST_LIMITS.wallMs),
  heapMb: integer(8, HIGHEST_LIMITS.heapMb),
  resultBytes: integer(1, HIGHEST_LIMITS.resultBytes),
  consoleBytes: integer(0, HIGHEST_LIMITS.consoleBytes),
});
const script = record<Script>({
  digest: text(256, 1),
  text: utf8(BOUNDS.sourceBytes),
  file: text(1_024),
  line: integer(1, 1e7),
  column: integer(1, 1e7),
});
const digest = matching(/^sha256:[0-9a-f]{64}$/);
const modules = list(record<Import>({ alias: matching(/^[a-z][A-Za-z0-9]{0,127}$/), digest }), BOUNDS.modules);
const module = record<Module>({ frame: one("module"), digest, text: utf8(BOUNDS.moduleBytes) });
const work = {
  invocation: id,
  script,
  context: utf8(BOUNDS.contextBytes),
  attempt: utf8(BOUNDS.attemptBytes),
  props: optional(utf8(BOUNDS.propsBytes)),
  lifecycle: optional(utf8(BOUNDS.bindingBytes)),
  notification: optional(utf8(BOUNDS.bindingBytes)),
  limits,
  operations: optional(list(operation, 256)),
  modules: optional(modules),
  secrets: optional(table(/^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]{0,127}$/, matching(HANDLE), MOST_SECRETS)),
  startedAt: at,
  chance: record<Work["chance"]>({ math: seed, crypto: seed }),
  journal: optional(list(either(made, answered, fired), BOUNDS.journalEntries)),
  parkAfterMs: optional(integer(0, LONGEST_MS)),
};
const outcome = record<Outcome>({
  outcome: one(...Object.keys(OUTCOMES)),
  result: optional(text(HIGHEST_LIMITS.resultBytes)),
  failure: optional(
    record<ScriptFailure>({
      name: text(BOUNDS.nameChars),
      message: text(BOUNDS.messageChars),
      stack: text(BOUNDS.stackChars),
      call: optional(call),
    }),
  ),
  retryAfterMs: optional(integer(0, LONGEST_MS)),
  detail: optional(text(BOUNDS.detailChars)),
  open: optional(list(call, BOUNDS.callsInFlight)),
  workerPid: optional(integer(1, 2 ** 31)),
  cpuMs: duration(LONGEST_MS),
  ms: duration(LONGEST_MS),
});
const answer = record<Answer>({ frame: one("answer"), invocation: id, call, text: utf8(BOUNDS.answerBytes), at });
const asked = record<Call>({
  frame: one("call"),
  invocation: id,
  call,
  operation,
  name: either(none, callName),
  input: utf8(BOUNDS.callBytes),
  seen: list(either(answered, fired), BOUNDS.calls + BOUNDS.timers),
});
const ended = record<Ended>({ frame: one("outcome"), invocation: id, outcome });
const line = record<Line>({ frame: one("line"), invocation: id, level, text: utf8(BOUNDS.lineBytes) });
const protocol = integer(0, 1e6);
const draining = record<Draining>({ frame: one("draining") });

/** Limits and sizes of what an engine asks: undefined, or what is wrong with it. */
export const answerRule: Rule = answer;
export const invokeRule: Rule = record<Invoke>({ frame: one("invoke"), tenant: id, ...work });

export const parseToSupervisor: (value: unknown) => ToSupervisor = parser({
  hello: record<Hello>({ frame: one("hello"), protocol }),
  module,
  invoke: invokeRule,
  cancel: record<Cancel>({ frame: one("cancel"), invocation: id }),
  answer,
  draining,
});
export const parseFromSupervisor: (value: unknown) => FromSupervisor = parser({
  hello: record<Welcome>({ frame: one("hello"), protocol, layers: list(text(64), 64) }),
  draining,
  begun: record<Begun>({ frame: one("begun"), invocation: id }),
  outcome: ended,
  line,
  call: asked,
});
export const parseToWorker: (value: unknown) => ToWorker = parser({
  module,
  run: record<Run>({ frame: one("run"), ...work }),
  answer,
});
export const parseFromWorker: (value: unknown) => FromWorker = parser({
  ready: record<Ready>({ frame: one("ready") }),
  returned: record<Returned>({ frame: one("returned"), invocation: id }),
  outcome: ended,
  line,
  call: asked,
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
