import type { Client, QuotaName } from "@woml/client";
import { Argument, type Command, InvalidArgumentError } from "commander";
import { Ending, EXIT, type ExitCode } from "../exit.ts";
import { type OutputOptions, outputOption } from "../output.ts";
import { allOf } from "../pages.ts";
import { addPlaceOptions, openPlace } from "../place.ts";
import type { Settle } from "../program.ts";
import { note, say, sayJson, table } from "../terminal.ts";

export function addTenants(program: Command, settle: Settle): void {
  const tenants = addPlaceOptions(program.command("tenants").description("Makes and lists tenants, with the administrator's key."));
  tenants.addOption(outputOption());
  tenants
    .command("create")
    .description("Makes a tenant and its first key, which is shown this once.")
    .argument("<name>", "unique on this platform")
    .action(async (name: string, _: unknown, command: Command) => settle(await create(name, command.optsWithGlobals())));
  tenants
    .command("list")
    .description("Shows every tenant.")
    .action(async (_: unknown, command: Command) => settle(await list(command.optsWithGlobals())));
  addQuota(tenants, settle);
}

const QUOTAS = [
  ...["active-runs", "starts-per-second", "deliveries-per-minute"],
  ...["cpu-ms-per-minute", "operations-per-minute", "stored-bytes"],
];

function addQuota(tenants: Command, settle: Settle): void {
  tenants
    .command("quota")
    .description("Limits what a tenant may use.")
    .argument("<tenant>", "its name, or its id")
    .addArgument(new Argument("<name>", "what is limited").choices(QUOTAS))
    .argument("<limit>", "0 to 1000000000 (of bytes 1000000000000000), or none", (text: string) => {
      if (text !== "none" && !/^\d{1,16}$/.test(text)) throw new InvalidArgumentError("It is a whole number, or none.");
      return text === "none" ? null : Number(text);
    })
    .action(async (...[tenant, name, limit, , command]: readonly [string, string, number | null, unknown, Command]) => {
      const options = command.optsWithGlobals<OutputOptions>();
      const spelt = name.toUpperCase().replaceAll("-", "_") as QuotaName;
      const client = await openPlace(options, "admin");
      const set = await client.setQuota(await idOf(client, tenant), { name: spelt, limit });
      if (options.output === "json") sayJson(set);
      else say(`${tenant}  ${name}  ${set.limit ?? "none"}`);
      settle(EXIT.ok);
    });
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function idOf(client: Pick<Client, "tenants">, tenant: string): Promise<string> {
  if (UUID.test(tenant)) return tenant;
  const found = (await allOf((page) => client.tenants(page))).find(({ name }) => name === tenant);
  if (found !== undefined) return found.id;
  throw new Ending(EXIT.failed, "WOML_TENANT_NOT_FOUND", `There is no tenant ${tenant}: woml tenants list shows which there are.`);
}

async function create(name: string, options: OutputOptions): Promise<ExitCode> {
  const { tenant, key } = await (await openPlace(options, "admin")).createTenant(name);
  if (options.output === "json") sayJson({ ...tenant, key });
  else
    say(
      table([
        ["TENANT", "KEY"],
        [tenant.id, key],
      ]),
    );
  note("The key is shown this once; nobody can read it again.");
  return EXIT.ok;
}

async function list(options: OutputOptions): Promise<ExitCode> {
  const client = await openPlace(options, "admin");
  const tenants = await allOf((page) => client.tenants(page));
  if (options.output === "json") sayJson(tenants);
  else say(table([["TENANT", "NAME"], ...tenants.map(({ id, name }) => [id, name])]));
  return EXIT.ok;
}
