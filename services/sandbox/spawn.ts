import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Child, type ChildEvents, spawnChild } from "@woml/child";
import { BOUNDS } from "./bounds.ts";
import type { FromWorker, ToWorker } from "./frames.ts";
import { parseFromWorker } from "./parse.ts";

const FOLDER = import.meta.dirname;

/** What is in force around each worker, as `hello` reports it. */
export const LAYERS: readonly string[] = ["process-per-tenant", "jitless", "permission", "empty-env", "rss-limit"];

/** Flags a worker runs under: no JIT, no WebAssembly, no file but these, no socket, no child, no environment. `preload` holds no "*". */
export function workerFlags(preload: string): readonly string[] {
  return [
    ...["--jitless", "--no-node-snapshot", "--permission", "--allow-addons", "--disable-warning=PERM0001"],
    ...["--disable-warning=ExperimentalWarning", `--import=${pathToFileURL(preload).href}`],
    ...readable(preload).map((path) => `--allow-fs-read=${path}`),
  ];
}

export function spawnWorker(preload: string, events: ChildEvents<FromWorker>): Child<ToWorker> {
  const entry = join(FOLDER, "worker.ts");
  return spawnChild({ flags: workerFlags(preload), entry, maxBytes: BOUNDS.frameBytes, parse: parseFromWorker }, events);
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
