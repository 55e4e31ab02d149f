import type { Invocation, Listener, Sandbox, ScriptOutcome } from "@woml/sandbox";
import { type Sleep, Talk } from "./talk-double.ts";

export interface SandboxDouble extends Sandbox {
  /** What runs is lost, as if the supervisor had died; it can be used again at once. */
  lose(): void;
  readonly running: number;
}

/** What a script would do: it may be given up at any time, and then its answer is not wanted. `talk` is its side of `services`. */
export type Play = (invocation: Invocation, talk: Talk) => Promise<ScriptOutcome>;
interface Running {
  /** Absent once its turn has come. */
  begin: (() => void) | null;
  readonly end: (outcome: ScriptOutcome) => void;
  readonly talk: Talk;
}

/** Ends that a script comes to by itself, which it may not before its journal's. */
const ITS_OWN: ReadonlySet<string> = new Set(["ok", "script_threw", "invalid_result", "result_too_large"]);

/** Stands in for the sandbox behind `sandboxContract`. Without `sleep` no script of it is told anything; `room` is how many run at once. */
export function sandboxDouble(play: Play, sleep: Sleep = () => Promise.resolve(), room = Number.POSITIVE_INFINITY): SandboxDouble {
  const running = new Map<string, Running>();
  let isClosed = false;

  const end = (invocation: string, outcome: ScriptOutcome): void => {
    const one = running.get(invocation);
    running.delete(invocation);
    one?.talk.close();
    one?.end(outcome);
    beginSome();
  };
  const beginSome = (): void => {
    for (const one of [...running.values()].slice(0, room)) {
      const { begin } = one;
      one.begin = null;
      begin?.();
    }
  };
  const lose = (): void => {
    const all = [...running.values()];
    running.clear();
    for (const { begin, talk, end } of all) {
      talk.close();
      end(begin === null || isClosed ? nothingRan("host_unavailable") : { ...nothingRan("overloaded"), retryAfterMs: 50 });
    }
  };
  return {
    layers: ["double"],
    invoke: (invocation, listener: Listener = {}) => {
      if (isClosed) return Promise.resolve(nothingRan("host_unavailable"));
      const { promise, resolve } = Promise.withResolvers<ScriptOutcome>();
      const name = invocation.invocation;
      const talk = new Talk(invocation, { call: (call) => listener.call?.(call), sleep, end: (outcome) => end(name, outcome) });
      const begin = (): void =>
        void play(invocation, talk).then(
          (outcome) => end(name, talk.isBehind && ITS_OWN.has(outcome.outcome) ? nothingRan("diverged") : outcome),
          () => end(name, nothingRan("worker_crashed")),
        );
      running.set(name, { begin, end: resolve, talk });
      beginSome();
      return promise;
    },
    answer: (invocation, answer) => running.get(invocation)?.talk.answer(answer),
    cancel: (invocation) => end(invocation, nothingRan("cancelled")),
    close: async () => {
      isClosed = true;
      lose();
    },
    lose,
    get running() {
      return running.size;
    },
  };
}

export function nothingRan(outcome: ScriptOutcome["outcome"]): ScriptOutcome {
  return { outcome, cpuMs: 0, ms: 0 };
}
