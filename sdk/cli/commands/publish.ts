import { type Command, Option } from "commander";
import { EXIT, type ExitCode } from "../exit.ts";
import { addPlaceOptions, openPlace, type PlaceOptions } from "../place.ts";
import type { Settle } from "../program.ts";
import { note, say, sayJson } from "../terminal.ts";

interface PublishOptions extends PlaceOptions {
  readonly activate: boolean;
  readonly output: "json" | "table";
}

export function addPublish(program: Command, settle: Settle): void {
  addPlaceOptions(program.command("publish"))
    .description("Stores a version of a workflow and makes it the one that is started.")
    .argument("<file>", "a .woml file, or a definition in a .json file")
    .option("--no-activate", "store it, but let starts get the version they get now")
    .addOption(new Option("-o, --output <format>", "how to say it").choices(["table", "json"]).default("table"))
    .action(async (file: string, options: PublishOptions) => settle(await publishFile(file, options)));
}

async function publishFile(file: string, options: PublishOptions): Promise<ExitCode> {
  const { checked, publish, readPublishable, filesOf, workflowOf } = await import("../publish.ts");
  const { explained, hasError } = await import("../diagnostics.ts");
  const what = await readPublishable(file);
  const found = checked(what);
  const published = hasError(found)
    ? { version: null, created: false, diagnostics: found }
    : await publish(await openPlace(options), what, options.activate);
  const { version, created, diagnostics } = published;
  if (diagnostics.length > 0) note(explained(diagnostics, filesOf(what)).join("\n\n"));
  if (options.output === "json") sayJson({ version, created, diagnostics });
  else if (version !== null)
    say(`${workflowOf(what)}  ${version}${created ? "" : "  (stored before)"}${options.activate ? "" : "  (not activated)"}`);
  return version === null ? EXIT.invalid : EXIT.ok;
}
