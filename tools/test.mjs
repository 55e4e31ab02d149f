// `npm test`: node's own test runner over the files that the patterns name. Half of what a small file costs is the start of its process and the
// packages that it loads; so files of rooms in which none minds the others share processes, each as a suite of its own. A file can be run alone
// as ever: node --test FILE.
import { spawn } from "node:child_process";
import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

/** Rooms whose files share processes. */
const TOGETHER = /^(sdk\/\w+|services\/(boot|child|control|engine|plugin-host|sandbox)|prisma)\/test\//;
/** Journeys that share a platform (e2e/support/platform.ts, upForFile). */
const JOURNEYS = /^e2e\/journeys\/(constructs|observe|signals|start-at|triggers|webhooks|workflows)\.test\.ts$/;
/** Files that measure their process, or hold others to the second. */
const APART = /\/(bounds|hostile|telemetry|[^/]*-contract)\.test\.ts$/;
/** Files in one process: enough that starts do not matter, few enough that no process runs long after all others. */
const SHARE = 16;
const ROOT = join(import.meta.dirname, "..");
const ENTRIES = join(ROOT, "node_modules", ".cache", "woml", `together-${process.pid}`);
const FLAGS = ["--disable-warning=ExperimentalWarning", "--import=./tools/finish.mjs", "--test", "--test-timeout=240000"];
/** A file that cannot be read is a test that failed, and counted as one. */
const HEAD = `import { describe, test } from "node:test";
const unread = (error) => test("the file can be read", () => Promise.reject(error));
`;

const patterns = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const flags = process.argv.slice(2).filter((word) => word.startsWith("--"));
const files = globSync(patterns, { cwd: ROOT }).sort();
const apart = files.filter((file) => !isTogether(file));
const rooms = Map.groupBy(files.filter(isTogether), dirname);
const shares = [...rooms.values()].flatMap(shared);

mkdirSync(ENTRIES, { recursive: true });
process.on("exit", () => rmSync(ENTRIES, { recursive: true, force: true }));
// Those that take longest begin first.
const runner = spawn(process.execPath, [...FLAGS, ...flags, ...shares.map(entryOf), ...apart], { cwd: ROOT, stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => runner.kill(signal));
runner.on("exit", (code) => process.exit(code ?? 1));

function isTogether(file) {
  const path = file.split(sep).join("/");
  return JOURNEYS.test(path) || (TOGETHER.test(path) && !APART.test(path));
}

/** Dealt out in turn, so that neighbours of a kind, which take as long, part. */
function shared(all) {
  const count = Math.ceil(all.length / SHARE);
  return Array.from({ length: count }, (_, nth) => all.filter((_, at) => at % count === nth));
}

/**
 * All suites stand before the first is done: else the process takes itself for finished between two of them. A file may await before it says its
 * tests; what two files import may not, because the tests of the later one would be told to be of the earlier one, and fail.
 */
function entryOf(share) {
  const name = `${dirname(dirname(share[0])).split(sep).join("-")}-${shares.indexOf(share) + 1}.mjs`;
  const from = (file) => relative(ENTRIES, join(ROOT, file)).split(sep).join("/");
  const suites = share.map((file) => `describe(${JSON.stringify(file)}, () => import(${JSON.stringify(from(file))}).catch(unread));`);
  writeFileSync(join(ENTRIES, name), `${HEAD}${suites.join("\n")}\n`);
  return join(ENTRIES, name);
}
