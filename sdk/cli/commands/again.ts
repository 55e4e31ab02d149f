import type { RunSummary } from "@woml/client";
import type { Command } from "commander";
import { EXIT } from "../exit.ts";
import type { OutputOptions } from "../output.ts";
import { type PayloadOptions, readPayload } from "../payload.ts";
import { openPlace } from "../place.ts";
import type { Settle } from "../program.ts";
import { note, say, sayJson } from "../terminal.ts";

interface ResumeOptions extends OutputOptions, PayloadOptions {
  readonly from: string;
  readonly acknowledge?: readonly string[];
}

export function addResume(runs: Command, settle: Settle): void {
  runs
    .command("resume")
    .description("Goes on with a run that has ended, in a new one of the same version; what it had done is not done again.")
    .argument("<id>", "run_…")
    .requiredOption("--from <step>", "where the new run begins: a step or group of the main flow")
    .option("--payload <json>", "another payload; effects happen once more with it")
    .option("--payload-file <file>", "the same from a file")
    .option("--acknowledge <operation...>", "effects that shall happen once more, as the refusal lists them")
    .action(async (id: string, _: unknown, command: Command) => {
      await resume(id, command.optsWithGlobals());
      settle(EXIT.ok);
    });
}

export function addRerun(runs: Command, settle: Settle): void {
  runs
    .command("rerun")
    .description("Starts a run of the active version with the payload and the labels of another.")
    .argument("<id>", "run_…")
    .action(async (id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<OutputOptions>();
      tell(await (await openPlace(options)).rerun({ run: id }), options);
      settle(EXIT.ok);
    });
}

async function resume(id: string, options: ResumeOptions): Promise<void> {
  const { from, acknowledge, payload, payloadFile } = options;
  const isEdited = payload !== undefined || payloadFile !== undefined;
  const client = await openPlace(options);
  const begun = await client.resumeRun({
    ...{ run: id, from },
    ...(isEdited && { payload: readPayload(options) }),
    ...(acknowledge && { acknowledgeEffects: acknowledge }),
  });
  tell(begun, options);
  if (begun.duplicate) note(`${id} had been resumed from there already: this is that run.`);
}

export function tell({ run }: { readonly run: RunSummary }, { output }: OutputOptions): void {
  if (output === "json") sayJson(run);
  else say(`${run.id}  ${run.workflow}  ${run.status}`);
}
