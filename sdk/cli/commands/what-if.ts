import type { Command } from "commander";
import { Ending, EXIT, type ExitCode } from "../exit.ts";
import { addPlaceOptions, openPlace, type PlaceOptions } from "../place.ts";
import type { Settle } from "../program.ts";
import { note, say, sayJson } from "../terminal.ts";
import { noRun } from "../verdict.ts";

interface WhatIfOptions extends PlaceOptions {
  readonly against: string;
  readonly json?: boolean;
}

export function addWhatIf(program: Command, settle: Settle): void {
  addPlaceOptions(program.command("what-if"))
    .description("Says what another definition would have decided in a run, by what its scripts came to then. Runs nothing.")
    .argument("<run>", "run_…")
    .requiredOption("--against <file>", "a .woml file, or a definition in a .json file")
    .option("--json", "say it as JSON")
    .action(async (run: string, options: WhatIfOptions) => settle(await suppose(run, options)));
}

async function suppose(id: string, options: WhatIfOptions): Promise<ExitCode> {
  const { definitionIn } = await import("../against.ts");
  const { recorded, summary } = await import("../what-if.ts");
  const against = await definitionIn(options.against);
  if ("remarks" in against) {
    note(against.remarks);
    return EXIT.invalid;
  }
  const client = await openPlace(options);
  const run = await client.run(id);
  if (run === null) throw noRun(id);
  const { whatIf } = await import("@woml/platform/what-if");
  const supposed = whatIf({ ...(await recorded(client, run)), against: against.definition });
  if (supposed === null)
    throw new Ending(
      EXIT.failed,
      "WOML_WHAT_IF_NOT_POSSIBLE",
      `${id} has no log yet, or began at a step that ${options.against} does not have.`,
    );
  if (options.json) sayJson({ run: id, against: options.against, ...supposed });
  else say(summary(supposed));
  return EXIT.ok;
}
