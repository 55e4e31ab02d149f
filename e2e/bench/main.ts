// `npm run bench -- w1 w2 w4 --json`: figures of reference workloads on this machine, each beside the floors measured in the same run.
import { measureContextMs } from "@woml/sandbox";
import { openStage, type Stage } from "./stage.ts";
import { type Figures, WORKLOADS } from "./workloads.ts";

const words = process.argv.slice(2);
const isJson = words.includes("--json");
const named = words.filter((word) => !word.startsWith("--"));
const unknown = named.filter((name) => !Object.hasOwn(WORKLOADS, name));

function print(line: Readonly<Record<string, unknown>>): void {
  if (isJson) return void process.stdout.write(`${JSON.stringify(line)}\n`);
  for (const [name, value] of Object.entries(line)) process.stdout.write(`${name === "workload" ? "\n" : "  "}${name}  ${String(value)}\n`);
}

/** The floors are measured right before the workload: a shared machine changes from minute to minute. */
async function measure(stage: Stage, name: string): Promise<void> {
  const commitMs = await stage.floor.commitMs();
  const contextMs = await measureContextMs();
  const workload = WORKLOADS[name];
  if (workload === undefined) return;
  const figures: Figures = await workload(stage);
  const round = (value: number): number => Math.round(value * 1_000) / 1_000;
  const conditions = { door: "inbox", isolation: "context", layers: stage.layers, fsync: stage.floor.fsync };
  print({ workload: name, ...figures, commitMs: round(commitMs), contextMs: round(contextMs), ...conditions });
}

if (unknown.length > 0) {
  process.stderr.write(`There is no workload ${unknown.join(", ")}; there are ${Object.keys(WORKLOADS).join(", ")}.\n`);
  process.exitCode = 2;
} else {
  const stage = await openStage();
  try {
    for (const name of named.length > 0 ? named : Object.keys(WORKLOADS)) await measure(stage, name);
  } finally {
    await stage.close();
  }
}
