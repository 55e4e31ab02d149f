// One process of a cluster: the real command, started as an operator's machine would, and started again when it is gone.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const MAIN = join(import.meta.dirname, "..", "..", "sdk", "cli", "main.ts");
const READY_MS = 60_000;
/** Of its log, when it does not come up. */
const SHOWN = 600;

export interface NodeOptions {
  readonly role: "control" | "engine" | "sandbox" | "plugin-host";
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** What it writes to stderr goes here, of all its lives. */
  readonly log: string;
}
export interface ClusterNode extends Pick<NodeOptions, "role" | "name"> {
  /** Of its current life; undefined while it is gone. */
  readonly pid: number | undefined;
  readonly isReady: boolean;
  /** How often it was started. */
  readonly lives: number;
  /** Resolves when its current life is ready. Rejects when it ended before. */
  start(): Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  signal(name: "SIGSTOP" | "SIGCONT"): void;
  /** SIGTERM; answers the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL, and it is never started again, whoever may still be about to. */
  retire(): Promise<void>;
}

export function openNode({ role, name, env, log }: NodeOptions): ClusterNode {
  let child: ChildProcess | null = null;
  let isReady = false;
  let lives = 0;
  let isRetired = false;
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    const one = child;
    if (one === null || one.exitCode !== null || one.signalCode !== null) return one?.exitCode ?? null;
    const gone = once(one, "exit");
    one.kill(signal);
    await gone;
    return one.exitCode;
  };
  return {
    ...{ role, name },
    get pid() {
      return child?.exitCode === null && child.signalCode === null ? child.pid : undefined;
    },
    get isReady() {
      return isReady;
    },
    get lives() {
      return lives;
    },
    start: async () => {
      if (isRetired) return;
      lives += 1;
      const out = openSync(log, "a");
      const argv = ["--disable-warning=ExperimentalWarning", MAIN, role];
      const one = spawn(process.execPath, argv, { env: { PATH: process.env["PATH"], ...env }, stdio: ["ignore", "pipe", out] });
      closeSync(out);
      child = one;
      one.once("exit", () => {
        if (child === one) isReady = false;
      });
      await ready(one, name).catch((error: unknown) => {
        throw new Error(`${error instanceof Error ? error.message : String(error)}: ${readFileSync(log, "utf8").slice(-SHOWN)}`);
      });
      isReady = child === one && one.exitCode === null && one.signalCode === null;
    },
    kill: async () => void (await end("SIGKILL")),
    signal: (word) => void child?.kill(word),
    stop: () => end("SIGTERM"),
    retire: async () => {
      isRetired = true;
      await end("SIGKILL");
    },
  };
}

async function ready(child: ChildProcess, name: string): Promise<void> {
  if (!child.stdout) throw new Error("no stdout");
  const limit = new AbortController();
  const late = setTimeout(() => limit.abort(), READY_MS);
  const line = once(createInterface({ input: child.stdout }), "line", { signal: limit.signal }).then(() => undefined);
  const ended = once(child, "exit", { signal: limit.signal }).then(([code, signal]) =>
    Promise.reject(new Error(`${name} ended with ${signal ?? code} before it was ready`)),
  );
  try {
    await Promise.race([line, ended]);
  } finally {
    clearTimeout(late);
    limit.abort();
    for (const one of [line, ended]) one.catch(() => undefined);
  }
}
