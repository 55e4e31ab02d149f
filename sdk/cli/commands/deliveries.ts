import type { Delivery } from "@woml/client";
import { type Command, InvalidArgumentError } from "commander";
import { EXIT } from "../exit.ts";
import { type AnyOutput, anyOutputOption, sayAs } from "../output.ts";
import { openPlace } from "../place.ts";
import type { Settle } from "../program.ts";
import { table } from "../terminal.ts";

interface ListOptions extends AnyOutput {
  readonly first: number;
}

/** What came to triggers, among what starts runs. */
export function addDeliveries(triggers: Command, settle: Settle): void {
  triggers
    .command("deliveries")
    .description(
      "Lists what came to a workflow's triggers and what became of it, newest first. Without a workflow: what no trigger was for.",
    )
    .argument("[workflow]", "its id")
    .argument("[trigger]", "its id in the workflow")
    .option("--first <n>", "how many, 1 to 100", firstOf, 20)
    .addOption(anyOutputOption())
    .action(async (workflow: string | undefined, trigger: string | undefined, _: unknown, command: Command) => {
      const { first, ...options } = command.optsWithGlobals<ListOptions>();
      const client = await openPlace(options);
      const of = { ...(workflow !== undefined && { workflow }), ...(trigger !== undefined && { trigger }) };
      const { items } = await client.deliveries({ first, ...of });
      sayAs(options.output, items, () => table([HEAD, ...items.map(row)]));
      settle(EXIT.ok);
    });
  triggers
    .command("redeliver")
    .description("Starts a run of the version that is active now with what a delivery brought; each time another one.")
    .argument("<delivery>", "its id")
    .addOption(anyOutputOption())
    .action(async (delivery: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<AnyOutput>();
      const client = await openPlace(options);
      const again = await client.redeliver(delivery);
      sayAs(options.output, again, () => `${again.run}  asked for by ${again.delivery.id}`);
      settle(EXIT.ok);
    });
}

const HEAD = ["DELIVERY", "AT", "TRIGGER", "OUTCOME", "COUNT", "RUN, OR WHY NOT"];
const row = ({ id, at, trigger, outcome, count, run, code, detail }: Delivery): readonly string[] => [
  ...[id, at, trigger ?? "", outcome, String(count)],
  [code, reasonOf(detail), run].filter((word) => word !== null).join(" "),
];

/** Why nobody was let in; slots that were missed have the run that was started for them. */
function reasonOf(detail: Delivery["detail"]): string | null {
  if (typeof detail !== "object" || detail === null || !("reason" in detail)) return null;
  return `(${detail["reason"]})`;
}

function firstOf(text: string): number {
  const first = Number(text);
  if (/^\d{1,3}$/.test(text) && first >= 1 && first <= 100) return first;
  throw new InvalidArgumentError("It is a number of 1 to 100.");
}
