import { genesis } from "@woml/run";
import { type Command, decide } from "../../decide.ts";
import { engineSteps, quiet } from "./engine.ts";
import { hostSteps } from "./hosts.ts";
import { personSteps, requestSteps, timeSteps } from "./outside.ts";
import { type Budget, IDLE, Log, type Scenario, type Step, theGraph, type World } from "./world.ts";

/**
 * Every interleaving of a small world, judged by the real fold, decide and due: a script that calls one operation after another, two engines
 * that may crash, be paused, or take over too early, a host that may forget, a provider where requests land late or twice, time that uses up
 * keys, a person who looks before deciding. An engine here does what services/engine/perform does: it dispatches only what it started
 * itself, joins everything else, and believes a loss only when no older engine can dispatch any more. Of two hosts one may be cut off while it
 * works, take late what was on a broken line, and end.
 */
export interface Checked {
  readonly states: number;
  /** By what went wrong, the shortest way there. */
  readonly bad: ReadonlyMap<string, readonly string[]>;
  readonly stuck: readonly (readonly string[])[];
  readonly told: ReadonlySet<string>;
}

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

function start({ budget, isSpread }: Scenario): World {
  const trigger = { kind: "manual", id: "go" };
  const admit: Command = { kind: "admit_run", workflow: "w", version: "v", trigger, payload: {}, labels: [], seed: "s", now: 1_000 };
  const log = decide(theGraph, genesis, admit).reduce((before, event) => before.with(event, 1_000), new Log(genesis));
  const none: Budget = {
    crash: 0,
    pause: 0,
    early: 0,
    timeout: 0,
    drop: 0,
    forget: 0,
    refuse: 0,
    expire: 0,
    half: 0,
    deny: 0,
    cancel: 0,
    cut: 0,
    sink: 0,
    hold: 0,
  };
  const hosts = isSpread ? { cut: [], dead: [], epochs: {}, held: [] } : null;
  return quiet({
    ...{
      log,
      now: 1_000,
      owner: 0,
      epoch: 0,
      hostEpoch: 0,
      hasLapsed: false,
      isOld: false,
      fly: [],
      known: {},
      effects: {},
      since: {},
      hosts,
    },
    engines: [{ ...IDLE, epoch: 0, log }, IDLE],
    budget: { ...none, ...budget },
  });
}

function* steps(scenario: Scenario, world: World): Generator<Step> {
  for (const id of [0, 1] as const) yield* engineSteps(scenario, world, id);
  yield* requestSteps(scenario, world);
  yield* hostSteps(scenario, world);
  yield* timeSteps(scenario, world);
  yield* personSteps(scenario, world);
}

function wrong({ effects, log, fly }: World): string | null {
  const twice = Object.entries(effects).find(([, times]) => times.length > 1);
  if (twice !== undefined) return `${twice[0]} took effect twice`;
  if (log.state.ended === null) return null;
  for (const [, { key, attempt, status, called: of, reused }] of log.state.operations.entries()) {
    if (of?.effect.class === "pure" || reused !== null) continue;
    const dispatches = [...(effects[key] ?? []), ...fly.filter((one) => one.key === key)].map(({ id }) => id);
    if (status === "failed" && dispatches.some((id) => id.startsWith(`${attempt}:`))) return `${key} is said to have failed, and was done`;
    if (status === "succeeded" && dispatches.length === 0) return `${key} is said to have succeeded, and was not done`;
  }
  return null;
}

function wayTo(parents: ReadonlyMap<string, readonly [string, string] | null>, key: string): readonly string[] {
  const path: string[] = [];
  for (let at = parents.get(key); at; at = parents.get(at[0])) path.unshift(at[1]);
  return path;
}
