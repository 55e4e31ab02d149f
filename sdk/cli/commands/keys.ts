import type { ApiKey, CreateKeyInput } from "@woml/client";
import type { Command } from "commander";
import { EXIT, type ExitCode, usage } from "../exit.ts";
import { type OutputOptions, outputOption } from "../output.ts";
import { allOf } from "../pages.ts";
import { addPlaceOptions, openPlace } from "../place.ts";
import type { Settle } from "../program.ts";
import { note, say, sayJson, table } from "../terminal.ts";

interface KeyOptions extends OutputOptions {
  readonly tenant?: string;
  readonly admin?: boolean;
}

export function addKeys(program: Command, settle: Settle): void {
  const keys = addPlaceOptions(program.command("keys").description("Makes, lists and revokes keys, with the administrator's key."));
  keys.addOption(outputOption());
  keys
    .command("create")
    .description("Makes a further key, which is shown this once: a tenant's, or an administrator's.")
    .option("--tenant <id>", "for this tenant")
    .option("--admin", "to administer the platform with")
    .action(async (_: unknown, command: Command) => settle(await create(command.optsWithGlobals())));
  keys
    .command("list")
    .description("Shows the keys that stand, newest first, without their texts.")
    .option("--tenant <id>", "of this tenant alone")
    .action(async (_: unknown, command: Command) => settle(await list(command.optsWithGlobals())));
  keys
    .command("revoke")
    .description("Revokes a key: it opens nothing any more, at once and for ever.")
    .argument("<id>", "the eight characters that stand after woml_ in it")
    .action(async (id: string, _: unknown, command: Command) => settle(await revoke(id, command.optsWithGlobals())));
}

async function create(options: KeyOptions): Promise<ExitCode> {
  const made = await (await openPlace(options, "admin")).createKey(inputOf(options));
  if (options.output === "json") sayJson(made);
  else
    say(
      table([
        ["ID", "KEY"],
        [made.id, made.key],
      ]),
    );
  note("The key is shown this once; nobody can read it again.");
  return EXIT.ok;
}

function inputOf({ tenant, admin = false }: KeyOptions): CreateKeyInput {
  if (tenant !== undefined && !admin) return { tenant };
  if (tenant === undefined && admin) return { admin };
  throw usage("Say whose key: either --tenant, or --admin for one that administers the platform.");
}

async function list(options: KeyOptions): Promise<ExitCode> {
  const client = await openPlace(options, "admin");
  const { tenant } = options;
  const keys = await allOf((page) => client.keys({ ...page, ...(tenant === undefined ? {} : { tenant }) }));
  if (options.output === "json") sayJson(keys);
  else say(table([["ID", "SCOPE", "TENANT", "MADE"], ...keys.map(rowOf)]));
  return EXIT.ok;
}

const rowOf = ({ id, scopes, tenant, createdAt }: ApiKey): readonly string[] => [id, scopes.join(","), tenant ?? "", createdAt];

async function revoke(id: string, options: KeyOptions): Promise<ExitCode> {
  const revoked = await (await openPlace(options, "admin")).revokeKey(id);
  if (options.output === "json") sayJson(revoked);
  else say(`${revoked.id}  revoked`);
  return EXIT.ok;
}
