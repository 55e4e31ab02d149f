import { graph } from "@woml/model";
import { type Called, fold, type NewEvent, type OperationState, type RunEventType, type RunState } from "@woml/run";
import { type Command, decide, type Said } from "../../decide.ts";
import { define, fixed, step } from "../play.ts";

export interface Scenario {
  readonly operations: readonly Called[];
  /** The first attempt throws at its end. */
  readonly throwsFirst?: boolean;
  readonly budget: Partial<Budget>;
  /** Whether the plugin host refuses late and lower epochs. */
  readonly fence?: boolean;
  /** Whether a request may land after its provider's manifest says that it can no more. */
  readonly liesAboutTime?: boolean;
  readonly looksAtNoKey?: boolean;
  /** Two plugin hosts instead of one. */
  readonly isSpread?: boolean;
  /** Whether an engine says of what its host may still perform that it is lost for good, or was never sent. */
  readonly forgetsReach?: boolean;
  readonly deniesSending?: boolean;
}
export interface Budget {
  crash: number;
  pause: number;
  early: number;
  timeout: number;
  drop: number;
  forget: number;
  /** Connections refused. */
  refuse: number;
  expire: number;
  /** Half a key's window passes; and requests that a provider refuses, which remembers their key from then on. */
  half: number;
  deny: number;
  cancel: number;
  /** Lines between an engine and one of two hosts that break; dispatches handed to such a line; and those that a host takes its time with. */
  cut: number;
  sink: number;
  hold: number;
}
export const WINDOW_MS = 1_000;
export type Known = "running" | "succeeded" | "refused" | "ambiguous";
export type Id = 0 | 1;

/** A log as the node of a tree of logs: each is folded once, and equal ones are the same. */
export class Log {
  readonly #next = new Map<string, Log>();
  readonly state: RunState;
  readonly type: RunEventType | null;
  readonly before: Log | null;
  readonly #id: number;
  static #count = 0;

  constructor(state: RunState, type: RunEventType | null = null, before: Log | null = null) {
    this.state = state;
    this.type = type;
    this.before = before;
    this.#id = Log.#count++;
  }
  with(event: NewEvent, now: number): Log {
    const at = Math.max(now, this.state.at);
    const key = JSON.stringify([event, at]);
    const next = this.#next.get(key) ?? new Log(fold(this.state, { ...event, seq: this.state.head + 1, at }), event.type, this);
    this.#next.set(key, next);
    return next;
  }
  toJSON(): number {
    return this.#id;
  }
}

export interface Engine {
  readonly isPaused: boolean;
  /** −1: drives nothing. */
  readonly epoch: number;
  readonly log: Log | null;
  readonly mustResume: boolean;
  /** How many calls its script has made. */
  readonly script: { readonly attempt: number; readonly calls: number } | null;
  /** `attempt:call:try` of starts it wrote and has not dispatched, and of dispatches it waits for. */
  readonly fresh: readonly string[];
  readonly flying: readonly string[];
}
interface Flight {
  readonly id: string;
  readonly key: string;
  readonly isPure: boolean;
  readonly isKeyed: boolean;
  readonly isHeard: boolean;
}
/** A dispatch of which nothing has left yet: in a line that has broken, or in the hands of its host. */
export interface Held {
  readonly id: string;
  readonly key: string;
  readonly kind: "pure" | "keyed" | "reattachable" | "unsafe";
  readonly host: string;
  readonly by: Id;
  readonly epoch: number;
  readonly isTaken: boolean;
}
/** Two hosts, "A" and "B". */
export interface Hosts {
  /** `engine host` that nothing travels between, and hosts that have ended. */
  readonly cut: readonly string[];
  readonly dead: readonly string[];
  readonly epochs: Readonly<Record<string, number>>;
  readonly held: readonly Held[];
}
export interface World {
  readonly log: Log;
  readonly now: number;
  readonly owner: Id;
  readonly epoch: number;
  readonly hostEpoch: number;
  readonly hosts: Hosts | null;
  readonly hasLapsed: boolean;
  /** An engine was taken over while its lease runs. */
  readonly isOld: boolean;
  readonly engines: readonly [Engine, Engine];
  readonly fly: readonly Flight[];
  readonly known: Readonly<Record<string, Known>>;
  /** By key: when it took effect, by which dispatch. */
  readonly effects: Readonly<Record<string, readonly { readonly at: number; readonly id: string }[]>>;
  /** By key: since when its provider remembers it. */
  readonly since: Readonly<Record<string, number>>;
  readonly budget: Budget;
}
export type Step = readonly [World, string];

