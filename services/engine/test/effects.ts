import type { Definition, Json } from "@woml/model";
import { asRunId, foldAll, inherit, isAction, type OperationState, operationId, remembering } from "@woml/run";
import type { Said } from "../decide.ts";
import { due } from "../due.ts";
import { type Fits, fitting, outputFor } from "./moves.ts";
import { type Ask, called, Play, threw } from "./play.ts";

/** What happens next; `pick` chooses among what can. */
export interface Move {
  readonly what: "call" | "ok" | "threw" | "engine" | "worker" | "park" | "diverge" | "operation" | "wait" | "person" | "cancel";
  readonly pick: number;
}
type Pending = ReturnType<typeof due>["operations"][number];
/** A request that is not answered lands so late, or never; "not found" is proof 10 ms later. */
const LATE_MS = 40;
const WINDOW_MS = 1_000;
/** A host that is out of reach may let a request leave for so long. */
const RUN_MS = 70;
const LATE: Said = { status: "ambiguous", failure: { code: "WOML_PLUGIN_TIMEOUT", message: "", retryable: false, ambiguous: true } };
const HOSTS = ["A", "B"];
/** Of every run of a chain: what it is called changes nothing. */
const RUN = asRunId("00000000-0000-7000-8000-000000000001");
const KINDS = [
  called("pure"),
  called("keyed", { effect: { windowMs: WINDOW_MS } }),
  called("reattachable", { effect: { conclusiveNotFoundAfterMs: LATE_MS + 10, pendingMaxMs: 5_000 } }),
  called("reattachable"),
  called("unsafe"),
];

/**
 * A run whose scripts do anything, and a world that answers, loses answers, refuses, and lets requests land late. What is told of it is
 * true; how often each key took effect is counted here, and nowhere else.
 */
export class Effects {
  readonly run: Play;
  readonly counts = new Map<string, number[]>();
  readonly #fits: Fits;
  /** Which of a chain of runs it is. */
  readonly #nth: number;
  #late: { readonly key: string; readonly at: number; readonly isKeyed: boolean }[] = [];
  /** What the provider of keyed operations remembers under a key, since its first request with it, also one that it refused. */
  readonly #known = new Map<string, { readonly since: number; readonly isDone: boolean }>();

  constructor(definition: Definition, payload: Json, onAmbiguous?: "fail", before?: { readonly effects: Effects; readonly from: string }) {
    this.run = new Play(definition);
    this.#fits = fitting(definition.nodes);
    this.#nth = before === undefined ? 1 : before.effects.#nth + 1;
    if (before === undefined) this.run.admit(payload, onAmbiguous);
    else this.#goOn(before.effects, before.from);
  }
  get twice(): readonly string[] {
    return [...this.counts].filter(([, times]) => times.length > 1).map(([key]) => key);
  }
  /** The same world, and a run in it that resumes the one that has ended; null: it may not be resumed there. */
  resume(from: string): Effects | null {
    const { graph, log } = this.run;
    if ("fault" in inherit(graph, foldAll(log, remembering), { run: RUN, from })) return null;
    return new Effects(graph.definition, null, undefined, { effects: this, from });
  }

  #goOn(effects: Effects, from: string): void {
    const { graph, state, log, now } = effects.run;
    const taken = inherit(graph, foldAll(log, remembering), { run: RUN, from });
    if ("fault" in taken || state.admitted === null) throw new Error(`it may not be resumed at ${from}`);
    const { workflow, version, trigger, payload, labels, seed, onAmbiguous } = state.admitted;
    const told = onAmbiguous === undefined ? {} : { onAmbiguous };
    const resumed = { run: RUN, ...taken, origin: RUN };
    for (const [key, times] of effects.counts) this.counts.set(key, times);
    for (const [key, entry] of effects.#known) this.#known.set(key, entry);
    this.#late = effects.#late;
    this.run.now = now;
    this.run.do({ kind: "admit_run", workflow, version, trigger, payload, labels, seed, ...told, resumed });
  }

