import type { Command } from "commander";
import { EXIT } from "../exit.ts";
import { interrupted, type LaunchOptions, launch, parsePort, parsePrivateHost } from "../launch.ts";
import { DATA, PORT } from "../place.ts";
import type { Settle } from "../program.ts";
import { note, say } from "../terminal.ts";

interface UpOptions extends LaunchOptions {
  readonly json?: boolean;
}

export function addUp(program: Command, settle: Settle): void {
  program
    .command("up")
    .description("Runs the platform on this machine until Ctrl-C: PostgreSQL, control, engine and sandbox.")
    .option("--data <dir>", "data folder", DATA)
    .option("--port <n>", "port on 127.0.0.1, 0 for any free one", parsePort, PORT)
    .option("--private-host <host:port>", "a private place that plugins may reach; may be given again", parsePrivateHost)
    .option("--json", "say in one line of JSON where it is, once it is ready")
    .action(async (options: UpOptions) => {
      await up(options);
      settle(EXIT.ok);
    });
}

async function up(options: UpOptions): Promise<void> {
  note(`starting the platform on ${options.data} …`);
  const launched = await launch(options);
  if (!launched) return;
  const { graphql, tenant, key, admin } = launched.platform;
  if (options.json) say(JSON.stringify({ ready: true, graphql, tenant, key, admin }));
  else say(`GraphQL  ${graphql}\ntenant   ${tenant}\nkey      ${key}\nadmin    ${admin}`);
  await interrupted(launched.signal);
  note("stopping …");
  await launched.platform.stop();
}
