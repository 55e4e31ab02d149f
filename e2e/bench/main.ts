// `npm run bench -- w1 w2 w5 --json`: figures of reference workloads on this machine, each beside the floors measured in the same run. A
// workload in which something happened twice, or did not happen, ends it with 1. `--workers=32` lets so many scripts of the tenant run at once
// in w5 and w5b; without it the sandbox is as it ships.
import { measureContextMs } from "@woml/sandbox";
import { check } from "./check.ts";
import type { Floor } from "./ground.ts";
import { openRestart } from "./restart.ts";
import { openStage, type Stage } from "./stage.ts";
import { type Figures, WORKLOADS } from "./workloads.ts";

const RESTARTS = { w5: "waiting", w5b: "charging" } as const;
const NAMES = [...Object.keys(WORKLOADS), ...Object.keys(RESTARTS), "w7"];
const DOORS: Readonly<Record<string, string>> = { w1g: "graphql", w6: "webhook" };
/** Of these there is none. */
const MISHAPS = ["completedTwice", "performedTwice", "unfinished", "errors"];

const words = process.argv.slice(2);
const isJson = words.includes("--json");
const named = words.filter((word) => !word.startsWith("--"));
const workers = words.map((word) => /^--workers=(\d+)$/.exec(word)?.[1]).find((count) => count !== undefined);
const options = words.filter((word) => word.startsWith("--") && word !== "--json" && !/^--workers=[1-9]\d*$/.test(word));
const unknown = named.filter((name) => !NAMES.includes(name));
const chosen = NAMES.filter((name) => named.length === 0 || named.includes(name));

function print(line: Readonly<Record<string, unknown>>): void {
  if (isJson) return void process.stdout.write(`${JSON.stringify(line)}\n`);
  for (const [name, value] of Object.entries(line)) process.stdout.write(`${name === "workload" ? "\n" : "  "}${name}  ${String(value)}\n`);
}

interface Place {
  readonly floor: Floor;
  readonly layers: readonly string[];
}
/** The floors are measured right before the workload: a shared machine changes from minute to minute. */
async function measure(name: string, { floor, layers }: Place, workload: () => Promise<Figures>): Promise<void> {
  const commitMs = await floor.commitMs();
  const contextMs = await measureContextMs();
  const figures = await workload();
  const round = (value: number): number => Math.round(value * 1_000) / 1_000;
  const conditions = { door: DOORS[name] ?? "inbox", isolation: "context", layers, fsync: floor.fsync };
  print({ workload: name, ...figures, commitMs: round(commitMs), contextMs: round(contextMs), ...conditions });
  if (MISHAPS.some((mishap) => (figures[mishap] ?? 0) > 0)) process.exitCode = 1;
}

/** On one stage, one after another. */
async function steady(names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const stage: Stage = await openStage();
  try {
    for (const name of names) {
      for (const workload of [WORKLOADS[name] ?? []].flat()) await measure(name, stage, () => workload(stage));
    }
  } finally {
    await stage.close();
  }
}

/** Each with an engine of its own to kill. */
async function restarted(name: keyof typeof RESTARTS): Promise<void> {
  const stage = await openRestart(
    RESTARTS[name],
    workers === undefined ? {} : { workersPerTenant: Number(workers), workers: Number(workers) + 2 },
  );
  try {
    await measure(name, stage, async () => ({ ...(await stage.run()) }));
  } finally {
    await stage.close();
  }
}

if (options.length > 0) {
  process.stderr.write(`There is no option ${options.join(", ")}; there are --json and --workers=N.\n`);
  process.exitCode = 2;
} else if (unknown.length > 0) {
  process.stderr.write(`There is no workload ${unknown.join(", ")}; there are ${NAMES.join(", ")}.\n`);
  process.exitCode = 2;
} else {
  await steady(chosen.filter((name) => Object.hasOwn(WORKLOADS, name)));
  for (const name of ["w5", "w5b"] as const) if (chosen.includes(name)) await restarted(name);
  if (chosen.includes("w7")) print({ workload: "w7", ...check() });
}
