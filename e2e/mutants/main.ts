// `npm run mutants [-- NAME…]`: each patch breaks one invariant in a scratch copy; the suite it names must turn red there, and must be
// green without it. A patch begins with lines `# suite: PATH…`, perhaps `# test: PATTERN` (of the names of its tests), and `# breaks: what`;
// git apply ignores them. Two run at once, each in a copy of its own.
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");
const SCRATCH = join(ROOT, ".mutants");
const LIMIT_MS = 240_000;
const AT_ONCE = 2;

interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly suite: string;
  readonly test: string;
  readonly breaks: string;
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

function mutants(wanted: readonly string[]): Mutant[] {
  const names = readdirSync(import.meta.dirname).filter((file) => file.endsWith(".patch"));
  const all = names.sort().map((file) => {
    const text = readFileSync(join(import.meta.dirname, file), "utf8");
    const line = (word: string): string => new RegExp(`^# ${word}: (.+)$`, "m").exec(text)?.[1] ?? "";
    const [suite, test, breaks] = [line("suite"), line("test"), line("breaks")];
    return { name: file.replace(".patch", ""), file: join(import.meta.dirname, file), suite, test, breaks };
  });
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

async function patch(mutant: Mutant, scratch: string, ...flags: readonly string[]): Promise<void> {
  const done = await run("git", ["apply", "--unsafe-paths", `--directory=${scratch}`, ...flags, mutant.file], "/");
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

async function tried({ suite, test }: Mutant, scratch: string): Promise<Tried> {
  const began = performance.now();
  const flags = [
    "--disable-warning=ExperimentalWarning",
    "--import=./tools/finish.mjs",
    "--test",
    "--test-timeout=120000",
    "--test-reporter=tap",
    ...(test === "" ? [] : [`--test-name-pattern=${test}`]),
    ...suite.split(" "),
  ];
  const done = await run(process.execPath, flags, scratch);
  const first = firstFailure(done.stdout) || (done.status === null ? "did not end" : "");
  return { red: done.status !== 0, first, ms: Math.round(performance.now() - began) };
}

/** Suites without a mutant, by what is run of them; each is tried once, by whoever needs it first. */
const green = new Map<string, Promise<Tried>>();

async function judge(mutant: Mutant, scratch: string): Promise<boolean> {
  const { name, breaks, suite, test } = mutant;
  if (suite === "" || !suite.split(" ").every((path) => existsSync(join(ROOT, path)))) throw new Error(`${name}: no suite`);
  const key = `${suite} ${test}`;
  const untouched = green.get(key) ?? tried(mutant, scratch);
  green.set(key, untouched);
  const before = await untouched;
  await patch(mutant, scratch);
  const after = await tried(mutant, scratch);
  await patch(mutant, scratch, "--reverse");
  const outcome = before.red ? "suite red without it" : after.red ? "killed" : "SURVIVED";
  const line = { mutant: name, breaks, suite, outcome, by: before.red ? before.first : after.first, ms: after.ms };
  process.stdout.write(`${JSON.stringify(line)}\n`);
  return outcome === "killed";
}

const chosen = mutants(process.argv.slice(2));
const waiting = [...chosen];
let killed = 0;

async function work(scratch: string): Promise<void> {
  await copy(scratch);
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) if (await judge(next, scratch)) killed += 1;
}

rmSync(SCRATCH, { recursive: true, force: true });
await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => work(join(SCRATCH, String(i + 1)))));
rmSync(SCRATCH, { recursive: true, force: true });
process.stdout.write(`${killed} of ${chosen.length} mutants killed\n`);
process.exitCode = chosen.length > 0 && killed === chosen.length ? 0 : 1;
