// `npm run mutants [-- NAME…]`: each patch breaks one invariant in a scratch copy; the suite it names must turn red there, and must be
// green without it. A patch begins with lines `# suite: PATH` and `# breaks: what`; git apply ignores them.
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");
const SCRATCH = join(ROOT, ".mutants");
const LIMIT_MS = 240_000;

interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly suite: string;
  readonly breaks: string;
}
interface Tried {
  readonly red: boolean;
  readonly first: string;
  readonly ms: number;
}

function mutants(wanted: readonly string[]): Mutant[] {
  const names = readdirSync(import.meta.dirname).filter((file) => file.endsWith(".patch"));
  const all = names.sort().map((file) => {
    const text = readFileSync(join(import.meta.dirname, file), "utf8");
    const line = (word: string): string => new RegExp(`^# ${word}: (.+)$`, "m").exec(text)?.[1] ?? "";
    return { name: file.replace(".patch", ""), file: join(import.meta.dirname, file), suite: line("suite"), breaks: line("breaks") };
  });
  return wanted.length === 0 ? all : all.filter((mutant) => wanted.includes(mutant.name));
}

function run(command: string, flags: readonly string[], cwd: string): SpawnSyncReturns<string> {
  const done = spawnSync(command, flags, { cwd, encoding: "utf8", timeout: LIMIT_MS, maxBuffer: 2 ** 28 });
  if (done.error && !("code" in done.error && done.error.code === "ETIMEDOUT")) throw done.error;
  return done;
}

/** A copy of what git knows of, changed or not, with linked packages: links in node_modules/@woml lead into the copy. */
function copy(): void {
  rmSync(SCRATCH, { recursive: true, force: true });
  mkdirSync(SCRATCH);
  const list = "git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t .mutants";
  const link = process.platform === "linux" ? "cp -al" : "cp -R";
  for (const script of [list, `${link} node_modules .mutants/node_modules`, "cp -R prisma/generated .mutants/prisma/generated"]) {
    const done = run("sh", ["-c", script], ROOT);
    if (done.status !== 0) throw new Error(done.stderr);
  }
}

function patch(mutant: Mutant, ...flags: readonly string[]): void {
  const done = run("git", ["apply", "--unsafe-paths", `--directory=${SCRATCH}`, ...flags, mutant.file], "/");
  if (done.status !== 0) throw new Error(`${mutant.name} does not apply any more: ${done.stderr}`);
}

/** The first failed test in TAP's text, and what it said: a mutant killed by the wrong thing shows here. */
function firstFailure(tap: string): string {
  const found = /^\s*not ok \d+ - (.+)$/m.exec(tap);
  if (found === null) return "";
  const detail =
    /^\s*actual:([\s\S]*?)^\s*operator:/m.exec(tap.slice(found.index))?.[1] ??
    /^\s*error:([\s\S]*?)^\s*code:/m.exec(tap.slice(found.index))?.[1];
  return `${found[1]}: ${(detail ?? "").replace(/\s+/g, " ").trim().slice(0, 300)}`;
}

function tried(suite: string): Tried {
  const began = performance.now();
  const flags = [
    "--disable-warning=ExperimentalWarning",
    "--import=./tools/finish.mjs",
    "--test",
    "--test-timeout=120000",
    "--test-reporter=tap",
    ...suite.split(" "),
  ];
  const done = run(process.execPath, flags, SCRATCH);
  const first = firstFailure(done.stdout) || (done.status === null ? "did not end" : "");
  return { red: done.status !== 0, first, ms: Math.round(performance.now() - began) };
}

function judge(mutant: Mutant, green: Map<string, Tried>): boolean {
  if (mutant.suite === "" || !mutant.suite.split(" ").every((path) => existsSync(join(ROOT, path))))
    throw new Error(`${mutant.name}: no suite`);
  const before = green.get(mutant.suite) ?? tried(mutant.suite);
  green.set(mutant.suite, before);
  patch(mutant);
  const after = tried(mutant.suite);
  patch(mutant, "--reverse");
  const outcome = before.red ? "suite red without it" : after.red ? "killed" : "SURVIVED";
  const line = {
    mutant: mutant.name,
    breaks: mutant.breaks,
    suite: mutant.suite,
    outcome,
    by: before.red ? before.first : after.first,
    ms: after.ms,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
  return outcome === "killed";
}

const chosen = mutants(process.argv.slice(2));
copy();
const green = new Map<string, Tried>();
const killed = chosen.filter((mutant) => judge(mutant, green));
rmSync(SCRATCH, { recursive: true, force: true });
process.stdout.write(`${killed.length} of ${chosen.length} mutants killed\n`);
process.exitCode = chosen.length > 0 && killed.length === chosen.length ? 0 : 1;
