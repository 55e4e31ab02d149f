import { type Command, Option } from "commander";
import type { Settle } from "../program.ts";
import { sayCheck } from "../say-check.ts";

export function addCheck(program: Command, settle: Settle): void {
  program
    .command("check")
    .description("Says all that is wrong with WOML files. Writes nothing and needs no platform.")
    .argument("<path...>", "files, and directories for the .woml files directly in them")
    .addOption(new Option("--format <format>", "how to say it").choices(["text", "json"]).default("text"))
    .action(async (paths: readonly string[], { format }: { format: "text" | "json" }) => settle(await sayCheck(paths, format)));
}
