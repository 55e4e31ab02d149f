import type { Client, Diagnosis, Finding } from "@woml/client";
import type { Command } from "commander";
import { EXIT } from "../exit.ts";
import { type OutputOptions, outputOption } from "../output.ts";
import { addPlaceOptions, openPlace } from "../place.ts";
import { plain } from "../plain.ts";
import type { Settle } from "../program.ts";
import { counted, note, say, sayJson } from "../terminal.ts";
import { verifyAll } from "./verify.ts";

interface DoctorOptions extends OutputOptions {
  readonly verify?: boolean;
}

export function addDoctor(program: Command, settle: Settle): void {
  addPlaceOptions(program.command("doctor"))
    .description("Lists runs that nothing moves, and whatever else somebody should look at; with --data, of every tenant.")
    .option("--verify", "fold the log of every run, and not only of the newest")
    .addOption(outputOption())
    .action(async (options: DoctorOptions) => {
      const client = await openPlace(options, "admin");
      const { findings, isComplete } = await examine(client, options.verify ?? false);
      if (options.output === "json") sayJson({ findings, isComplete });
      else for (const finding of findings) say(shown(finding));
      if (options.output !== "json") say(counted(findings.length, "finding"));
      if (!isComplete) note("There are more than are told: mend these first.");
      settle(findings.length === 0 ? EXIT.ok : EXIT.failed);
    });
}

/** Findings of differences come from all logs where they are all folded. */
async function examine(client: Client, isWhole: boolean): Promise<Diagnosis> {
  const found = await client.doctor();
  if (!isWhole) return found;
  const { differing } = await verifyAll(client);
  const advice = "The log is the truth: woml rebuild makes what is stored beside the log anew from it.";
  const differs = differing.map(
    ({ run, tenant, differences }): Finding => ({ kind: "DIFFERS", run, tenant, cause: differences.join("; "), since: null, advice }),
  );
  return { ...found, findings: [...found.findings.filter(({ kind }) => kind !== "DIFFERS"), ...differs] };
}

function shown({ kind, run, tenant, cause, since, advice }: Finding): string {
  const matter = `${run}  tenant ${tenant}  ${kind.toLowerCase()}  ${cause}${since === null ? "" : `, since ${since}`}`;
  return `${plain(matter)}\n  ${plain(advice)}`;
}
