import type { RunSummary, RunsAsk } from "@woml/client";
import { type Command, Option } from "commander";
import { EXIT, usage } from "../exit.ts";
import { type OutputOptions, outputOption } from "../output.ts";
import { addPlaceOptions, openPlace, type PlaceOptions, placeWords } from "../place.ts";
import type { Settle } from "../program.ts";
import { note, say, sayJson, table } from "../terminal.ts";
import { noRun } from "../verdict.ts";
import { addRerun, addResume } from "./again.ts";
import { addDecisions } from "./decide.ts";
import { addOperations, addResolve } from "./resolve.ts";
import { addStartRun } from "./start-run.ts";

interface ListOptions extends OutputOptions {
  readonly workflow?: string;
  readonly status?: NonNullable<RunsAsk["status"]>[number];
  readonly label?: string;
  readonly first: number;
  readonly after?: string;
}
const STATUS = ["queued", "running", "waiting", "needs_resolution", "cancelling", "succeeded", "failed", "cancelled"] as const;

export function addRuns(program: Command, settle: Settle): void {
  const runs = addPlaceOptions(
    program
      .command("runs")
      .description(
        "Lists runs, newest first; or one run, its cancelling, what it called, what is to be decided or said of that, and runs that go back to it.",
      ),
  );
  runs
    .option("--workflow <id>", "only of this workflow")
    .addOption(new Option("--status <status>", "only with this status").choices(STATUS))
    .option("--label <label>", "only with this label")
    .option("--first <n>", "how many, 1 to 100", parseFirst, 20)
    .option("--after <cursor>", "those after the end of another list")
    .addOption(outputOption())
    .action(async (options: ListOptions) => {
      await list(options);
      settle(EXIT.ok);
    });
  runs
    .command("get")
    .alias("show")
    .description("Shows one run.")
    .argument("<id>", "run_…")
    .action(async (id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<OutputOptions & PlaceOptions>();
      await get(id, options);
      settle(EXIT.ok);
    });
  runs
    .command("cancel")
    .description("Ends a run that has not ended; what ran is cancelled.")
    .argument("<id>", "run_…")
    .action(async (id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<OutputOptions>();
      const run = await (await openPlace(options)).cancelRun(id);
      if (options.output === "json") sayJson(run);
      else say(table([row(run)]));
      note("The cancel is stored; the run ends in a moment.");
      settle(EXIT.ok);
    });
  addStartRun(runs, settle);
  addDecisions(runs, settle);
  addOperations(runs, settle);
  addResolve(runs, settle);
  addResume(runs, settle);
  addRerun(runs, settle);
}

async function list({ workflow, status, label, first, after, ...options }: ListOptions): Promise<void> {
  const client = await openPlace(options);
  const ask = {
    first,
    // An empty text, as of a variable that is not set, is asked for as it is: it is not the same as none.
    ...(after !== undefined && { after }),
    ...(workflow !== undefined && { workflow }),
    ...(status && { status: [status] }),
    ...(label !== undefined && { label }),
  };
  const page = await client.runs(ask);
  if (options.output === "json") return sayJson(page);
  say(table([["RUN", "WORKFLOW", "STATUS", "CREATED", "ENDED", "LABELS"], ...page.items.map(row)]));
  if (page.hasNextPage) note(`more: --after ${page.endCursor}`);
}

async function get(id: string, options: OutputOptions & PlaceOptions): Promise<void> {
  const run = await (await openPlace(options)).run(id);
  if (!run) throw noRun(id);
  if (options.output === "json") return sayJson(run);
  const { timeline } = await import("../timeline.ts");
  say(timeline(run, placeWords(options)));
}

const row = (run: RunSummary): readonly string[] => [
  run.id,
  run.workflow,
  run.waiting && run.waiting.cause !== run.status ? `${run.status} (${run.waiting.cause})` : run.status,
  run.createdAt,
  run.endedAt ?? "",
  run.labels.join(", "),
];

function parseFirst(text: string): number {
  const first = Number(text);
  if (/^\d{1,3}$/.test(text) && first >= 1 && first <= 100) return first;
  throw usage(`--first is "${text}"; it is a number of 1 to 100.`);
}
