import { graph } from "@woml/model";
import { type Called, fold, genesis, type NewEvent, type OperationState, operationId, type RunEventType, type RunState } from "@woml/run";
import { type Command, decide, type Said } from "../decide.ts";
import { due } from "../due.ts";
import { called, define, fixed, step, threw } from "./play.ts";

/**
 * Every interleaving of a small world, judged by the real fold, decide and due: a script that calls one operation after another, two engines
 * that may crash, be paused, or take over too early, a host that may forget, a provider where requests land late or twice, time that uses up
 * keys, a person who looks before deciding. An engine here does what services/engine/perform does: it dispatches only what it started
 * itself, joins everything else, and believes a loss only when no older engine can dispatch any more.
 */
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
}
interface Budget {
  crash: number;
  pause: number;
  early: number;
  timeout: number;
  drop: number;
  forget: number;
  expire: number;
  cancel: number;
}
export interface Checked {
  readonly states: number;
  /** By what went wrong, the shortest way there. */
  readonly bad: ReadonlyMap<string, readonly string[]>;
  readonly stuck: readonly (readonly string[])[];
  readonly told: ReadonlySet<string>;
}

const WINDOW_MS = 1_000;
type Id = 0 | 1;

/** A log as the node of a tree of logs: each is folded once, and equal ones are the same. */
class Log {
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

interface Engine {
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
interface World {
  readonly log: Log;
  readonly now: number;
  readonly owner: Id;
  readonly epoch: number;
  readonly hostEpoch: number;
  readonly hasLapsed: boolean;
  /** An engine was taken over while its lease runs. */
  readonly isOld: boolean;
  readonly engines: readonly [Engine, Engine];
  readonly fly: readonly Flight[];
  readonly known: Readonly<Record<string, "running" | "succeeded" | "ambiguous">>;
  /** When each took effect. */
  readonly effects: Readonly<Record<string, readonly number[]>>;
  readonly budget: Budget;
}
type Step = readonly [World, string];

const IDLE: Engine = { isPaused: false, epoch: -1, log: null, mustResume: false, script: null, fresh: [], flying: [] };
const theGraph = graph(define({ nodes: [step("a", fixed(2, 0))], edges: [], result: "a" }));

export function check(scenario: Scenario, most = 200_000): Checked {
  const begin = start(scenario);
  const parents = new Map<string, readonly [string, string] | null>([[JSON.stringify(begin), null]]);
  const queue = [begin];
  const bad = new Map<string, readonly string[]>();
  const stuck: (readonly string[])[] = [];
  const told = new Set<string>();
  for (const world of queue) {
    const key = JSON.stringify(world);
    let hasMoved = false;
    for (const [moved, label] of steps(scenario, world)) {
      hasMoved = true;
      const next = quiet(moved);
      const nextKey = JSON.stringify(next);
      if (parents.has(nextKey)) continue;
      parents.set(nextKey, [key, label]);
      queue.push(next);
      for (let log: Log | null = next.log; log !== null && log !== world.log; log = log.before) told.add(String(log.type));
      const why = wrong(next);
      if (why !== null && !bad.has(why)) bad.set(why, wayTo(parents, nextKey));
      if (parents.size > most) throw new Error(`more than ${most} states`);
    }
    if (!hasMoved && world.log.state.ended === null) stuck.push(wayTo(parents, key));
  }
  return { states: parents.size, bad, stuck, told };
}

function start({ budget }: Scenario): World {
  const trigger = { kind: "manual", id: "go" };
  const admit: Command = { kind: "admit_run", workflow: "w", version: "v", trigger, payload: {}, labels: [], seed: "s", now: 1_000 };
  const log = decide(theGraph, genesis, admit).reduce((before, event) => before.with(event, 1_000), new Log(genesis));
  const none: Budget = { crash: 0, pause: 0, early: 0, timeout: 0, drop: 0, forget: 0, expire: 0, cancel: 0 };
  return quiet({
    ...{ log, now: 1_000, owner: 0, epoch: 0, hostEpoch: 0, hasLapsed: false, isOld: false, fly: [], known: {}, effects: {} },
    engines: [{ ...IDLE, epoch: 0, log }, IDLE],
    budget: { ...none, ...budget },
  });
}

/** What an engine does by itself, and nobody else sees: begins its script, replays what is answered, drops it. */
function quiet(world: World): World {
  return { ...world, engines: [quietEngine(world.engines[0], world.now), quietEngine(world.engines[1], world.now)] };
}
function quietEngine(engine: Engine, now: number): Engine {
  const { log, mustResume, isPaused } = engine;
  if (log === null || isPaused) return engine;
  const running = due(log.state, now).run[0];
  if (running === undefined) return { ...engine, script: null, mustResume: false };
  if (mustResume) return engine;
  let { attempt, calls } = engine.script ?? { attempt: 0, calls: 0 };
  if (attempt !== running.attempt) [attempt, calls] = [running.attempt, 0];
  const recorded = log.state.steps.get("a")?.calls.at(-1) ?? 0;
  while (calls < recorded && isGiven(log.state, attempt, calls)) calls += 1;
  return { ...engine, script: { attempt, calls } };
}
/** The script goes on behind a call: there is none before, or it gave something. */
function isGiven(state: RunState, attempt: number, call: number): boolean {
  return call === 0 || state.operations.get(operationId("a", attempt, call))?.status === "succeeded";
}

function* steps(scenario: Scenario, world: World): Generator<Step> {
  for (const id of [0, 1] as const) yield* engineSteps(scenario, world, id);
  yield* requestSteps(scenario, world);
  yield* timeSteps(scenario, world);
  yield* personSteps(scenario, world);
}

/** Crash, pause, takeover; then what the engine has to do next. */
function* engineSteps(scenario: Scenario, world: World, id: Id): Generator<Step> {
  const { hasLapsed, budget, owner } = world;
  const engine = world.engines[id];
  const lapses = hasLapsed || (owner === id && engine.epoch === world.epoch);
  const isUp = engine.epoch >= 0 && !engine.isPaused;
  if (isUp && budget.crash > 0) yield [spent({ ...withEngine(world, id, IDLE), hasLapsed: lapses }, "crash"), `${id}: crashes`];
  if (isUp && budget.pause > 0) {
    const paused = withEngine(world, id, { ...engine, isPaused: true });
    yield [spent({ ...paused, hasLapsed: lapses }, "pause"), `${id}: is paused, its lease lapses`];
  }
  if (engine.isPaused) yield [withEngine(world, id, { ...engine, isPaused: false }), `${id}: wakes`];
  const claimed = { ...world, owner: id, epoch: world.epoch + 1, hasLapsed: false };
  const fresh = { ...IDLE, epoch: claimed.epoch, log: world.log, mustResume: true };
  if (engine.epoch < 0 && hasLapsed) yield [withEngine(claimed, id, fresh), `${id}: claims`];
  else if (engine.epoch < 0 && budget.early > 0 && owner !== id)
    yield [spent({ ...withEngine(claimed, id, fresh), isOld: true }, "early"), `${id}: claims while the old lease runs`];
  if (isUp) yield* work(scenario, world, id);
}

function* work(scenario: Scenario, world: World, id: Id): Generator<Step> {
  const engine = world.engines[id];
  if (engine.log === null || engine.log.state.ended !== null) return;
  const { state } = engine.log;
  const { now } = world;
  const { run, operations, nextAt } = due(state, now);
  const attempt = run[0]?.attempt;
  if (attempt !== undefined && engine.mustResume) {
    const resume: Command = { kind: "resume_attempt", node: "a", attempt, now, lost: "engine" };
    yield appended(world, id, resume, (own) => ({ ...own, mustResume: false }));
  } else if (attempt !== undefined) yield* scriptSteps(scenario, world, id, state);
  for (const one of operations) {
    const operation = state.operations.get(operationId("a", one.attempt, one.call));
    if (operation === undefined) throw new Error("due names what is not there");
    if (one.action === "ask") yield appended(world, id, reportOf(operation, found(world, operation), now));
    else yield* dispatchSteps(scenario, world, id, operation);
  }
  if (nextAt !== null && nextAt <= now) yield appended(world, id, { kind: "fire_timers", now });
}

/** The script waits for each answer before it goes on; told of a failure it throws. */
function* scriptSteps({ operations, throwsFirst }: Scenario, world: World, id: Id, state: RunState): Generator<Step> {
  const { attempt, calls } = world.engines[id].script ?? { attempt: 1, calls: 0 };
  const before = state.operations.get(operationId("a", attempt, calls));
  if (before?.answered === null) return;
  const at = { node: "a", attempt, now: world.now };
  const throws = before?.status === "failed" || (calls === operations.length && throwsFirst === true && attempt === 1);
  const asked = operations[calls];
  if (throws) yield appended(world, id, { kind: "report_attempt", ...at, outcome: { status: "failed", failure: threw, cpuMs: 1 } });
  else if (asked === undefined)
    yield appended(world, id, { kind: "report_attempt", ...at, outcome: { status: "succeeded", output: 1, cpuMs: 1 } });
  else {
    const seen = calls === 0 ? [] : [{ answer: calls }];
    const what = { call: calls + 1, key: `key${calls}`, seen, asked: { called: { ...asked, name: `op${calls}` } } };
    yield appended(world, id, { kind: "call_operation", ...at, ...what }, (own) => ({ ...own, script: { attempt, calls: calls + 1 } }));
  }
}

/** What it started itself is dispatched, what it waits for is reported, everything else is joined. */
function* dispatchSteps(scenario: Scenario, world: World, id: Id, operation: OperationState): Generator<Step> {
  const engine = world.engines[id];
  const name = `${operation.attempt}:${operation.call}:${operation.try}`;
  const known = world.known[name];
  const kind = operation.called?.effect.class;
  const isFlying = engine.flying.includes(name);
  const report = (said: Said): Step => appended(world, id, reportOf(operation, said, world.now), (own) => without(own, name));
  const hostEpoch = Math.max(world.hostEpoch, engine.epoch);
  if (engine.fresh.includes(name)) {
    const isLate =
      kind === "keyed" &&
      operation.try > 1 &&
      operation.by !== "person" &&
      world.now >= operation.firstAt + (operation.called?.effect.windowMs ?? 0);
    if (isLate) yield report(ambiguous);
    else if (scenario.fence !== false && !isAccepted(world, id)) yield [withEngine(world, id, IDLE), `${id}: is refused ${name}`];
    else {
      const flight = { id: name, key: operation.key, isPure: kind === "pure", isKeyed: kind === "keyed", isHeard: true };
      const sent = { ...without(engine, name), flying: [...engine.flying, name] };
      const fly = [...world.fly, flight];
      yield [{ ...withEngine(world, id, sent), hostEpoch, fly, known: { ...world.known, [name]: "running" } }, `${id}: dispatches ${name}`];
    }
  } else if (known === "succeeded") yield report(done);
  else if (known === "ambiguous") yield report(ambiguous);
  else if (known === "running" && !isFlying)
    yield [{ ...withEngine(world, id, { ...engine, flying: [...engine.flying, name] }), hostEpoch }, `${id}: joins ${name}`];
  else if (known === undefined && isFlying) yield report(ambiguous);
  else if (known === undefined && (kind === "pure" || !world.isOld || scenario.fence === false))
    yield report({ status: "lost", detail: "" });
}

/** A lease that runs, and no higher epoch seen. */
function isAccepted(world: World, id: Id): boolean {
  const { epoch } = world.engines[id];
  const isOwner = world.owner === id && epoch === world.epoch && !world.hasLapsed;
  return epoch >= world.hostEpoch && (isOwner || (world.isOld && epoch === world.epoch - 1));
}

/** A request lands, is given up while it may still land, or gets lost. */
function* requestSteps({ looksAtNoKey }: Scenario, world: World): Generator<Step> {
  const { fly, budget, now, effects } = world;
  for (const [i, flight] of fly.entries()) {
    const { id, key } = flight;
    const others = fly.toSpliced(i, 1);
    const hear = (what: "succeeded" | "ambiguous") =>
      world.known[id] === "running" && flight.isHeard ? { ...world.known, [id]: what } : world.known;
    const before = effects[key] ?? [];
    const isKnown = flight.isKeyed && !looksAtNoKey && before.some((at) => now < at + WINDOW_MS);
    const landed = flight.isPure || isKnown ? effects : { ...effects, [key]: [...before, now] };
    yield [{ ...world, fly: others, effects: landed, known: hear("succeeded") }, `provider: ${id} takes effect`];
    if (flight.isHeard && budget.timeout > 0) {
      const late = { ...world, fly: fly.with(i, { ...flight, isHeard: false }), known: hear("ambiguous") };
      yield [spent(late, "timeout"), `host: gives up waiting for ${id}`];
    }
    if (budget.drop > 0) yield [spent({ ...world, fly: others, known: hear("ambiguous") }, "drop"), `network: ${id} is lost`];
  }
  if (budget.forget > 0 && Object.keys(world.known).length > 0) {
    const unheard = fly.map((one) => ({ ...one, isHeard: false }));
    yield [spent({ ...world, known: {}, fly: unheard }, "forget"), "host: dies, its requests go on"];
  }
}

/** Nothing stays under way for a tenth of a key's window, or past the time after which a provider's "not found" is proof. */
function* timeSteps({ liesAboutTime }: Scenario, world: World): Generator<Step> {
  const { now, fly, log } = world;
  if (world.isOld) yield [{ ...world, isOld: false }, "time: the old lease runs out"];
  if (world.budget.expire > 0 && fly.length === 0)
    yield [spent({ ...world, now: now + WINDOW_MS }, "expire"), "time: the key's window passes"];
  for (const [, { key, doubt }] of log.state.operations.entries())
    if (doubt !== null && doubt.askAt > now && (liesAboutTime || !fly.some((one) => one.key === key)))
      yield [{ ...world, now: doubt.askAt }, "time: its provider is to be asked"];
}

/** A person decides when nothing of the operation is under way: what took effect succeeded, anything else is performed again. */
function* personSteps({ fence }: Scenario, world: World): Generator<Step> {
  const { owner, log, now, effects } = world;
  const engine = world.engines[owner];
  const { state } = log;
  if (engine.epoch !== world.epoch || engine.isPaused || world.hasLapsed) return;
  if (world.budget.cancel > 0 && state.ended === null && state.stop === null) {
    const [next, label] = appended(world, owner, { kind: "cancel_run", request: "r", now });
    yield [spent(next, "cancel"), label];
  }
  const { unknown, attempt } = state.steps.get("a") ?? { unknown: [], attempt: 1 };
  for (const call of unknown) {
    const key = state.operations.get(operationId("a", attempt, call))?.key ?? "";
    if (fence !== false && world.fly.some((one) => one.key === key)) continue;
    const verdict = (effects[key] ?? []).length > 0 ? ({ status: "succeeded", result: 1 } as const) : ({ status: "retry" } as const);
    const by = { expectedHead: state.head, by: "key", request: "q", now };
    const step = appended(world, owner, { kind: "resolve_outcome", node: "a", attempt, call, verdict, ...by });
    if (step[0].log !== log) yield step;
  }
}

/** The engine's append: nothing of it is written, and it drops the run, if the run is not its own any more or the log has moved on. */
function appended(world: World, id: Id, command: Command, change = (own: Engine): Engine => own): Step {
  const label = `${id}: ${command.kind}`;
  const engine = world.engines[id];
  const isOwner = world.owner === id && engine.epoch === world.epoch && !world.hasLapsed;
  if (!isOwner || engine.log !== world.log) return [withEngine(world, id, IDLE), label];
  const events = decide(theGraph, world.log.state, command);
  const log = events.reduce((before, event) => before.with(event, world.now), world.log);
  const starts = events.flatMap(({ type, data }) =>
    type === "operation_started" && data.reused === null ? [`${data.attempt}:${data.call}:${data.try}`] : [],
  );
  const isBegun = events.some(({ type }) => type === "attempt_resumed" || type === "step_started");
  const own = change(engine);
  const script = isBegun ? null : own.script;
  return [{ ...withEngine(world, id, { ...own, log, script, fresh: [...own.fresh, ...starts] }), log }, label];
}

function wrong({ effects, log, fly }: World): string | null {
  const twice = Object.entries(effects).find(([, times]) => times.length > 1);
  if (twice !== undefined) return `${twice[0]} took effect twice`;
  if (log.state.ended === null) return null;
  for (const [, { key, status, called: of, reused }] of log.state.operations.entries()) {
    const isDone = (effects[key] ?? []).length > 0 || fly.some((one) => one.key === key);
    if (of?.effect.class === "pure" || reused !== null) continue;
    if (status === "failed" && isDone) return `${key} is said to have failed, and was done`;
    if (status === "succeeded" && !isDone) return `${key} is said to have succeeded, and was not done`;
  }
  return null;
}

const done: Said = { status: "succeeded", result: 1, evidence: "it was told" };
const ambiguous: Said = { status: "ambiguous", failure: { code: "WOML_PLUGIN_TIMEOUT", message: "", retryable: false, ambiguous: true } };

function found({ effects }: World, { key }: OperationState): Said {
  return (effects[key] ?? []).length > 0 ? done : { status: "not_found" };
}

function reportOf({ attempt, call, try: tried }: OperationState, said: Said, now: number): Command {
  return { kind: "report_operation", node: "a", attempt, call, try: tried, said, now };
}

function without(engine: Engine, name: string): Engine {
  const others = (names: readonly string[]): readonly string[] => names.filter((one) => one !== name);
  return { ...engine, fresh: others(engine.fresh), flying: others(engine.flying) };
}

function withEngine(world: World, id: Id, engine: Engine): World {
  return { ...world, engines: id === 0 ? [engine, world.engines[1]] : [world.engines[0], engine] };
}

function spent(world: World, what: keyof Budget): World {
  return { ...world, budget: { ...world.budget, [what]: world.budget[what] - 1 } };
}

function wayTo(parents: ReadonlyMap<string, readonly [string, string] | null>, key: string): readonly string[] {
  const path: string[] = [];
  for (let at = parents.get(key); at; at = parents.get(at[0])) path.unshift(at[1]);
  return path;
}

/** For scenarios: an operation of each kind. */
export const kinds = {
  pure: called("pure"),
  keyed: called("keyed", { effect: { windowMs: WINDOW_MS } }),
  reattachable: called("reattachable", { effect: { conclusiveNotFoundAfterMs: 50 } }),
  unproven: called("reattachable"),
  unsafe: called("unsafe"),
};
