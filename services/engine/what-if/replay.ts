/**
 * A recorded run under a definition, in virtual time: what its scripts came to then they come to again, and everything else is decided anew. No
 * script is run and nothing is called. What was not recorded is not known, and what comes behind it neither.
 */
import { type Definition, type Graph, graph, type Node } from "@woml/model";
import { foldAll, genesis, type RunEvent, type RunState, stamp, timers } from "@woml/run";
import { type Command, decide } from "../decide.ts";
import { due } from "../due.ts";
import type { Recording, Told } from "./record.ts";
import { timerKey, timerSetBy } from "./timers.ts";

type Unclocked<C> = C extends unknown ? Omit<C, "now"> : never;
interface Coming {
  readonly at: number;
  /** Its place in the record; infinite for what is not in it. */
  readonly seq: number;
  /** null: from then on it is not known what comes of `site`. */
  readonly command: Unclocked<Command> | null;
  readonly site?: string;
  /** It happens to the run, and not within its flow: where something is not known, neither is what that would have met. */
  readonly isOutside?: boolean;
}
/** A timer may come after its time (timers.ts). */
interface Alarm extends Coming {
  readonly dueAt: number;
  readonly isOutside: boolean;
}
export interface Replayed {
  readonly graph: Graph;
  readonly log: readonly RunEvent[];
  /** Sites of what would run or wait, and of which nothing is recorded. */
  readonly unknown: readonly string[];
}

export function replay(definition: Definition, recording: Recording): Replayed {
  const run = new Replay(graph(unobserved(definition)), recording);
  run.play();
  return run;
}

class Replay implements Replayed {
  readonly graph: Graph;
  readonly log: RunEvent[] = [];
  readonly #recording: Recording;
  readonly #begun = new Set<string>();
  readonly #unknown = new Set<string>();
  /** When each timer was set. */
  readonly #setAt = new Map<string, number>();
  #coming: Coming[] = [];
  #state: RunState = genesis;
  #now: number;

  constructor(flow: Graph, recording: Recording) {
    this.graph = flow;
    this.#recording = recording;
    this.#now = recording.startedAt;
  }
  get unknown(): readonly string[] {
    return [...this.#unknown].sort();
  }

  play(): void {
    const { cancelled, startedAt } = this.#recording;
    this.#say(admissionOf(this.#recording));
    if (cancelled !== null)
      this.#coming.push({
        ...{ at: startedAt + cancelled.ms, seq: cancelled.seq },
        ...{ command: { kind: "cancel_run", request: "" }, isOutside: true },
      });
    while (this.#state.ended === null) {
      this.#begin();
      const alarms = this.#alarms();
      const next = this.#next(alarms);
      if (next === null) return;
      this.#now = Math.max(this.#now, next.at);
      if (next.command !== null) this.#say(next.command, this.#judgedAt(next, alarms));
      else if (this.#isOpen(next.site ?? "")) this.#unknown.add(next.site ?? "");
    }
  }

