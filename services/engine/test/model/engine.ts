import { type OperationState, operationId, type RunState } from "@woml/run";
import type { Command, Said } from "../../decide.ts";
import { due } from "../../due.ts";
import { threw } from "../play.ts";
import { spreadSteps } from "./hosts.ts";
import {
  ambiguous,
  appended,
  done,
  type Engine,
  found,
  IDLE,
  type Id,
  refused,
  reportOf,
  type Scenario,
  type Step,
  spent,
  type World,
  withEngine,
  without,
} from "./world.ts";

/** Crash, pause, takeover; then what the engine has to do next. */
export function* engineSteps(scenario: Scenario, world: World, id: Id): Generator<Step> {
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
    if (one.action === "perform" && world.hosts !== null) yield* spreadSteps(scenario, world, id, operation);
    else if (one.action === "ask") yield appended(world, id, reportOf(operation, found(world, operation), now));
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
      world.now >= operation.windowFrom + (operation.called?.effect.windowMs ?? 0);
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
  else if (known === "refused") yield report(refused);
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

/** What an engine does by itself, and nobody else sees: begins its script, replays what is answered, drops it. */
export function quiet(world: World): World {
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
