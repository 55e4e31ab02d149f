import { stamp } from "./envelope.ts";
import type { NewEvent, RunEvent, RunEvents } from "./event.ts";
import type { Ledger } from "./ledger.ts";
import type { ForkState, HookState, LoopState, RunState } from "./state.ts";

/** For specs: a log of `events` whose times begin at 1,000; a number between two events lets so many milliseconds pass. */
export function logOf(...events: readonly (NewEvent | number)[]): readonly RunEvent[] {
  const log: RunEvent[] = [];
  let at = 1_000;
  for (const event of events) {
    if (typeof event === "number") at += event;
    else log.push(...stamp([event], log.length, at));
  }
  return log;
}

/** For specs: a run_admitted of workflow `w`. */
export function admission(some: Partial<RunEvents["run_admitted"]> = {}): NewEvent<"run_admitted"> {
  const trigger = { kind: "manual", id: "go" };
  return {
    type: "run_admitted",
    data: { workflow: "w", version: `sha256:${"0".repeat(64)}`, trigger, payload: {}, seed: "secret", labels: [], ...some },
  };
}

/** For specs: a state as plain values that can be compared; the buckets of ledgers do not show. */
export function plainState(state: RunState): object {
  const { steps, operations, byKey, windows, parallels, choices, outputs, forks, loops, approvals, hooks, ...rest } = state;
  const work = { steps: plain(steps), operations: plain(operations), byKey: plain(byKey), windows: plain(windows) };
  const flow = {
    forks: plain(forks).map(plainFork),
    approvals: plain(approvals),
    loops: plain(loops).map(plainLoop),
    hooks: plain(hooks).map(plainHook),
  };
  return { ...rest, ...work, ...flow, parallels: plain(parallels), choices: plain(choices), outputs: plain(outputs) };
}

function plainLoop([site, loop]: readonly [string, LoopState]): object {
  return [site, { ...loop, results: plain(loop.results) }];
}

function plainFork([join, fork]: readonly [string, ForkState]): object {
  return [join, { ...fork, branches: Object.fromEntries(plain(fork.branches)) }];
}

function plainHook([name, hook]: readonly [string, HookState]): object {
  return [name, { ...hook, outputs: plain(hook.outputs) }];
}

function plain<V>(ledger: Ledger<V>): readonly (readonly [string, V])[] {
  return [...ledger.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
}
