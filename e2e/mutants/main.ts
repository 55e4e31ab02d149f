// `npm run mutants [-- NAME…]`: each patch breaks one invariant in a scratch copy; the suite it names must turn red there, and must be
// green without it. Two run at once, each in a copy of its own. One that is not killed stops no other: a table at the end tells of all.
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Mutant, mutants } from "./patches.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const SCRATCH = join(ROOT, ".mutants");
const LIMIT_MS = 240_000;
const AT_ONCE = 2;

type Outcome = "killed" | "SURVIVED" | "suite red without it" | "does not apply" | "no such suite";
interface Judged {
  readonly outcome: Outcome;
  /** The first that failed, and what it said. */
  readonly by: string;
  readonly ms: number;
}
interface Tried {
  readonly red: boolean;
  readonly first: string;
  readonly ms: number;
}
interface Ran {
  /** null: it did not end in time. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function choose(wanted: readonly string[]): readonly Mutant[] {
  const all = mutants();
  const known = all.map(({ name }) => name);
  const strange = wanted.filter((name) => !known.includes(name));
  if (strange.length > 0) {
    process.stderr.write(`There is no mutant ${strange.join(", ")}; there are ${known.join(", ")}.\n`);
    process.exit(2);
  }
  return wanted.length === 0 ? all : all.filter((mutant) => wanted.includes(mutant.name));
}

function run(command: string, flags: readonly string[], cwd: string): Promise<Ran> {
  const child = spawn(command, flags, { cwd, timeout: LIMIT_MS, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject).on("close", (status) => resolve({ status, stdout, stderr }));
  });
}

/** A copy of what git knows of, changed or not, with linked packages: links in node_modules/@woml lead into the copy. */
async function copy(scratch: string): Promise<void> {
  const { stdout } = await run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], ROOT);
  for (const file of stdout.split("\0").filter((path) => path !== "" && existsSync(join(ROOT, path)))) {
    mkdirSync(join(scratch, dirname(file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(scratch, file));
  }
  const link = process.platform === "linux" ? "-al" : "-R";
  for (const flags of [
    [link, "node_modules", join(scratch, "node_modules")],
    ["-R", "prisma/generated", join(scratch, "prisma", "generated")],
  ]) {
    const done = await run("cp", flags, ROOT);
    if (done.status !== 0) throw new Error(done.stderr);
  }
}

const patch = ({ file }: Mutant, scratch: string, ...flags: readonly string[]): Promise<Ran> =>
  run("git", ["apply", "--unsafe-paths", `--directory=${scratch}`, ...flags, file], "/");

/** The first failed test in TAP's text, and what it said: a mutant killed by the wrong thing shows here. */
function firstFailure(tap: string): string {
  const found = /^\s*not ok \d+ - (.+)$/m.exec(tap);
  if (found === null) return "";
  const detail =
    /^\s*actual:([\s\S]*?)^\s*operator:/m.exec(tap.slice(found.index))?.[1] ??
    /^\s*error:([\s\S]*?)^\s*code:/m.exec(tap.slice(found.index))?.[1];
  return `${found[1]}: ${(detail ?? "").replace(/\s+/g, " ").trim().slice(0, 300)}`;
}

async function tried({ suites, test }: Mutant, scratch: string): Promise<Tried> {
  const began = performance.now();
  const flags = [
    "--disable-warning=ExperimentalWarning",
    "--import=./tools/finish.mjs",
    "--test",
    "--test-timeout=120000",
    "--test-reporter=tap",
    ...(test === "" ? [] : [`--test-name-pattern=${test}`]),
    ...suites,
  ];
  const done = await run(process.execPath, flags, scratch);
  const first = firstFailure(done.stdout) || (done.status === null ? "did not end" : "");
  return { red: done.status !== 0, first, ms: Math.round(performance.now() - began) };
}

/** Suites without a mutant, by what is run of them; each is tried once, by whoever needs it first. */
const green = new Map<string, Promise<Tried>>();

async function judge(mutant: Mutant, scratch: string): Promise<Judged> {
  const { suites, test } = mutant;
  if (!suites.every((path) => existsSync(join(scratch, path)))) return { outcome: "no such suite", by: "", ms: 0 };
  const fits = await patch(mutant, scratch, "--check");
  if (fits.status !== 0) return { outcome: "does not apply", by: fits.stderr.trim(), ms: 0 };
  const key = `${suites.join(" ")} ${test}`;
  const untouched = green.get(key) ?? tried(mutant, scratch);
  green.set(key, untouched);
  const before = await untouched;
  if (before.red) return { outcome: "suite red without it", by: before.first, ms: before.ms };
  const applied = await patch(mutant, scratch);
  const after = await tried(mutant, scratch);
  const taken = await patch(mutant, scratch, "--reverse");
  // What is left in a copy would be judged with the next ones.
  if (applied.status !== 0 || taken.status !== 0) throw new Error(`${mutant.name}: ${applied.stderr}${taken.stderr}`);
  return { outcome: after.red ? "killed" : "SURVIVED", by: after.first, ms: after.ms };
}

const chosen = choose(process.argv.slice(2));
const waiting = [...chosen];
const judged = new Map<string, Judged>();

async function work(scratch: string): Promise<void> {
  await copy(scratch);
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { name, breaks, suites } = next;
    const found = await judge(next, scratch);
    judged.set(name, found);
    process.stdout.write(`${JSON.stringify({ mutant: name, breaks, suite: suites.join(" "), ...found })}\n`);
  }
}

/** One line each: name, outcome, the suite and how long it took with the mutant in it. */
function table(): string {
  const rows = chosen.map(({ name, suites }) => {
    const { outcome, ms } = judged.get(name) ?? { outcome: "", ms: 0 };
    return [name, outcome, suites.join(" "), (ms / 1000).toFixed(1)];
  });
  const all = [["mutant", "outcome", "suite", "seconds"], ...rows];
  const widths = [0, 1, 2].map((at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  return all.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ")).join("\n");
}

rmSync(SCRATCH, { recursive: true, force: true });
await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => work(join(SCRATCH, String(i + 1)))));
rmSync(SCRATCH, { recursive: true, force: true });
const killed = chosen.filter(({ name }) => judged.get(name)?.outcome === "killed").length;
process.stdout.write(`${table()}\n${killed} of ${chosen.length} mutants killed\n`);
process.exitCode = chosen.length > 0 && killed === chosen.length ? 0 : 1;