export const IDLE: Engine = { isPaused: false, epoch: -1, log: null, mustResume: false, script: null, fresh: [], flying: [] };
export const theGraph = graph(define({ nodes: [step("a", fixed(2, 0))], edges: [], result: "a" }));

export const done: Said = { status: "succeeded", result: 1, evidence: "it was told" };
export const refused: Said = {
  status: "failed",
  failure: { code: "CONNECTION_REFUSED", message: "", retryable: true, ambiguous: false },
  evidence: "nothing left",
};
export const ambiguous: Said = {
  status: "ambiguous",
  failure: { code: "WOML_PLUGIN_TIMEOUT", message: "", retryable: false, ambiguous: true },
};

export function found({ effects }: World, { key }: OperationState): Said {
  return (effects[key] ?? []).length > 0 ? done : { status: "not_found" };
}

export function reportOf({ attempt, call, try: tried }: OperationState, said: Said, now: number): Command {
  return { kind: "report_operation", node: "a", attempt, call, try: tried, said, now };
}

export function without(engine: Engine, name: string): Engine {
  const others = (names: readonly string[]): readonly string[] => names.filter((one) => one !== name);
  return { ...engine, fresh: others(engine.fresh), flying: others(engine.flying) };
}

export function withEngine(world: World, id: Id, engine: Engine): World {
  return { ...world, engines: id === 0 ? [engine, world.engines[1]] : [world.engines[0], engine] };
}

export function spent(world: World, what: keyof Budget): World {
  return { ...world, budget: { ...world.budget, [what]: world.budget[what] - 1 } };
}

/** The first host that the engine reaches; "" where it reaches none. */
export function chosen({ hosts }: World, id: Id): string {
  return ["A", "B"].find((host) => !hosts?.cut.includes(`${id} ${host}`) && !hosts?.dead.includes(host)) ?? "";
}

function hosted(world: World, id: Id, command: Command): Command {
  const takes = command.kind === "call_operation" || command.kind === "report_operation" || command.kind === "resolve_outcome";
  return world.hosts !== null && takes ? { ...command, host: chosen(world, id) } : command;
}

/** The engine's append: nothing of it is written, and it drops the run, if the run is not its own any more or the log has moved on. */
export function appended(world: World, id: Id, command: Command, change = (own: Engine): Engine => own): Step {
  const label = `${id}: ${command.kind}`;
  const engine = world.engines[id];
  const isOwner = world.owner === id && engine.epoch === world.epoch && !world.hasLapsed;
  if (!isOwner || engine.log !== world.log) return [withEngine(world, id, IDLE), label];
  const events = decide(theGraph, world.log.state, hosted(world, id, command));
  const log = events.reduce((before, event) => before.with(event, world.now), world.log);
  const starts = events.flatMap(({ type, data }) =>
    type === "operation_started" && data.reused === null ? [`${data.attempt}:${data.call}:${data.try}`] : [],
  );
  const isBegun = events.some(({ type }) => type === "attempt_resumed" || type === "step_started");
  const own = change(engine);
  const script = isBegun ? null : own.script;
  return [{ ...withEngine(world, id, { ...own, log, script, fresh: [...own.fresh, ...starts] }), log }, label];
}
