import type { EmittedSignal, SignalDelivery } from "@woml/client";
import type { Command } from "commander";
import { EXIT } from "../exit.ts";
import { type AnyOutput, anyOutputOption, sayAs } from "../output.ts";
import { type PayloadOptions, readPayload } from "../payload.ts";
import { addPlaceOptions, openPlace } from "../place.ts";
import type { Settle } from "../program.ts";
import { table } from "../terminal.ts";

interface EmitOptions extends AnyOutput, PayloadOptions {
  readonly id?: string;
}

export function addSignal(program: Command, settle: Settle): void {
  const signal = addPlaceOptions(program.command("signal").description("Emits signals, with which workflows start."));
  signal
    .command("emit")
    .description(
      "Starts a run of every workflow that listens to the signal, and says what became of each. Fails when one does not take it.",
    )
    .argument("<name>", "as in <event name=…>")
    .option("--payload <json>", "what it says, an object (default {})")
    .option("--payload-file <file>", "the same, from a file")
    .option("--id <id>", "the same id again starts nothing again")
    .addOption(anyOutputOption())
    .action(async (name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<EmitOptions>();
      const payload = readPayload(options);
      const client = await openPlace(options);
      const said = await client.emitSignal({ name, payload, ...(options.id !== undefined && { id: options.id }) });
      sayAs(options.output, said, () => shown(said));
      settle(said.rejected === 0 ? EXIT.ok : EXIT.failed);
    });
}

function shown({ id, name, deliveries }: EmittedSignal): string {
  const head = `${name}  ${id}  ${deliveries.length === 0 ? "nobody listens" : ""}`.trimEnd();
  return deliveries.length === 0 ? head : `${head}\n${table([HEAD, ...deliveries.map(row)])}`;
}

const HEAD = ["WORKFLOW", "TRIGGER", "STATUS", "RUN"];
const row = ({ workflow, trigger, status, run, code, issues }: SignalDelivery): readonly string[] => [
  ...[workflow, trigger, code === null ? status : `${status} ${code}`],
  run ?? issues.map(({ path, message }) => `${path} ${message}`.trim()).join("; "),
];
