import type { Workflow } from "@woml/client";
import type { Command } from "commander";
import { EXIT } from "../exit.ts";
import { type AnyOutput, anyOutputOption, sayAs } from "../output.ts";
import { allOf } from "../pages.ts";
import { addPlaceOptions, openPlace } from "../place.ts";
import type { Settle } from "../program.ts";
import { note, table } from "../terminal.ts";

export function addWorkflows(program: Command, settle: Settle): void {
  const workflows = addPlaceOptions(
    program.command("workflows").description("Lists workflows with the version that is started; makes another one active, or none."),
  );
  workflows.addOption(anyOutputOption()).action(async (options: AnyOutput) => {
    const client = await openPlace(options);
    const found = await allOf((page) => client.workflows(page));
    sayAs(options.output, found, () => table([["WORKFLOW", "ACTIVE", "NAME"], ...found.map(row)]));
    settle(EXIT.ok);
  });
  workflows
    .command("activate")
    .description("Makes a version the one that is started, also an old one: its triggers take the place of the others.")
    .argument("<version>", "ver_…")
    .action(async (version: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<AnyOutput>();
      const { workflow, changed } = await (await openPlace(options)).activate(version);
      sayAs(options.output, workflow, () => table([row(workflow)]));
      if (!changed) note("It was active before.");
      settle(EXIT.ok);
    });
  workflows
    .command("deactivate")
    .description("Takes a workflow out of use: nothing starts it any more, and its runs go on.")
    .argument("<workflow>", "its id")
    .action(async (id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<AnyOutput>();
      const { workflow, changed } = await (await openPlace(options)).deactivate(id);
      sayAs(options.output, workflow, () => table([row(workflow)]));
      if (!changed) note("No version of it was active before.");
      settle(EXIT.ok);
    });
}

const row = ({ id, active, name }: Workflow): readonly string[] => [id, active ?? "(none)", name ?? ""];
