import {
  type Definition,
  type Edge,
  type ForEachNode,
  type Graph,
  graph,
  type Json,
  type Node,
  type Policy,
  type Reference,
  type Retry,
} from "@woml/model";
import {
  type Called,
  type EffectTerms,
  type Failure,
  foldAll,
  genesis,
  type NewEvent,
  type OperationFailure,
  operationId,
  type RunEvent,
  type RunState,
  stamp,
  type Verdict,
} from "@woml/run";
import { type CallOperation, type Command, decide, type Said } from "../decide.ts";
import { due } from "../due.ts";

type Unclocked<C> = C extends unknown ? Omit<C, "now"> : never;
export type Ask = Unclocked<Command>;

const admission = {
  workflow: "w",
  version: `sha256:${"0".repeat(64)}`,
  trigger: { kind: "manual", id: "go" },
  payload: {},
  labels: [],
  seed: "seed",
};
export const threw: Failure = { code: "WOML_SCRIPT_THROWN", kind: "script_threw", message: "no" };

/** A run as the engine's loop would drive it, without the loop: each answer is appended at the time it was asked. */
export class Play {
  readonly graph: Graph;
  readonly log: RunEvent[] = [];
  state: RunState = genesis;
  now = 1_000;

  constructor(definition: Definition) {
    this.graph = graph(definition);
  }
  wait(ms: number): this {
    this.now += ms;
    return this;
  }
  /** What decide answers, before any append. */
  ask(ask: Ask): readonly NewEvent[] {
    return decide(this.graph, this.state, { ...ask, now: this.now });
  }
  /** Decided, appended and folded; the answer as short lines. */
  do(ask: Ask): readonly string[] {
    const events = this.ask(ask);
    const stamped = stamp(events, this.state.head, this.now);
    this.log.push(...stamped);
    this.state = foldAll(stamped, this.state);
    return events.map(line);
  }
  admit(payload: Json = {}, onAmbiguous?: "fail"): readonly string[] {
    return this.do({ kind: "admit_run", ...admission, payload, ...(onAmbiguous ? { onAmbiguous } : {}) });
  }
  refuse(failure: Failure): readonly string[] {
    return this.do({ kind: "refuse_run", ...admission, failure });
  }
  ok(node: string, output: Json = 1): readonly string[] {
    return this.do({ kind: "report_attempt", node, attempt: this.attempt(node), outcome: { status: "succeeded", output, cpuMs: 1 } });
  }
  bad(node: string, failure: Failure = threw): readonly string[] {
    return this.do({ kind: "report_attempt", node, attempt: this.attempt(node), outcome: { status: "failed", failure, cpuMs: 1 } });
  }
  /** The script passed on the failure of that call. */
  threw(node: string, call: number): readonly string[] {
    const outcome = { status: "failed", failure: threw, cpuMs: 1, call } as const;
    return this.do({ kind: "report_attempt", node, attempt: this.attempt(node), outcome });
  }
  lose(node: string, lost: "engine" | "host" | "worker"): readonly string[] {
    return this.do({ kind: "resume_attempt", node, attempt: this.attempt(node), lost });
  }
  fire(): readonly string[] {
    return this.do({ kind: "fire_timers" });
  }
  cancel(): readonly string[] {
    return this.do({ kind: "cancel_run", request: "r" });
  }
  /** The next call of the node's attempt, or the one said; `name` null. */
  call(node: string, called: Called, some: Partial<CallOperation> = {}): readonly string[] {
    const call = some.call ?? this.calls(node) + 1;
    const key = some.key ?? `${node} ${called.name ?? `${called.inputDigest} 1`}`;
    return this.do({ kind: "call_operation", node, attempt: this.attempt(node), call, key, seen: [], asked: { called }, ...some });
  }
  said(node: string, call: number, said: Said, tried?: number): readonly string[] {
    const attempt = this.attempt(node);
    const last = this.state.operations.get(operationId(node, attempt, call))?.try ?? 1;
    return this.do({ kind: "report_operation", node, attempt, call, try: tried ?? last, said });
  }
  gave(node: string, call: number, result: Json = "r"): readonly string[] {
    return this.said(node, call, { status: "succeeded", result, evidence: "told" });
  }
  park(node: string): readonly string[] {
    return this.do({ kind: "park_attempt", node, attempt: this.attempt(node) });
  }
  diverge(node: string): readonly string[] {
    return this.do({ kind: "diverge_attempt", node, attempt: this.attempt(node), detail: "another call" });
  }
  resolve(node: string, call: number | null, verdict: Verdict, expectedHead = this.state.head): readonly string[] {
    return this.do({ kind: "resolve_outcome", node, attempt: this.attempt(node), call, expectedHead, verdict, by: "key_1", request: "q" });
  }
  decide(node: string, decision: "approved" | "rejected", askedAt = this.now): readonly string[] {
    return this.do({ kind: "resolve_approval", node, decision, by: "key_1", askedAt });
  }
  /** What of the run is in flight, as `node#attempt`. */
  get flying(): readonly string[] {
    return due(this.state, this.now).run.map(({ node, attempt }) => `${node}#${attempt}`);
  }
  /** When to look again though nothing has answered; null: never. */
  get nextAt(): number | null {
    return due(this.state, this.now).nextAt;
  }
  get failure(): Failure | null {
    return this.state.outcome?.status === "failed" ? this.state.outcome.failure : null;
  }
  private attempt(node: string): number {
    return this.state.steps.get(node)?.attempt ?? 1;
  }
  private calls(node: string): number {
    return this.state.steps.get(node)?.calls.at(-1) ?? 0;
  }
}

