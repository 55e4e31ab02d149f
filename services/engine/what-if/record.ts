/** What of a recorded run is replayed: what its scripts came to, what people decided, and when. */
import type { Json } from "@woml/model";
import { type Failure, operationId, type RunEvent, type RunEvents } from "@woml/run";
import { type Came, timersIn } from "./timers.ts";

export type Told =
  | { readonly status: "succeeded"; readonly output: Json }
  /** `mayRetry`: by its policy another attempt would follow. */
  | { readonly status: "failed"; readonly failure: Failure; readonly mayRetry: boolean };
/** `seq` is that of its event: of what came at one time it says what came first. */
interface Recorded {
  readonly ms: number;
  readonly seq: number;
}
/** `ms`: how long it took; `cut`: it went on for so long, and then something else ended it. */
type Attempted = (Told | { readonly status: "cut" }) & Recorded;
/** null: nobody had decided after `ms`, when the run ended. It may be written after the time of the approval, when it had been asked for within. */
interface Decided extends Recorded {
  readonly decision: "approved" | "rejected" | null;
  readonly askedMs: number;
}
export interface Recording {
  readonly admitted: RunEvents["run_admitted"];
  readonly startedAt: number;
  /** Outputs that it took over from the run that it resumed. */
  readonly inherited: readonly RunEvents["output_inherited"][];
  /** From its start, when somebody asked for its cancel. */
  readonly cancelled: Recorded | null;
  attempt(site: string, attempt: number): Attempted | undefined;
  decision(approval: string): Decided | undefined;
  /** By `timerKey`. */
  timer(key: string): Came | undefined;
}

/** Needs no legal log, and no seed. null: it does not begin with an admission. */
export function recordingOf(log: readonly RunEvent[]): Recording | null {
  const [first] = log;
  if (first?.type !== "run_admitted") return null;
  const attempts = attemptsIn(log);
  const decisions = decisionsIn(log);
  const timers = timersIn(log);
  const cancel = log.find(({ type }) => type === "cancel_requested");
  return {
    ...{ admitted: first.data, startedAt: first.at },
    cancelled: cancel === undefined ? null : { ms: cancel.at - first.at, seq: cancel.seq },
    inherited: log.flatMap(({ type, data }) => (type === "output_inherited" ? [data] : [])),
    attempt: (site, attempt) => attempts.get(attemptAt({ node: site, attempt })),
    decision: (approval) => decisions.get(approval),
    timer: (key) => timers.get(key),
  };
}

function attemptsIn(log: readonly RunEvent[]): ReadonlyMap<string, Attempted> {
  const repeatable = repeatableIn(log);
  const began = new Map<string, number>();
  const attempts = new Map<string, Attempted>();
  for (const { type, data, at, seq } of log) {
    if (type === "step_started") began.set(attemptAt(data), at);
    if (type !== "step_succeeded" && type !== "step_failed" && type !== "step_cancelled") continue;
    const recorded = { ms: at - (began.get(attemptAt(data)) ?? at), seq };
    if (type === "step_succeeded") attempts.set(attemptAt(data), { status: "succeeded", output: data.output, ...recorded });
    else if (type === "step_failed") attempts.set(attemptAt(data), { ...failed(data, repeatable), ...recorded });
    else attempts.set(attemptAt(data), { status: "cut", ...recorded });
  }
  return attempts;
}

function decisionsIn(log: readonly RunEvent[]): ReadonlyMap<string, Decided> {
  const asked = new Map<string, { readonly since: number; readonly until: number }>();
  const decisions = new Map<string, Decided>();
  for (const { type, data, at, seq } of log) {
    if (type === "approval_requested") asked.set(data.node, { since: at, until: data.deadlineAt ?? Number.POSITIVE_INFINITY });
    if (type === "approval_resolved" && data.source === "human") {
      const { since, until } = asked.get(data.node) ?? { since: at, until: Number.POSITIVE_INFINITY };
      decisions.set(data.node, { decision: data.decision, ms: at - since, askedMs: Math.min(at, until - 1) - since, seq });
    }
    if (type === "approval_resolved" || type === "approval_failed") asked.delete(data.node);
    if (type === "outcome_decided")
      for (const [node, { since }] of asked) decisions.set(node, { decision: null, ms: at - since, askedMs: at - since, seq });
  }
  return decisions;
}

const attemptAt = ({ node, attempt }: { readonly node: string; readonly attempt: number }): string => `${node}:${attempt}`;

function failed(data: RunEvents["step_failed"], repeatable: Repeatable): Told {
  const { node, attempt, failure } = data;
  const isPassedOn = failure.kind === "service_failed" && repeatable.codes.has(`${attemptAt(data)} ${failure.code}`);
  const mayRetry = (failure.kind === "script_threw" || isPassedOn) && !repeatable.unknown.has(attemptAt({ node, attempt }));
  return { status: "failed", failure, mayRetry };
}

/** Of operations: attempts and codes of failures that a retry may cure, and attempts of which nobody knows what they did. */
interface Repeatable {
  readonly codes: ReadonlySet<string>;
  readonly unknown: ReadonlySet<string>;
}

function repeatableIn(log: readonly RunEvent[]): Repeatable {
  const last = new Map<string, RunEvents["operation_settled"]>();
  for (const { type, data } of log) if (type === "operation_settled") last.set(operationId(data.node, data.attempt, data.call), data);
  const codes = new Set<string>();
  const unknown = new Set<string>();
  for (const data of last.values()) {
    const { outcome } = data;
    if (outcome.status === "unknown") unknown.add(attemptAt(data));
    if (outcome.status === "failed" && outcome.failure.retryable && !outcome.failure.ambiguous)
      codes.add(`${attemptAt(data)} ${outcome.failure.code}`);
  }
  return { codes, unknown };
}
