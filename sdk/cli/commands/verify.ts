import type { Client, Verification } from "@woml/client";
import { type Command, Option } from "commander";
import { EXIT } from "../exit.ts";
import { addPlaceOptions, openPlace, type PlaceOptions } from "../place.ts";
import type { Settle } from "../program.ts";
import { counted, say, sayJson } from "../terminal.ts";

interface VerifyOptions extends PlaceOptions {
  readonly output: "json" | "table";
}

export function addVerify(program: Command, settle: Settle): void {
  addPlaceOptions(program.command("verify"))
    .description("Folds the log of every run and compares it with what is stored about it; with --data, of every tenant.")
    .addOption(new Option("-o, --output <format>", "how to say it").choices(["table", "json"]).default("table"))
    .action(async (options: VerifyOptions) => {
      const { runs, differing } = await verifyAll(await openPlace(options, "admin"));
      if (options.output === "json") sayJson({ runs, differing });
      else {
        for (const { run, tenant, differences } of differing) say(`${run}  tenant ${tenant}  ${differences.join("; ")}`);
        say(`${counted(runs, "run")} verified, ${differing.length === 0 ? "none differs" : counted(differing.length, "difference")}`);
      }
      settle(differing.length === 0 ? EXIT.ok : EXIT.failed);
    });
}

/** Every run of whoever asks, page by page. */
export async function verifyAll(client: Client): Promise<{ readonly runs: number; readonly differing: readonly Verification[] }> {
  const differing: Verification[] = [];
  let runs = 0;
  for (let after: string | null = null; ; ) {
    const page = await client.verify({ first: 100, after });
    runs += page.items.length;
    differing.push(...page.items.filter(({ ok }) => !ok));
    after = page.endCursor;
    if (!page.hasNextPage) return { runs, differing };
  }
}