  /** Does what was asked, a millisecond later. */
  move(move: Move): void {
    this.#pass(this.run.now + 1);
    const ask = this.#ask(move);
    if (ask !== null) this.run.do(ask);
  }

  #ask({ what, pick }: Move): Ask | null {
    const { run, operations, nextAt } = due(this.run.state, this.run.now);
    const target = run[pick % Math.max(1, run.length)];
    const operation = operations[pick % Math.max(1, operations.length)];
    if (what === "cancel") return { kind: "cancel_run", request: "r" };
    if (what === "person") return this.#person(pick) ?? this.#decision(pick);
    if (what === "operation" && operation !== undefined) return this.#outcome(operation, pick);
    if (what === "wait" || target === undefined || what === "operation") {
      if (nextAt !== null) this.#pass(Math.max(this.run.now, pick % 3 > 0 ? nextAt : this.run.now + (pick % 100)));
      return { kind: "fire_timers" };
    }
    if (what === "call") return this.#call(target, pick);
    if (what === "park") return { kind: "park_attempt", ...target };
    if (what === "diverge") return { kind: "diverge_attempt", ...target, detail: "something else" };
    if (what === "engine" || what === "worker") return { kind: "resume_attempt", ...target, lost: what };
    if (what === "ok")
      return {
        kind: "report_attempt",
        ...target,
        outcome: { status: "succeeded", output: outputFor(this.#fits, target.node, pick), cpuMs: 1 },
      };
    const call = pick % 2 === 0 ? {} : { call: 1 };
    return { kind: "report_attempt", ...target, outcome: { status: "failed", failure: threw, cpuMs: 1, ...call } };
  }

  #decision(pick: number): Ask | null {
    const { waiting } = this.run.state;
    const node = waiting[pick % Math.max(1, waiting.length)];
    const decision = pick % 2 === 0 ? "approved" : "rejected";
    return node === undefined ? null : { kind: "resolve_approval", node, decision, by: "key", askedAt: this.run.now };
  }

  #call(target: { readonly node: string; readonly attempt: number }, pick: number): Ask {
    const { node, attempt } = target;
    const calls = this.run.state.steps.get(node)?.calls.at(-1) ?? 0;
    const kind = KINDS[pick % KINDS.length] ?? called("unsafe");
    const name = pick % 2 === 0 ? null : `n${pick % 3}`;
    const inputDigest = `${kind.effect.class} ${pick % 2}`;
    const equal = Array.from({ length: calls }, (_, i) => this.#operation({ node, attempt, call: i + 1 }));
    const k = equal.filter((one) => one.status !== "refused" && one.name === null && one.inputDigest === inputDigest).length + 1;
    // What observes is of its own run.
    const origin = isAction(node) ? this.#nth : 1;
    const key = name === null ? `${origin} ${node} ${inputDigest} ${k}` : `${origin} ${node} ${name}`;
    const asked = { called: { ...kind, name, inputDigest } };
    return { kind: "call_operation", ...target, call: calls + 1, key, seen: [], asked, host: HOSTS[pick % 2] ?? "" };
  }

