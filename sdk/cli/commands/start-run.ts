import type { Command } from "commander";
import { EXIT } from "../exit.ts";
import { type OutputOptions, outputOption } from "../output.ts";
import { type PayloadOptions, readPayload } from "../payload.ts";
import { openPlace } from "../place.ts";
import type { Settle } from "../program.ts";
import { note } from "../terminal.ts";
import { tell } from "./again.ts";

interface StartOptions extends OutputOptions, PayloadOptions {
  readonly of?: string;
  readonly trigger?: string;
  readonly idempotencyKey?: string;
  readonly labels?: readonly string[];
  readonly at?: string;
}

/** `woml runs start`: a run of a workflow, at once or at a time. */
export function addStartRun(runs: Command, settle: Settle): void {
  runs
    .command("start")
    .description("Starts a run of a workflow's active version, or of another one, at once or at a time.")
    .argument("<workflow>", "its id")
    .option("--payload <json>", "what its steps are given, an object (default {})")
    .option("--payload-file <file>", "the same, from a file")
    .option("--of <version>", "ver_…, in place of the active one")
    .option("--trigger <id>", "a manual trigger, in place of the first one")
    .option("--idempotency-key <key>", "the same key again starts nothing again")
    .option("--labels <label...>", "to find it by")
    .option("--at <time>", "not before then, at most a year ahead: 2026-12-24T18:00:00+01:00")
    .addOption(outputOption())
    .action(async (workflow: string, _: unknown, command: Command) => {
      await start(workflow, command.optsWithGlobals<StartOptions>());
      settle(EXIT.ok);
    });
}

async function start(workflow: string, { of, trigger, idempotencyKey, labels, at, ...options }: StartOptions): Promise<void> {
  const client = await openPlace(options);
  const { run, duplicate } = await client.startRun({
    ...{ workflow, payload: readPayload(options) },
    ...(of !== undefined && { version: of }),
    ...(trigger !== undefined && { trigger }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(labels && { labels }),
    ...(at !== undefined && { startAt: at }),
  });
  tell({ run }, options);
  if (duplicate) note(`${idempotencyKey} was used before: this is the run that it had started.`);
  if (run.waiting?.cause === "start_at") note(`It starts at ${run.waiting.until}. woml runs cancel ends it before.`);
}
