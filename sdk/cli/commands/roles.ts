import { readFileSync } from "node:fs";
import type { Sources } from "@woml/platform/cluster";
import type { Command } from "commander";
import { EXIT, type ExitCode, usage } from "../exit.ts";
import { interrupted } from "../launch.ts";
import { fromHere } from "../path.ts";
import type { Settle } from "../program.ts";
import { say } from "../terminal.ts";

interface RoleOptions {
  readonly config?: string;
  readonly printConfig?: boolean;
}

const SAYS = {
  control: "One process of a cluster: GraphQL, over PostgreSQL as woml_control.",
  engine: "One process of a cluster: drives runs, over PostgreSQL as woml_engine.",
  sandbox: "One process of a cluster: runs scripts for engines.",
  "plugin-host": "One process of a cluster: runs plugins for engines.",
  migrate: "Brings a cluster's database to this version's schema, as its owner, and ends.",
} as const;

/** `woml control|engine|sandbox|plugin-host|migrate`: settings come from the environment or a file, never from arguments, which every user of a machine can read. */
export function addRoles(program: Command, settle: Settle): void {
  for (const role of Object.keys(SAYS) as (keyof typeof SAYS)[]) {
    program
      .command(role)
      .description(SAYS[role])
      .option("--config <file>", "a JSON object of settings; the environment goes before it")
      .option("--print-config", "say what it would run with, secrets hidden, and end; 2 where that is refused")
      .action(async ({ config, printConfig }: RoleOptions) => {
        const sources = sourcesOf(config);
        if (printConfig) settle(await print(role, sources));
        else if (role === "migrate") settle(await migrate(sources));
        else settle(await serve(role, sources));
      });
  }
}

function sourcesOf(config: string | undefined): Sources {
  const env = process.env;
  const readFile = (path: string): string => readFileSync(fromHere(path), "utf8");
  if (config === undefined) return { env, readFile };
  try {
    return { env, readFile, file: { path: config, text: readFile(fromHere(config)) } };
  } catch (error) {
    throw usage(`--config: ${config} cannot be read (${error instanceof Error && "code" in error ? String(error.code) : "unknown"}).`);
  }
}

async function print(role: keyof typeof SAYS, sources: Sources): Promise<ExitCode> {
  const { printSettings, readSettings } = await import("@woml/platform/cluster");
  say(printSettings(role, sources).join("\n"));
  // Throws, and so says, what is wrong with it.
  readSettings(role, sources);
  return EXIT.ok;
}

async function migrate(sources: Sources): Promise<ExitCode> {
  const { migrateDatabase } = await import("@woml/platform/cluster");
  const { applied } = await migrateDatabase(sources);
  say(JSON.stringify({ migrated: true, applied }));
  return EXIT.ok;
}

async function serve(role: Exclude<keyof typeof SAYS, "migrate">, sources: Sources): Promise<ExitCode> {
  const { interruption, serveRole } = await import("@woml/platform/cluster");
  const signal = interruption();
  let serving: Awaited<ReturnType<typeof serveRole>>;
  try {
    serving = await serveRole(role, sources, signal);
  } catch (error) {
    if (signal.aborted) return EXIT.ok;
    throw error;
  }
  const { listen, health } = serving;
  say(JSON.stringify({ ready: true, role, listen, health, pid: process.pid }));
  const why = await Promise.race([interrupted(signal).then(() => null), serving.ended]);
  await serving.stop();
  return why === null ? EXIT.ok : EXIT.failed;
}