/** `step_started a#1`, `operation_started a#1.2 try 1 script`, `choice_selected c yes`, `run_succeeded 7`: an event in a few words. */
export function line(event: NewEvent): string {
  const { type } = event;
  const members: Record<string, Json | undefined> = JSON.parse(JSON.stringify(event.data));
  const { node, attempt, arm, branch, index, decision, source, reason, output, result, lost, resume, call } = members;
  const subject = node === undefined ? "" : attempt === undefined ? ` ${node}` : ` ${node}#${attempt}`;
  const value = type === "choice_settled" ? JSON.stringify(output) : JSON.stringify(result);
  const lists = listsOf(members);
  const count = lost === null ? undefined : resume;
  const details = [
    ...[arm, branch, index, decision, source],
    lost ?? undefined,
    count,
    type === "attempt_resumed" ? undefined : reason,
    members["status"],
    lists,
    codeOf(members),
    value,
  ];
  const which = call === undefined || call === null ? "" : `.${call}`;
  return [`${type}${subject}${which}`, ...details, ...ofOperation(event)].filter((detail) => detail !== undefined).join(" ");
}
function listsOf({ failed, cancelled, stopped, blocking, from, count }: Record<string, Json | undefined>): string | undefined {
  if (count !== undefined) return `from=${from} count=${count}`;
  if (typeof blocking === "string") return `blocking=${blocking}`;
  if (Array.isArray(stopped)) return `stopped=${stopped}`;
  return Array.isArray(failed) && failed.length > 0 ? `failed=${failed} cancelled=${cancelled}` : undefined;
}
function ofOperation(event: NewEvent): readonly (string | undefined)[] {
  if (event.type === "operation_started") return [`try ${event.data.try} ${event.data.by}`];
  if (event.type === "outcome_resolved") return [event.data.verdict.status];
  if (event.type !== "operation_settled") return [];
  const { outcome } = event.data;
  const told = outcome.status === "unknown" && outcome.told ? "told" : undefined;
  return [outcome.status, outcome.status === "succeeded" ? undefined : outcome.failure.code, told];
}
function codeOf({ failure }: Record<string, Json | undefined>): Json | undefined {
  return typeof failure === "object" && failure !== null && "code" in failure ? failure["code"] : undefined;
}

