import { readFileSync } from "node:fs";
import type { Besides, RebuiltRun, Wanted } from "@woml/platform/rebuild";
import { parseRunId, showRunId } from "@woml/run";
import type { Command } from "commander";
import { Ending, EXIT, usage } from "../exit.ts";
import { type OutputOptions, outputOption } from "../output.ts";
import { fromHere } from "../path.ts";
import { DATA } from "../place.ts";
import { plain } from "../plain.ts";
import type { Settle } from "../program.ts";
import { counted, say, sayJson } from "../terminal.ts";

interface RebuildOptions extends OutputOptions {
  readonly data?: string;
  readonly tenant?: string;
  readonly run?: string;
  readonly dryRun?: boolean;
  readonly free?: boolean;
}
interface Found extends Besides {
  readonly runs: number;
  /** Those of which there is something to say. */
  readonly told: readonly RebuiltRun[];
}

export function addRebuild(program: Command, settle: Settle): void {
  program
    .command("rebuild")
    .description(
      "Makes what is stored beside the logs of runs (status, why they wait, timers, lanes, what quotas count) anew from the logs, while engines go on.",
    )
    .option("--data <dir>", `data folder of a platform that runs on this machine (default ${DATA}, unless WOML_DATABASE_URL is set)`)
    .option("--tenant <id>", "of this tenant only")
    .option("--run <id>", "of this run only")
    .option("--dry-run", "compare, and write nothing")
    .option("--free", "let go of held runs whose log is sound, so that engines take them up again")
    .addOption(outputOption())
    .action(async (options: RebuildOptions) => {
      const found = await rebuild(options);
      if (options.output === "json") sayJson({ ...found, told: found.told.map(shown) });
      else sayText(found);
      const isSound = found.told.every(({ outcome }) => outcome === "same" || outcome === "rebuilt");
      settle(isSound && (!options.dryRun || found.stray + found.lanes + found.usage === 0) ? EXIT.ok : EXIT.failed);
    });
}

async function rebuild({ data, tenant, run, dryRun = false, free = false }: RebuildOptions): Promise<Found> {
  const wanted: Wanted = { tenant: tenant && idOf("--tenant", tenant), run: run && runOf(run), dryRun, free };
  const told: RebuiltRun[] = [];
  let runs = 0;
  const tell = (one: RebuiltRun): void => {
    runs += 1;
    if (one.outcome !== "same" || one.isFreed) told.push(one);
  };
  const { rebuildDatabase, rebuildFolder } = await import("@woml/platform/rebuild");
  const isElsewhere = data === undefined && Boolean(process.env["WOML_DATABASE_URL"]);
  const sources = { env: process.env, readFile: (path: string): string => readFileSync(fromHere(path), "utf8") };
  const besides = await (isElsewhere ? rebuildDatabase(sources, wanted, tell) : rebuildFolder(fromHere(data ?? DATA), wanted, tell));
  // Of a run that was named there is something: a row, a log, or a timer that was left behind.
  if (run !== undefined && runs + besides.stray === 0) throw new Ending(EXIT.failed, "WOML_RUN_NOT_FOUND", missing(run, tenant));
  return { runs, ...besides, told };
}

function missing(run: string, tenant: string | undefined): string {
  return `There is no run ${run}${tenant === undefined ? "" : ` of the tenant ${tenant}`}.`;
}

function runOf(text: string): string {
  const run = parseRunId(text);
  if (run === null) throw usage(`--run is "${text}"; it is run_ and a UUID.`);
  return run;
}

function idOf(option: string, text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) return text;
  throw usage(`${option} is "${text}"; it is a UUID.`);
}

function shown({ run, ...rest }: RebuiltRun): object {
  return { run: showRunId(run), ...rest };
}

function sayText({ runs, stray, lanes, usage, told }: Found): void {
  for (const { run, tenant, outcome, differences, isFreed, reason } of told) {
    const words = [showRunId(run), `tenant ${tenant}`, outcome, isFreed ? "freed" : "", reason ?? differences.join("; ")];
    say(plain(words.filter((word) => word !== "").join("  ")));
  }
  const count = (wanted: RebuiltRun["outcome"]): number => told.filter(({ outcome }) => outcome === wanted).length;
  const words = [`${count("rebuilt")} rebuilt`, `${count("differs")} differing`, `${count("broken")} broken`];
  say(
    `${counted(runs, "run")}: ${words.join(", ")}; ${counted(stray, "stray timer")}, ${counted(lanes, "lane")} and ${counted(usage, "quota")} counted anew`,
  );
}
