import { existsSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Child, type ChildEvents, spawnChild } from "@woml/child";
import type { FromPlugin, ToPlugin } from "./guest/frames.ts";
import { FRAME_BYTES, parseFromPlugin } from "./guest/parse.ts";

const GUEST = join(import.meta.dirname, "guest");
/** What the plugin contract is written with; a plugin's process loads it too. */
const LIBRARY = "typebox";
const HEAP_SHARE = 0.75;

/** What is in force around each plugin, as `hello` reports it. */
export const LAYERS: readonly string[] = [
  "process-per-release-and-tenant",
  "permission",
  "stripped",
  "empty-env",
  "rss-limit",
  "heartbeat",
];

/**
 * Flags a plugin runs under: no file but these, no socket, no name look-up, no child, no addon, no environment, no debugger. A thread is
 * allowed to our own code before the plugin is loaded, and given up then (guest/watch.ts).
 */
function pluginFlags(artefact: string, rssMb: number): readonly string[] {
  return [
    ...["--permission", "--allow-worker", "--disable-warning=PERM0006", "--disable-warning=ExperimentalWarning", "--disable-sigusr1"],
    `--max-old-space-size=${Math.floor(rssMb * HEAP_SHARE)}`,
    ...[...OURS, artefact].map((path) => `--allow-fs-read=${path}`),
  ];
}

export function spawnPlugin(artefact: string, rssMb: number, events: ChildEvents<FromPlugin>): Child<ToPlugin> {
  const entry = join(GUEST, "main.ts");
  const args = [pathToFileURL(artefact).href];
  return spawnChild({ flags: pluginFlags(artefact, rssMb), entry, args, maxBytes: FRAME_BYTES, parse: parseFromPlugin }, events);
}

/** Our own code that runs beside a plugin: the guest's files, framing and strict rules, the plugin contract and the library it needs. */
const OURS: readonly string[] = (() => {
  const capability = fileURLToPath(import.meta.resolve("@woml/capability"));
  const framing = dirname(fileURLToPath(import.meta.resolve("@woml/child/framing")));
  const typebox = findPackageJSON(LIBRARY, pathToFileURL(capability));
  const child = ["framing.ts", "strict.ts", "package.json"].map((file) => join(framing, file));
  const linked = ancestors(GUEST).flatMap((folder) => [
    join(folder, "package.json"),
    join(folder, "node_modules", "@woml", "capability"),
    join(folder, "node_modules", "@woml", "child"),
  ]);
  const libraries = typebox === undefined ? [] : [dirname(typebox)];
  return [GUEST, dirname(capability), ...child, ...libraries, ...linked].filter((path) => existsSync(path));
})();

function ancestors(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [] : [above, ...ancestors(above)];
}