  #say(command: Unclocked<Command>, now = this.#now): void {
    const events = stamp(decide(this.graph, this.#state, { ...command, now }), this.#state.head, this.#now);
    for (const event of events) {
      const set = timerSetBy(event);
      if (set !== null) this.#setAt.set(set.key, event.at);
    }
    this.log.push(...events);
    this.#state = foldAll(events, this.#state);
  }

  /** What is in flight now, and was not before, comes to its recorded end in its recorded time. */
  #begin(): void {
    for (const { node, attempt } of due(this.#state, this.#now).run) {
      if (!this.#isNew(`${node}:${attempt}`)) continue;
      const recorded = this.#recording.attempt(node, attempt);
      if (recorded === undefined) this.#unknown.add(node);
      else if (recorded.status === "cut") this.#after(recorded, null, node);
      else this.#after(recorded, { kind: "report_attempt", node, attempt, outcome: outcomeOf(recorded) }, node);
    }
    for (const node of this.#state.waiting) {
      if (!this.#isNew(node)) continue;
      const recorded = this.#recording.decision(node) ?? { decision: null, ms: 0, askedMs: 0, seq: Number.POSITIVE_INFINITY };
      const { decision, askedMs } = recorded;
      const command = decision && ({ kind: "resolve_approval", node, decision, by: "recorded", askedAt: this.#now + askedMs } as const);
      if (command !== null || this.#state.approvals.get(node)?.deadlineAt == null) this.#after(recorded, command, node);
    }
  }

  #isOpen(site: string): boolean {
    return this.#state.waiting.includes(site) || this.#state.open.includes(site);
  }

  #isNew(what: string): boolean {
    if (this.#begun.has(what)) return false;
    this.#begun.add(what);
    return true;
  }

  #after({ ms, seq }: { readonly ms: number; readonly seq: number }, command: Unclocked<Command> | null, site: string): void {
    this.#coming.push({ at: this.#now + ms, seq, command, site });
  }

  /** The timers of the run. One that is as long as in the record, or longer, comes no sooner than it came there; any other comes on time. */
  #alarms(): readonly Alarm[] {
    return timers(this.#state).flatMap(({ kind, subject, dueAt }): Alarm[] => {
      if (kind === "ask" || kind === "call") return [];
      const key = timerKey(kind, subject, kind === "retry" ? this.#state.steps.get(subject)?.attempt : 0);
      const setAt = this.#setAt.get(key) ?? dueAt;
      const came = this.#recording.timer(key);
      const isKept = came !== undefined && dueAt - setAt >= came.dueMs;
      const [at, seq] = isKept ? [Math.max(dueAt, setAt + came.cameMs), came.seq] : [dueAt, Number.POSITIVE_INFINITY];
      return [{ at, seq, dueAt, command: { kind: "fire_timers" }, isOutside: kind === "deadline" }];
    });
  }

  /** The earliest of what comes. The end of the run's time is not waited for where something else is not known, nor any timer past it. */
  #next(alarms: readonly Alarm[]): Coming | null {
    const end = alarms.find(({ isOutside }) => isOutside);
    const within = alarms.filter((alarm) => end === undefined || alarm === end || isBefore(alarm, end));
    const known = [...this.#coming, ...within].filter(({ isOutside }) => !isOutside || this.#unknown.size === 0);
    if (known.length === 0) return null;
    const next = known.reduce((first, other) => (isBefore(other, first) ? other : first));
    this.#coming = this.#coming.filter((one) => one !== next);
    return next;
  }

  /** What comes is judged before the time of each timer that comes after it: an append may be written later than it was judged. */
  #judgedAt(next: Coming, alarms: readonly Alarm[]): number {
    const alarm = alarms.find((one) => one === next);
    const later = alarms.filter((other) => (alarm !== undefined || other.isOutside) && isBefore(next, other));
    return Math.max(alarm?.dueAt ?? 0, Math.min(this.#now, ...later.map(({ dueAt }) => dueAt - 1)));
  }
}

/** At one time what is known comes first: it may be what ends the rest; and of that, what came first. */
function isBefore(left: Coming, right: Coming): boolean {
  if (left.at !== right.at) return left.at < right.at;
  const isKnown = left.command !== null;
  return isKnown === (right.command !== null) ? left.seq < right.seq : isKnown;
}

function admissionOf({ admitted, inherited }: Recording): Unclocked<Command> {
  const { workflow, version, trigger, payload, labels, resumed } = admitted;
  const from = resumed === undefined ? {} : { resumed: { ...resumed, outputs: inherited, operations: [], keys: [] } };
  return { kind: "admit_run", workflow, version, trigger, payload, labels, seed: "", ...from };
}

/** As a policy reads it: whether it is tried again is what was recorded of the failure. */
function outcomeOf(told: Told): Extract<Command, { kind: "report_attempt" }>["outcome"] {
  if (told.status === "succeeded") return { status: "succeeded", output: told.output, cpuMs: 0 };
  const { failure, mayRetry } = told;
  const kind = mayRetry ? "script_threw" : failure.kind === "script_threw" ? "service_failed" : failure.kind;
  return { status: "failed", failure: { ...failure, kind }, cpuMs: 0 };
}

/** Without what observes: it changes nothing of the flow, and notices of approvals are not sent. */
function unobserved({ lifecycle: _, nodes, ...rest }: Definition): Definition {
  return { ...rest, nodes: nodes.map(alone) };
}

function alone(node: Node): Node {
  if (node.kind === "step" && node.reusable) return { ...node, reusable: { props: node.reusable.props } };
  if (node.kind === "for-each")
    return { ...node, body: { ...node.body, nodes: node.body.nodes.map((inner) => alone(inner) as typeof inner) } };
  if (node.kind !== "approval") return node;
  const { notices: __, ...approval } = node;
  return approval;
}
