// W7: `woml check` as a whole process, beside an empty start of the same Node, and the compiler alone in a warm process.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "@woml/language";
import { type Figures, quantile } from "./workloads.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const DOCUMENT = join(import.meta.dirname, "orders.woml");
const ROUNDS = 31;
const WARM = 300;

/** Milliseconds of a process from its start to its end. Throws when it fails. */
function timed(args: readonly string[]): number {
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" });
  if (status !== 0) throw new Error(`node ${args.join(" ")} ended with ${status}: ${stderr}`);
  return performance.now() - began;
}

function inProcess(): readonly number[] {
  const source = { path: "orders.woml", text: readFileSync(DOCUMENT, "utf8") };
  return Array.from({ length: 2 * WARM }, () => {
    const began = performance.now();
    compile(source);
    return performance.now() - began;
  }).slice(WARM);
}

/** In turns, so that a machine that is slow for a while is slow for both. The first of each fills caches and does not count. */
export function check(): Figures {
  const args = ["--disable-warning=ExperimentalWarning", "sdk/cli/woml.mjs", "check", DOCUMENT];
  const [checks, empty]: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round++) {
    checks.push(timed(args));
    empty.push(timed(["-e", "0"]));
  }
  const [processMs, nodeMs] = [quantile(checks.slice(1), 0.5), quantile(empty.slice(1), 0.5)];
  return { processMs, nodeMs, ratio: Math.round((100 * processMs) / nodeMs) / 100, inProcessMs: quantile(inProcess(), 0.5) };
}
