import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { EXIT } from "../exit.ts";
import { type OutputOptions, outputOption } from "../output.ts";
import { fromHere } from "../path.ts";
import type { Settle } from "../program.ts";
import { say, sayJson } from "../terminal.ts";

/** What whoever installs a platform needs before anybody can ask it. Keys go to stdout alone and are kept nowhere. */
export function addAdmin(program: Command, settle: Settle): void {
  const admin = program.command("admin").description("Makes the keys that a platform is installed with.");
  admin
    .command("key")
    .description("Prints a fresh administrator's key, which no platform knows yet: hand it to control as WOML_BOOTSTRAP_ADMIN_KEY.")
    .action(async () => {
      const { freshKey } = await import("@woml/platform/administer");
      say(freshKey());
      settle(EXIT.ok);
    });
  admin
    .command("create")
    .description("Stores a new administrator's key in the database of WOML_DATABASE_URL, as woml_control, and prints it.")
    .action(async () => {
      const { createAdmin } = await import("@woml/platform/administer");
      say(await createAdmin({ env: process.env, readFile: (path) => readFileSync(fromHere(path), "utf8") }));
      settle(EXIT.ok);
    });
  admin
    .command("seal-keys")
    .description("Prints a fresh pair of keys for secrets: the public one is control's, the private one the engine's.")
    .addOption(outputOption())
    .action(async ({ output }: OutputOptions) => {
      const { freshSealKeys } = await import("@woml/platform/administer");
      const pair = freshSealKeys();
      if (output === "json") sayJson(pair);
      else for (const [name, key] of Object.entries(pair)) say(`${name}=${key}`);
      settle(EXIT.ok);
    });
}
