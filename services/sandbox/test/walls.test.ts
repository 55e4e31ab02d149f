import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { LAYERS, workerFlags } from "../spawn.ts";

const ROOM = join(import.meta.dirname, "..");
/** The share of another room that may be loaded there: it is walked like this one. */
const CHILD = join(ROOM, "..", "child");
const SHARED: Readonly<Record<string, string>> = {
  "@woml/child/framing": join(CHILD, "framing.ts"),
  "@woml/child/strict": join(CHILD, "strict.ts"),
};

/** Every import of a file and of what it imports, types left out: they are blanked before the file runs. */
function graphOf(file: string, seen: Set<string> = new Set()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  if (!file.startsWith(ROOM) && !file.startsWith(CHILD)) return seen;
  const text = readFileSync(file, "utf8");
  assert.doesNotMatch(text, /\bimport\s*\(|\brequire\s*\(/, `${file} loads by a name it makes`);
  for (const [, clause = "", from = ""] of text.matchAll(/^(?:import|export)\s+([\w\s{},*]*?)\s*(?:from\s+)?"([^"]+)";$/gm)) {
    if (/^type\b/.test(clause)) continue;
    graphOf(from.startsWith(".") ? join(dirname(file), from) : (SHARED[from] ?? from), seen);
  }
  return seen;
}

test("where strangers' code runs nothing is loaded but this folder, framing and rules of child, isolated-vm and node:*", () => {
  for (const entry of ["worker.ts", "floor.ts"]) {
    const outside = [...graphOf(join(ROOM, entry))].filter((file) => !file.startsWith(ROOM));
    const allowed = (name: string): boolean => Object.values(SHARED).includes(name) || name === "isolated-vm" || name.startsWith("node:");
    for (const name of outside) assert.ok(allowed(name), `${entry} reaches ${name}`);
    assert.ok(outside.includes("isolated-vm"));
  }
});

test("the worker does not load the supervisor's side, nor the supervisor isolated-vm", () => {
  const worker = graphOf(join(ROOM, "worker.ts"));
  for (const name of ["supervisor.ts", "connection.ts", "pool.ts", "seat.ts", "spawn.ts", "door.ts", "sandboxes.ts", "start.ts", "main.ts"])
    assert.ok(!worker.has(join(ROOM, name)), name);
  for (const entry of ["main.ts", "index.ts"]) assert.ok(!graphOf(join(ROOM, entry)).has("isolated-vm"), entry);
});

test("no option of isolated-vm that lets an object cross or code be stored", () => {
  const files = [...readdirSync(ROOM), ...readdirSync(join(ROOM, "guest")).map((name) => join("guest", name))].filter((name) =>
    name.endsWith(".ts"),
  );
  const forbidden =
    /\b(copy|externalCopy|accessors|unsafeInherit|cachedData|produceCachedData|snapshot|createSnapshot|derefInto|inspector)\b\s*[:(]|ExternalCopy|NativeModule/;
  for (const name of files) assert.doesNotMatch(readFileSync(join(ROOM, name), "utf8"), forbidden, name);
});

test("the layers that are named are the flags that are given", () => {
  const flags = workerFlags("/tmp/preload.mjs");
  for (const flag of ["--jitless", "--no-node-snapshot", "--permission"]) assert.ok(flags.includes(flag), flag);
  assert.ok(!flags.some((flag) => /--allow-(fs-write|child-process|worker|wasi|net)/.test(flag)));
  const readable = flags.filter((flag) => flag.startsWith("--allow-fs-read=")).map((flag) => flag.slice("--allow-fs-read=".length));
  assert.ok(
    readable.every(
      (path) =>
        path.includes("sandbox") ||
        path.includes("node_modules") ||
        path.endsWith("package.json") ||
        path.startsWith("/tmp/") ||
        path === "/etc/alpine-release",
    ),
  );
  assert.ok(LAYERS.includes("jitless") && LAYERS.includes("permission"));
});
