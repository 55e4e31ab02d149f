import type { Lane } from "@woml/client";
import { span } from "@woml/model";
import type { Command } from "commander";
import { EXIT } from "../exit.ts";
import { type AnyOutput, anyOutputOption, sayAs } from "../output.ts";
import { addPlaceOptions, openPlace } from "../place.ts";
import type { Settle } from "../program.ts";
import { table } from "../terminal.ts";

const HEAD = ["LANE", "LIMIT", "RATE", "ACTIVE", "WAITING", "RESUMING", "HELD BY"];

export function addLanes(program: Command, settle: Settle): void {
  addPlaceOptions(program.command("lanes").description("Shows where runs wait for a place, who holds one, and how many wait."))
    .argument("[workflow]", "of this workflow, and of the tenant as a whole")
    .addOption(anyOutputOption())
    .action(async (workflow: string | undefined, options: AnyOutput) => {
      const found = await (await openPlace(options)).lanes(workflow ?? null);
      sayAs(options.output, found, () => table([HEAD, ...found.map(row)]));
      settle(EXIT.ok);
    });
}

function row({ workflow, queue, most, rateCount, rateMs, active, waiting, resuming, holders }: Lane): readonly string[] {
  const [first] = holders;
  const held = first === undefined ? "" : `${first.run} since ${first.since}${active > 1 ? ` and ${active - 1} more` : ""}`;
  const name = workflow ?? "the tenant";
  return [
    queue === null ? name : `${name} (${queue})`,
    most === null ? "" : String(most),
    rateCount === null ? "" : `${rateCount}/${span(rateMs ?? 0)}`,
    ...[active, waiting, resuming].map(String),
    held,
  ];
}
