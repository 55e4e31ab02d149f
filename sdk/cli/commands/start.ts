import type { Platform } from "@woml/platform";
import { type Command, Option } from "commander";
import { EXIT, type ExitCode } from "../exit.ts";
import { interrupted, type Launched, type LaunchOptions, launch, parsePort } from "../launch.ts";
import { DATA, PORT } from "../place.ts";
import type { Settle } from "../program.ts";
import { note, say } from "../terminal.ts";

interface StartOptions extends LaunchOptions {
  readonly example: "order-router" | "payment";
  readonly once?: boolean;
  readonly json?: boolean;
}

export function addStart(program: Command, settle: Settle): void {
  program
    .command("start")
    .description("What npm start runs: the platform, with an example published and run to see that all is well.")
    .option("--data <dir>", "data folder", DATA)
    .option("--port <n>", "port on 127.0.0.1, 0 for any free one", parsePort, PORT)
    .addOption(new Option("--example <name>", "what is shown").choices(["order-router", "payment"]).default("order-router"))
    .option("--once", "end after the example; 0 only if it succeeded")
    .option("--json", "say the run's view (of payment, both runs'), and nothing else on stdout")
    .action(async (options: StartOptions) => {
      note(`starting the platform on ${options.data} …`);
      const launched = await launch(await reaching(options));
      if (!launched) return settle(EXIT.ok);
      try {
        settle(await serve(launched, options));
      } finally {
        note("stopping …");
        await launched.platform.stop();
      }
    });
}

/** The payment example's plugin talks to a provider on this machine. */
async function reaching(options: StartOptions): Promise<LaunchOptions> {
  if (options.example !== "payment") return options;
  const { PROVIDER } = await import("../example/provider.ts");
  return { ...options, privateHost: [PROVIDER.host] };
}

async function serve(launched: Launched, options: StartOptions): Promise<ExitCode> {
  const { once, json } = options;
  const ended = await showExample(launched, options);
  if (once || launched.signal.aborted) return ended;
  (json ? note : say)(welcome(launched.platform));
  await interrupted(launched.signal);
  return EXIT.ok;
}

async function showExample(launched: Launched, { example, data, json }: StartOptions): Promise<ExitCode> {
  const output = json ? "json" : "table";
  if (example === "payment") return (await import("../example/payment.ts")).showPayment(launched, data, output);
  return (await import("../example/order-router.ts")).showOrderRouter(launched, output);
}

/** The command can be pasted as it stands. */
function welcome({ graphql, tenant, key }: Platform): string {
  const query = JSON.stringify({ query: "{ runs(first: 5) { edges { node { id workflow status result } } } }" });
  const curl = `curl -s ${graphql} -H 'authorization: Bearer ${key}' -H 'content-type: application/json' -d '${query}'`;
  return `\nGraphQL  ${graphql}\ntenant   ${tenant}\nkey      ${key}\n\n${curl}\n\nCtrl-C stops it.`;
}
