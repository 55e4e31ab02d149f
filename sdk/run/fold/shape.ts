import type { RunEventType } from "../event.ts";

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === "string";
const json: Check = (value) => value !== undefined;
const time: Check = (value) => typeof value === "number" && value >= 0 && value < Infinity;
const count: Check = (value) => Number.isSafeInteger(value) && time(value) && value !== 0;
const whole: Check = (value) => Number.isSafeInteger(value) && time(value);
const flag: Check = (value) => typeof value === "boolean";
const list =
  (of: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(of);
const oneOf =
  (...texts: readonly string[]): Check =>
  (value) =>
    texts.some((each) => each === value);
const either =
  (...checks: readonly Check[]): Check =>
  (value) =>
    checks.some((check) => check(value));
const nothing: Check = (value) => value === null;
const optional =
  (of: Check): Check =>
  (value) =>
    value === undefined || of(value);

function members(checks: Readonly<Record<string, Check>>): Check {
  const entries = Object.entries(checks);
  return (value) => isRecord(value) && entries.every(([name, check]) => check(value[name]));
}

function isRecord(value: unknown): value is { readonly [member: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const failureTexts = { code: text, kind: text, message: text, step: optional(text), stack: optional(text) };
const failure: Check = members({ ...failureTexts, cause: optional((value) => failure(value)) });
const attempted = { node: text, attempt: count };
const calling = { ...attempted, call: count };
const span = either(nothing, time);
const called = members({
  ...{ capability: text, operation: text, release: text, name: either(nothing, text), inputDigest: text, input: json, timeoutMs: time },
  child: optional(members({ run: text, version: text })),
  effect: members({
    class: oneOf("pure", "keyed", "reattachable", "unsafe"),
    ...{ windowMs: span, conclusiveNotFoundAfterMs: span, pendingMaxMs: span, sticky: optional(flag) },
  }),
});
const seen = list(either(members({ answer: count }), members({ timer: count })));
const refusal = members({ code: text, message: text, retryable: flag, ambiguous: flag });
const outcome = either(
  members({ status: oneOf("succeeded"), result: json }),
  members({ status: oneOf("failed"), failure: refusal }),
  members({ status: oneOf("unknown"), failure: refusal, told: flag }),
);
const verdict = either(
  members({ status: oneOf("succeeded"), result: json }),
  members({ status: oneOf("failed"), message: text }),
  members({ status: oneOf("retry") }),
);

const parent = members({ ...calling, run: text, lineage: list(text), isAwaited: flag });
const ending = oneOf("succeeded", "failed");
const maybe = either(nothing, text);
const whether = either(nothing, failure);

/** By type, what an event must carry. Further members are not looked at. */
const shapes: { readonly [K in RunEventType]: Check } = {
  run_admitted: members({
    ...{ workflow: text, version: text, payload: json, seed: text, labels: list(text) },
    ...{ trigger: members({ kind: text, id: text }), onAmbiguous: optional(oneOf("fail")), trace: optional(text) },
    ...{ signal: optional(members({ id: text, name: text, lineage: list(text) })) },
    ...{ parent: optional(parent), resumed: optional(members({ run: text, from: text })), origin: optional(text), rerunOf: optional(text) },
  }),
  run_started: members({ deadlineAt: either(nothing, time) }),
  cancel_requested: members({ request: text }),
  deadline_reached: members({ deadlineAt: time }),
  stop_decided: either(
    members({ reason: oneOf("cancelled"), failure: nothing }),
    members({ reason: oneOf("run_failed", "timed_out"), failure }),
  ),
  outcome_decided: either(
    members({ status: oneOf("succeeded"), result: json }),
    members({ status: oneOf("failed"), failure }),
    members({ status: oneOf("cancelled") }),
  ),
  run_succeeded: members({ result: json }),
  run_failed: members({ failure }),
  run_cancelled: members({}),
  step_started: members(attempted),
  attempt_parked: members(attempted),
  attempt_resumed: members({
    ...attempted,
    ...{ reason: oneOf("no_effect_possible", "journal"), lost: either(nothing, oneOf("engine", "host", "worker")), resume: whole },
  }),
  attempt_diverged: members({ ...attempted, detail: text }),
  operation_started: members({
    ...{ ...calling, key: text, try: count, by: oneOf("script", "recovery", "person"), seen },
    ...{ called: either(nothing, called), reused: either(nothing, whole), host: optional(text), windowFrom: optional(time) },
  }),
  operation_refused: members({
    ...{ ...calling, capability: text, operation: text, name: either(nothing, text), inputDigest: text, seen, failure: refusal },
  }),
  operation_doubted: members({
    ...{ ...calling, try: count, detail: text, askAt: time, runsUntil: optional(time) },
    reason: oneOf("lost", "ambiguous", "pending", "not_found", "cannot_tell", "unsent"),
  }),
  operation_settled: members({ ...calling, try: count, outcome, evidence: text }),
  outcome_resolved: members({ ...attempted, call: either(nothing, count), verdict, by: text, request: text }),
  step_succeeded: members({ ...attempted, output: json, cpuMs: time }),
  step_failed: members({ ...attempted, failure, cpuMs: time }),
  step_cancelled: members({ ...attempted, reason: oneOf("fail_fast", "run_failed", "cancelled", "timed_out") }),
  step_retry_scheduled: members({ ...attempted, dueAt: time }),
  main_failed: members({ failure }),
  limit_warned: members({ limit: oneOf("events", "outputs"), used: time, most: time }),
  output_inherited: members({ node: text, output: json, isStep: optional(flag) }),
  effect_inherited: members({
    ...{ node: text, nth: count, key: text, run: text, performed: text, called, beside: list(text) },
    outcome: either(
      members({ status: oneOf("succeeded"), result: json }),
      members({ status: oneOf("unknown"), failure: refusal, told: flag }),
    ),
  }),
  key_inherited: members({ node: text, key: text, windowFrom: time }),
  parallel_opened: members({ node: text, onError: optional(oneOf("wait-all")) }),
  parallel_failing: members({ node: text, failed: text, stopped: list(text) }),
  parallel_settled: members({ node: text, status: ending, failed: list(text), cancelled: list(text) }),
  choice_selected: members({ node: text, arm: text }),
  choice_settled: members({ node: text }),
  fork_opened: members({ node: text, branches: list(text), joined: list(text) }),
  branch_settled: members({ node: text, branch: text, status: ending, failure: whether }),
  join_settled: members({ node: text, status: ending, blocking: maybe }),
  loop_opened: members({ node: text, total: whole, concurrency: count, collects: flag, nodes: list(text) }),
  iteration_started: members({ node: text, index: whole }),
  iteration_settled: members({ node: text, index: whole, status: ending, failure: whether }),
  iterations_skipped: members({ node: text, from: whole, count }),
  loop_settled: members({ node: text, status: ending, failed: whole }),
  approval_requested: members({ node: text, deadlineAt: span, onTimeout: oneOf("fail", "reject") }),
  approval_resolved: members({ node: text, decision: oneOf("approved", "rejected"), source: oneOf("human", "timeout"), by: maybe }),
  approval_failed: members({ node: text, reason: oneOf("timeout", "undelivered") }),
  hook_requested: members({ hook: text, actions: list(text) }),
  action_started: members(attempted),
  action_settled: members({
    ...{ ...attempted, status: oneOf("succeeded", "failed", "cancelled"), failure: whether, cpuMs: time, dueAt: span },
  }),
  hook_settled: members({ hook: text, failed: whole }),
};

/** Whether the type is known and the event carries what its type says: what is read from a store was typed by whoever wrote it. */
export function isShaped({ type, data }: { readonly type: RunEventType; readonly data: unknown }): boolean {
  return Object.hasOwn(shapes, type) && shapes[type](data);
}
