import { type Command, Option } from "commander";
import { EXIT } from "../exit.ts";
import type { Settle } from "../program.ts";
import { gather } from "../source.ts";
import { say, sayJson } from "../terminal.ts";

export function addCheck(program: Command, settle: Settle): void {
  program
    .command("check")
    .description("Says all that is wrong with WOML files. Writes nothing and needs no platform.")
    .argument("<path...>", "files, and directories for the .woml files directly in them")
    .addOption(new Option("--format <format>", "how to say it").choices(["text", "json"]).default("text"))
    .action(async (paths: readonly string[], { format }: { format: "text" | "json" }) => {
      const sources = gather(paths);
      const { check } = await import("../check.ts");
      const { explained, hasError, listed, summary } = await import("../diagnostics.ts");
      const { diagnostics, texts } = await check(sources);
      if (format === "json") sayJson(listed(diagnostics));
      else say([...explained(diagnostics, texts), summary(sources.length, diagnostics)].join("\n\n"));
      settle(hasError(diagnostics) ? EXIT.invalid : EXIT.ok);
    });
}