/** What a script calls, of a class; `windowMs` 1,000, so that 900 ms are the last moment to use a key. */
export function called(
  kind: EffectTerms["class"],
  some: Partial<Omit<Called, "effect">> & { readonly effect?: Partial<EffectTerms> } = {},
): Called {
  const terms: EffectTerms = {
    ...{ class: kind, windowMs: kind === "keyed" ? 1_000 : null, conclusiveNotFoundAfterMs: null, pendingMaxMs: null },
    ...some.effect,
  };
  return {
    ...{ capability: "acme.payments", operation: "charge", release: `sha256:${"1".repeat(64)}`, name: null, inputDigest: "i" },
    ...{ input: null, timeoutMs: 1_000, ...some, effect: terms },
  };
}
export const declined: OperationFailure = { code: "CARD_DECLINED", message: "no", retryable: false, ambiguous: false };

export interface Parts {
  readonly nodes: readonly Node[];
  readonly edges: readonly string[];
  readonly result: string;
  readonly policy?: Policy;
}
/** Edges are spelled `a>b`, or `c:select>b@arm`. */
export function define({ nodes, edges, result, policy }: Parts): Definition {
  const workflow = { id: "w" };
  const triggers = [{ id: "go", kind: "manual" as const }];
  return { schemaVersion: 1, workflow, triggers, nodes: [...nodes], edges: edges.map(edge), result, ...(policy ? { policy } : {}) };
}
function edge(text: string): Edge {
  const [from = "", rest = ""] = text.split(">");
  const [to = "", arm] = rest.split("@");
  return arm === undefined ? { from, to } : { from, to, arm };
}
export const step = (id: string, retry?: Retry): Node => ({ kind: "step", id, script: { source: "" }, ...(retry ? { retry } : {}) });
export const fixed = (maxAttempts: number, delayMs: number): Retry => ({ maxAttempts, backoff: { kind: "fixed", delayMs } });
export const group = (id: string): readonly Node[] => [
  { kind: "open", id: `${id}:open`, parallel: id },
  { kind: "parallel", id },
];
/** A group of which all children run to their end, or so many at a time. */
export const bent = (id: string, some: { readonly onError?: "wait-all"; readonly concurrency?: number }): readonly Node[] => [
  { kind: "open", id: `${id}:open`, parallel: id },
  { kind: "parallel", id, ...some },
];
/** Its edges: `${id}:fork>x@branch` for each branch, and `${id}:fork>${id}`. */
export const fork = (id: string, ...joined: readonly string[]): readonly Node[] => [
  { kind: "fork", id: `${id}:fork`, join: id },
  { kind: "join", id, branches: [...joined] },
];
/** Its arms end at `${id}:end`. */
export const approval = (id: string, timeoutMs?: number, onTimeout: "fail" | "reject" = "fail"): readonly Node[] => [
  { kind: "approval", id, choice: `${id}:end`, ...(timeoutMs === undefined ? {} : { timeoutMs, onTimeout }) },
  { kind: "choice", id: `${id}:end` },
];
/** A loop `l` over the payload's `list`. */
export const each = (nodes: readonly Node[], edges: readonly string[], some: Partial<ForEachNode> = {}): ForEachNode => ({
  ...{ kind: "for-each", id: "l", items: ["payload", "list"], ...some },
  body: { nodes: nodes as ForEachNode["body"]["nodes"], edges: edges.map(edge) },
});
export const switchOn = (id: string, value: Reference, ...texts: readonly string[]): readonly Node[] => [
  { kind: "switch", id: `${id}:switch`, choice: id, value, arms: texts.map((text) => ({ arm: text, equals: text })), otherwise: "default" },
  { kind: "choice", id },
];
/** Arms in order as [arm, test, value]; the one with the test null is `otherwise`. */
export function choose(id: string, ...arms: readonly (readonly [string, Reference | null, Reference])[]): readonly Node[] {
  const tests = arms.flatMap(([arm, test]) => (test === null ? [] : [{ arm, test }]));
  const otherwise = arms.find(([, test]) => test === null)?.[0] ?? "";
  return [
    { kind: "select", id: `${id}:select`, choice: id, arms: tests, otherwise },
    { kind: "choice", id, results: arms.map(([arm, , value]) => ({ arm, value })) },
  ];
}
