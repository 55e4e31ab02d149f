import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openClient } from "@woml/client";
import type { Platform } from "@woml/platform";
import type { Command } from "commander";
import { EXIT, type ExitCode } from "../exit.ts";
import { interrupted, type Launched, type LaunchOptions, launch, parsePort } from "../launch.ts";
import { DATA, PORT } from "../place.ts";
import type { Settle } from "../program.ts";
import { note, say } from "../terminal.ts";

interface StartOptions extends LaunchOptions {
  readonly once?: boolean;
  readonly json?: boolean;
}
const EXAMPLES = join(import.meta.dirname, "..", "..", "..", "examples");

export function addStart(program: Command, settle: Settle): void {
  program
    .command("start")
    .description("What npm start runs: the platform, with the example published and run once to see that all is well.")
    .option("--data <dir>", "data folder", DATA)
    .option("--port <n>", "port on 127.0.0.1, 0 for any free one", parsePort, PORT)
    .option("--once", "end after the run; 0 only if it succeeded")
    .option("--json", "say the run's view, and nothing else on stdout")
    .action(async (options: StartOptions) => {
      note(`starting the platform on ${options.data} …`);
      const launched = await launch(options);
      if (!launched) return settle(EXIT.ok);
      try {
        settle(await serve(launched, options));
      } finally {
        note("stopping …");
        await launched.platform.stop();
      }
    });
}

async function serve({ platform, signal }: Launched, { once, json }: StartOptions): Promise<ExitCode> {
  const ended = await runExample(platform, signal, json ? "json" : "table");
  if (once || signal.aborted) return ended;
  (json ? note : say)(welcome(platform));
  await interrupted(signal);
  return EXIT.ok;
}

async function runExample(platform: Platform, signal: AbortSignal, output: "json" | "table"): Promise<ExitCode> {
  const { tryOut } = await import("../try-out.ts");
  const { report } = await import("../report.ts");
  const path = "examples/order-router.woml";
  const what = { kind: "source", source: { path, text: example("order-router.woml"), brokenAt: null } } as const;
  const payload = JSON.parse(example("order-router.json"));
  const tried = await tryOut(openClient(platform.graphql, platform.key), { what, payload, activate: true, signal });
  return report(tried, what, output);
}

const example = (name: string): string => readFileSync(join(EXAMPLES, name), "utf8");

/** The command can be pasted as it stands. */
function welcome({ graphql, tenant, key }: Platform): string {
  const query = JSON.stringify({ query: "{ runs(first: 5) { edges { node { id workflow status result } } } }" });
  const curl = `curl -s ${graphql} -H 'authorization: Bearer ${key}' -H 'content-type: application/json' -d '${query}'`;
  return `\nGraphQL  ${graphql}\ntenant   ${tenant}\nkey      ${key}\n\n${curl}\n\nCtrl-C stops it.`;
}
