import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { EngineSettings, FromEngine, ToEngine } from "./engine-talk.ts";

/** What an engine has heard of the cases of this matrix, by case. */
type Heard = "invoked" | "called" | "dispatched" | "answered";
export interface EngineProcess {
  readonly pid: number;
  /** How often a lease of it began, and ended by itself. */
  leases(): { readonly began: number; readonly ended: number };
  /** How often it was said of a case. */
  heard(what: Heard, of: string): number;
  open(): void;
  ring(): void;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  signal(name: "SIGSTOP" | "SIGCONT"): void;
}

/** A process that has all its code loaded, and opens nothing until it is told to. */
export function spawnEngine(settings: EngineSettings): EngineProcess {
  const execArgv = ["--disable-warning=ExperimentalWarning"];
  const child = fork(join(import.meta.dirname, "engine.ts"), [JSON.stringify(settings)], { execArgv });
  const counts = new Map<string, number>();
  const here = Promise.withResolvers<void>();
  const count = (key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
  child.on("message", (word: FromEngine) => {
    if (word.told === "here") here.resolve();
    else count("of" in word ? `${word.told} ${word.of}` : word.told);
  });
  const say = (word: ToEngine): void => {
    if (child.connected) child.send(word, () => undefined);
  };
  return {
    pid: child.pid ?? 0,
    leases: () => ({ began: counts.get("ready") ?? 0, ended: counts.get("ended") ?? 0 }),
    heard: (what, of) => counts.get(`${what} ${of}`) ?? 0,
    open: () => void here.promise.then(() => say({ say: "open" })),
    ring: () => say({ say: "ring" }),
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
    signal: (name) => void child.kill(name),
  };
}
