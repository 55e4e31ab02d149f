import type { Command } from "commander";
import { EXIT } from "../exit.ts";
import type { OutputOptions } from "../output.ts";
import { openPlace } from "../place.ts";
import type { Settle } from "../program.ts";
import { note, say, sayJson } from "../terminal.ts";

const WAYS = [
  { name: "approve", decision: "approved", description: "Approves what a run waits for: it goes on with what stands behind an approval." },
  { name: "reject", decision: "rejected", description: "Rejects it: the run goes on with what stands behind a rejection." },
] as const;

/** `woml runs approve` and `woml runs reject`. */
export function addDecisions(runs: Command, settle: Settle): void {
  for (const { name, decision, description } of WAYS) {
    runs
      .command(name)
      .description(description)
      .argument("<id>", "run_…")
      .argument("<approval>", "its id in the workflow")
      .action(async (id: string, approval: string, _: unknown, command: Command) => {
        const options = command.optsWithGlobals<OutputOptions>();
        const run = await (await openPlace(options)).resolveApproval({ run: id, approval, decision });
        if (options.output === "json") sayJson(run);
        else say(`${run.id}  ${approval}  ${decision}`);
        note("The decision is stored; the run goes on in a moment.");
        settle(EXIT.ok);
      });
  }
}
