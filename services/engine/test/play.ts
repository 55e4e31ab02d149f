import { type Definition, type Edge, type Graph, graph, type Json, type Node, type Policy, type Reference, type Retry } from "@woml/model";
import { type Failure, foldAll, genesis, type NewEvent, type RunEvent, type RunState, stamp } from "@woml/run";
import { type Command, decide } from "../decide.ts";

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
  admit(payload: Json = {}): readonly string[] {
    return this.do({ kind: "admit_run", ...admission, payload });
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
  lose(node: string, lost: "engine" | "host" | "worker"): readonly string[] {
    return this.do({ kind: "resume_attempt", node, attempt: this.attempt(node), lost });
  }
  fire(): readonly string[] {
    return this.do({ kind: "fire_timers" });
  }
  cancel(): readonly string[] {
    return this.do({ kind: "cancel_run", request: "r" });
  }
  get failure(): Failure | null {
    return this.state.outcome?.status === "failed" ? this.state.outcome.failure : null;
  }
  private attempt(node: string): number {
    return this.state.steps.get(node)?.attempt ?? 1;
  }
}

/** `step_started a#1`, `choice_selected c yes`, `run_succeeded 7`: an event in a few words. */
export function line({ type, data }: NewEvent): string {
  const { node, attempt, arm, reason, output, result, failure, status, failed, cancelled, lost, resume }: Record<string, Json | undefined> =
    JSON.parse(JSON.stringify(data));
  const subject = node === undefined ? "" : attempt === undefined ? ` ${node}` : ` ${node}#${attempt}`;
  const code = typeof failure === "object" && failure !== null && "code" in failure ? failure["code"] : undefined;
  const value = type === "choice_settled" ? JSON.stringify(output) : JSON.stringify(result);
  const lists = Array.isArray(failed) && failed.length > 0 ? `failed=${failed} cancelled=${cancelled}` : undefined;
  const details = [arm, lost, resume, type === "attempt_resumed" ? undefined : reason, status, lists, code, value];
  return [`${type}${subject}`, ...details.filter((detail) => detail !== undefined)].join(" ");
}

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
/** Arms in order as [arm, test, value]; the one with the test null is `otherwise`. */
export function choose(id: string, ...arms: readonly (readonly [string, Reference | null, Reference])[]): readonly Node[] {
  const tests = arms.flatMap(([arm, test]) => (test === null ? [] : [{ arm, test }]));
  const otherwise = arms.find(([, test]) => test === null)?.[0] ?? "";
  return [
    { kind: "select", id: `${id}:select`, choice: id, arms: tests, otherwise },
    { kind: "choice", id, results: arms.map(([arm, , value]) => ({ arm, value })) },
  ];
}
