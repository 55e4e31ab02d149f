import type { Command } from "commander";
import { EXIT, type ExitCode } from "../exit.ts";
import { parsePort, parsePrivateHost } from "../launch.ts";
import type { RunLiveOptions } from "../live.ts";
import { PORT } from "../place.ts";
import type { Settle } from "../program.ts";

export function addRun(program: Command, settle: Settle): void {
  program
    .command("run")
    .description("Runs workflows live: a platform with their triggers active, and their events as they come, until Ctrl-C.")
    .argument("<path...>", "files, and directories for the .woml files directly in them")
    .option("--data <dir>", "data folder to keep, with the secrets that were set in it (default: a temporary one)")
    .option("--port <n>", "port on 127.0.0.1, 0 for any free one", parsePort, PORT)
    .option("--private-host <host:port>", "a private place that plugins may reach; may be given again", parsePrivateHost)
    .option("--trigger <id>", "the manual trigger that Enter starts, as TRIGGER or WORKFLOW/TRIGGER")
    .option("--payload <json>", "payload of a manual start, an object (default {})")
    .option("--payload-file <file>", "the payload, from a file")
    .option("--env-secrets <names>", "secrets that are taken from the environment, NAME,NAME")
    .option("--json", "say everything as one JSON object a line")
    .action(async (paths: readonly string[], options: RunLiveOptions) => settle(await runLive(paths, options)));
}

async function runLive(paths: readonly string[], options: RunLiveOptions): Promise<ExitCode> {
  const { live } = await import("../live.ts");
  return (await live(paths, options)) ?? EXIT.ok;
}
