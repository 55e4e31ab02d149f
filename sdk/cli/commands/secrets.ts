import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { Ending, EXIT, type ExitCode, usage } from "../exit.ts";
import { type OutputOptions, outputOption } from "../output.ts";
import { addPlaceOptions, openPlace } from "../place.ts";
import type { Settle } from "../program.ts";
import { note, say, sayJson, table } from "../terminal.ts";

interface SetOptions extends OutputOptions {
  readonly value?: string;
}

export function addSecrets(program: Command, settle: Settle): void {
  const secrets = addPlaceOptions(program.command("secrets").description("Sets, lists and removes secrets. A value is never shown again."));
  secrets.addOption(outputOption());
  secrets
    .command("set")
    .description("Sets a secret, or sets it anew. The value comes from stdin, without the line break at its end.")
    .argument("<name>", "such as API_KEY")
    .option("--value <text>", "the value, where others on this machine may see what is typed")
    .action(async (name: string, _: unknown, command: Command) => settle(await set(name, command.optsWithGlobals())));
  secrets
    .command("list")
    .description("Shows the names of the secrets.")
    .action(async (_: unknown, command: Command) => settle(await list(command.optsWithGlobals())));
  secrets
    .command("rm")
    .description("Removes a secret: operations that name it fail from now on.")
    .argument("<name>", "such as API_KEY")
    .action(async (name: string, _: unknown, command: Command) => settle(await remove(name, command.optsWithGlobals())));
}

async function set(name: string, options: SetOptions): Promise<ExitCode> {
  const client = await openPlace(options);
  const value = options.value ?? (await typed());
  if (value === "") throw usage("The value is empty.", "WOML_SECRET_VALUE_EMPTY");
  const secret = await client.setSecret(name, value);
  if (options.output === "json") sayJson(secret);
  else say(`${secret.name}  set`);
  return EXIT.ok;
}

async function typed(): Promise<string> {
  if (process.stdin.isTTY) note("The value, then Ctrl-D on a line of its own:");
  return (await text(process.stdin)).replace(/\r?\n$/, "");
}

async function list(options: OutputOptions): Promise<ExitCode> {
  const secrets = await (await openPlace(options)).secrets();
  if (options.output === "json") sayJson(secrets);
  else say(table([["SECRET", "SET"], ...secrets.map(({ name, updatedAt }) => [name, updatedAt])]));
  return EXIT.ok;
}

async function remove(name: string, options: OutputOptions): Promise<ExitCode> {
  const removed = await (await openPlace(options)).removeSecret(name);
  if (!removed) throw new Ending(EXIT.failed, "WOML_SECRET_NOT_SET", `There is no secret ${name}.`);
  if (options.output === "json") sayJson({ name, removed });
  else say(`${name}  removed`);
  return EXIT.ok;
}
