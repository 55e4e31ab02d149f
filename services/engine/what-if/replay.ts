/**
 * A recorded run under a definition, in virtual time: what its scripts came to then they come to again, and everything else is decided anew. No
 * script is run and nothing is called. What was not recorded is not known, and what comes behind it neither.
 */
import { type Definition, type Graph, graph, type Node } from "@woml/model";
import { foldAll, genesis, type RunEvent, type RunState, stamp } from "@woml/run";
import { type Command, decide } from "../decide.ts";
import { due } from "../due.ts";
import type { Recording, Told } from "./record.ts";

type Unclocked<C> = C extends unknown ? Omit<C, "now"> : never;
interface Coming {
  readonly at: number;
  /** null: from then on it is not known what comes of `site`. */
  readonly command: Unclocked<Command> | null;
  readonly site?: string;
  /** It happens to the run, and not within its flow: where something is not known, neither is what that would have met. */
  readonly isOutside?: boolean;
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
    const { cancelledMs, startedAt } = this.#recording;
    this.#say(admissionOf(this.#recording));
    if (cancelledMs !== null)
      this.#coming.push({ at: startedAt + cancelledMs, command: { kind: "cancel_run", request: "" }, isOutside: true });
    while (this.#state.ended === null) {
      this.#begin();
      const next = this.#next();
      if (next === null) return;
      this.#now = Math.max(this.#now, next.at);
      if (next.command !== null) this.#say(next.command);
      else if (this.#isOpen(next.site ?? "")) this.#unknown.add(next.site ?? "");
    }
  }

  #say(command: Unclocked<Command>): void {
    const events = stamp(decide(this.graph, this.#state, { ...command, now: this.#now }), this.#state.head, this.#now);
    this.log.push(...events);
    this.#state = foldAll(events, this.#state);
  }

  /** What is in flight now, and was not before, comes to its recorded end in its recorded time. */
  #begin(): void {
    for (const { node, attempt } of due(this.#state, this.#now).run) {
      if (!this.#isNew(`${node}:${attempt}`)) continue;
      const recorded = this.#recording.attempt(node, attempt);
      if (recorded === undefined) this.#unknown.add(node);
      else if (recorded.status === "cut") this.#after(recorded.ms, null, node);
      else this.#after(recorded.ms, { kind: "report_attempt", node, attempt, outcome: outcomeOf(recorded) }, node);
    }
    for (const node of this.#state.waiting) {
      if (!this.#isNew(node)) continue;
      const { decision = null, ms = 0 } = this.#recording.decision(node) ?? {};
      const askedAt = this.#now + ms;
      const command = decision && ({ kind: "resolve_approval", node, decision, by: "recorded", askedAt } as const);
      if (command !== null || this.#state.approvals.get(node)?.deadlineAt == null) this.#after(ms, command, node);
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

  #after(ms: number, command: Unclocked<Command> | null, site: string): void {
    this.#coming.push({ at: this.#now + ms, command, site });
  }

  /** The earliest of what comes. The end of the run's time is not waited for where something else is not known. */
  #next(): Coming | null {
    const { nextAt } = due(this.#state, this.#now);
    const isDeadline = nextAt !== null && nextAt === this.#state.deadlineAt;
    const timers: Coming[] = nextAt === null ? [] : [{ at: nextAt, command: { kind: "fire_timers" }, isOutside: isDeadline }];
    const known = [...this.#coming, ...timers].filter(({ isOutside }) => !isOutside || this.#unknown.size === 0);
    if (known.length === 0) return null;
    const next = known.reduce((first, other) => (isBefore(other, first) ? other : first));
    this.#coming = this.#coming.filter((one) => one !== next);
    return next;
  }
}

/** At one time what is known comes first: it may be what ends the rest. */
function isBefore(left: Coming, right: Coming): boolean {
  return left.at < right.at || (left.at === right.at && left.command !== null && right.command === null);
}

function admissionOf({ admitted, inherited }: Recording): Unclocked<Command> {
  const { workflow, version, trigger, payload, labels, resumed } = admitted;
  const from = resumed === undefined ? {} : { resumed: { ...resumed, outputs: inherited, operations: [] } };
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
