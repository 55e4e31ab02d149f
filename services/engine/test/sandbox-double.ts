import type { Invocation, Sandbox, ScriptOutcome } from "@woml/sandbox";

export interface SandboxDouble extends Sandbox {
  /** What runs is lost, as if the supervisor had died; it can be used again at once. */
  lose(): void;
  readonly running: number;
}

/** What a script would do: it may be given up at any time, and then its answer is not wanted. */
export type Play = (invocation: Invocation) => Promise<ScriptOutcome>;

/** Stands in for the sandbox behind `sandboxContract`. */
export function sandboxDouble(play: Play): SandboxDouble {
  const running = new Map<string, (outcome: ScriptOutcome) => void>();
  let isClosed = false;

  const end = (invocation: string, outcome: ScriptOutcome): void => {
    const resolve = running.get(invocation);
    running.delete(invocation);
    resolve?.(outcome);
  };
  const lose = (): void => {
    for (const invocation of [...running.keys()]) end(invocation, nothingRan("host_unavailable"));
  };
  return {
    layers: ["double"],
    invoke: (invocation) => {
      if (isClosed) return Promise.resolve(nothingRan("host_unavailable"));
      const { promise, resolve } = Promise.withResolvers<ScriptOutcome>();
      running.set(invocation.invocation, resolve);
      play(invocation).then(
        (outcome) => end(invocation.invocation, outcome),
        () => end(invocation.invocation, nothingRan("worker_crashed")),
      );
      return promise;
    },
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