  #outcome({ node, attempt, call, try: tried, action }: Pending, pick: number): Ask {
    const operation = this.#operation({ node, attempt, call });
    const said = action === "ask" ? this.#found(operation, pick) : this.#performed(operation, pick);
    return { kind: "report_operation", node, attempt, call, try: tried, said, host: HOSTS[pick % 2] ?? "" };
  }

  /** A dispatch, and what is heard of it. */
  #performed({ key, called: of, isDoubtful, windowFrom }: OperationState, pick: number): Said {
    const isKeyed = of?.effect.class === "keyed";
    const isPure = of?.effect.class === "pure";
    // An engine does not send what its provider may have forgotten when it arrives (perform/operation.ts, O5).
    if (isKeyed && isDoubtful && this.run.now >= windowFrom + WINDOW_MS - LATE_MS) return LATE;
    if (pick % 11 === 0) return { status: "unsent", detail: "" };
    if (pick % 11 === 1 && !isPure) return this.#outOfReach(key, isKeyed, pick);
    const lands = pick % 5;
    if (lands === 1) {
      if (isKeyed) this.#knows(key, this.run.now);
      return { status: "failed", failure: { code: "REFUSED", message: "", retryable: pick % 2 === 0, ambiguous: false }, evidence: "" };
    }
    if (!isPure && lands !== 2 && lands !== 4) this.#land(key, isKeyed, this.run.now);
    if (!isPure && lands === 4) this.#late.push({ key, at: this.run.now + (pick % LATE_MS), isKeyed });
    if (lands === 0) return { status: "succeeded", result: pick, evidence: "" };
    if (pick % 2 === 0) return { status: "lost", detail: "" };
    return LATE;
  }

  /** It leaves at any time until then, or never; or has left. An unsafe one is only said to be lost when that time is over. */
  #outOfReach(key: string, isKeyed: boolean, pick: number): Said {
    const runsUntil = this.run.now + RUN_MS;
    if (pick % 3 > 0) this.#late.push({ key, at: this.run.now + (pick % (RUN_MS + LATE_MS)), isKeyed });
    return { status: "lost", detail: "", runsUntil };
  }

  #found({ key }: OperationState, pick: number): Said {
    if (pick % 7 === 0) return { status: "cannot_tell", detail: "" };
    if (pick % 5 === 0) return { status: "pending", askAgainMs: pick };
    return this.#isDone(key) ? { status: "succeeded", result: pick, evidence: "" } : { status: "not_found" };
  }

  /** Waits until nothing can land any more, looks, and says the truth. */
  #person(pick: number): Ask | null {
    for (const node of this.run.state.open) {
      const { attempt, unknown, diverged, pending } = this.run.state.steps.get(node) ?? {
        attempt: 1,
        unknown: [],
        diverged: null,
        pending: [],
      };
      const by = { node, attempt, by: "key", request: "q" };
      const [call] = unknown;
      if (call === undefined && (diverged === null || pending.length > 0)) continue;
      const runsUntil = call === undefined ? 0 : (this.#operation({ node, attempt, call }).runsUntil ?? 0);
      this.#pass(Math.max(this.run.now, runsUntil) + LATE_MS);
      const head = { expectedHead: this.run.state.head };
      const again = pick % 3 === 0 ? ({ status: "failed", message: "" } as const) : ({ status: "retry" } as const);
      const yes = { status: "succeeded", result: true } as const;
      const isDone = call === undefined ? pick % 2 === 0 : this.#isDone(this.#operation({ node, attempt, call }).key);
      return { kind: "resolve_outcome", ...by, ...head, call: call ?? null, verdict: isDone ? yes : again };
    }
    return null;
  }

  #isDone(key: string): boolean {
    return (this.counts.get(key) ?? []).length > 0;
  }
  #pass(now: number): void {
    this.run.now = now;
    const landed = this.#late.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
    for (const { key, isKeyed, at } of landed) this.#land(key, isKeyed, at);
    this.#late = this.#late.filter(({ at }) => at > now);
  }
  #land(key: string, isKeyed: boolean, now: number): void {
    if (isKeyed) {
      const { since, isDone } = this.#knows(key, now);
      if (isDone) return;
      this.#known.set(key, { since, isDone: true });
    }
    this.counts.set(key, [...(this.counts.get(key) ?? []), now]);
  }
  /** It comes to know a key for so long, however often it is sent; what it refused it tries anew. */
  #knows(key: string, now: number): { readonly since: number; readonly isDone: boolean } {
    const before = this.#known.get(key);
    if (before !== undefined && now < before.since + WINDOW_MS) return before;
    const anew = { since: now, isDone: false };
    this.#known.set(key, anew);
    return anew;
  }
  #operation({ node, attempt, call }: Pick<OperationState, "node" | "attempt" | "call">): OperationState {
    const operation = this.run.state.operations.get(operationId(node, attempt, call));
    if (operation === undefined) throw new Error("no such operation");
    return operation;
  }
}
