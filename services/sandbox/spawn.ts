import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Duplex } from "node:stream";
import { pathToFileURL } from "node:url";
import type { FromWorker, ToWorker } from "./frames.ts";
import { openWire, type Wire } from "./framing.ts";
import { parseFromWorker } from "./parse.ts";
import type { FrameFault } from "./strict.ts";

const FOLDER = import.meta.dirname;
const LAST_WORDS = 4_096;

/** What is in force around each worker, as `hello` reports it. */
export const LAYERS: readonly string[] = ["process-per-tenant", "jitless", "permission", "empty-env", "rss-limit"];

export interface WorkerProcess {
  readonly pid: number;
  readonly wire: Wire<ToWorker>;
  /** SIGKILL; its end is heard like any other. */
  kill(): void;
}
export interface WorkerEvents {
  readonly frame: (frame: FromWorker) => void;
  /** It said what no worker says; it is not killed by that. */
  readonly fault: (fault: FrameFault) => void;
  /** Once, when the process has ended and all that it wrote was heard: the signal, or `exit N`; and what it wrote before it was ready. */
  readonly ended: (how: string, lastWords: string) => void;
}

/** Flags a worker runs under: no JIT, no WebAssembly, no file but these, no socket, no child, no environment. `preload` holds no "*". */
export function workerFlags(preload: string): readonly string[] {
  return [
    ...["--jitless", "--no-node-snapshot", "--permission", "--allow-addons", "--disable-warning=PERM0001"],
    ...["--disable-warning=ExperimentalWarning", `--import=${pathToFileURL(preload).href}`],
    ...readable(preload).map((path) => `--allow-fs-read=${path}`),
  ];
}

export function spawnWorker(preload: string, events: WorkerEvents): WorkerProcess {
  const args = [...workerFlags(preload), join(FOLDER, "worker.ts")];
  const child = spawn(process.execPath, args, { cwd: "/", env: {}, stdio: ["ignore", "ignore", "pipe", "pipe"] });
  const lastWords = collect(child);
  const wire = openWire<ToWorker, FromWorker>(child.stdio[3] as Duplex, {
    parse: parseFromWorker,
    heard: events.frame,
    closed: (fault) => {
      if (fault !== undefined) events.fault(fault);
      child.kill("SIGKILL");
    },
  });
  child.once("error", () => events.ended("not started", ""));
  child.once("close", (code, signal) => events.ended(signal ?? `exit ${code}`, lastWords()));
  return { pid: child.pid ?? 0, wire, kill: () => void child.kill("SIGKILL") };
}

/** The library looks at these too, and dies where it may not; `/etc/alpine-release` need not exist. */
function readable(preload: string): readonly string[] {
  const library = dirname(createRequire(import.meta.url).resolve("isolated-vm/package.json"));
  const loader = dirname(createRequire(join(library, "package.json")).resolve("node-gyp-build/package.json"));
  const manifests = ancestors(FOLDER).map((folder) => join(folder, "package.json"));
  return [FOLDER, library, loader, preload, "/etc/alpine-release", ...manifests.filter((path) => existsSync(path))];
}
function ancestors(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [] : [above, ...ancestors(above)];
}

function collect(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    if (text.length < LAST_WORDS) text = (text + chunk).slice(0, LAST_WORDS);
  });
  return () => text;
}
