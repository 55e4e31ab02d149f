import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openClient } from "@woml/client";
import type { ExitCode } from "../exit.ts";
import type { Launched } from "../launch.ts";
import { report } from "../report.ts";
import { tryOut } from "../try-out.ts";
import { EXAMPLES, exampleSource } from "./files.ts";

/** Publishes the order router and runs it once. */
export async function showOrderRouter({ platform, signal }: Launched, output: "json" | "table"): Promise<ExitCode> {
  const what = exampleSource("order-router");
  const payload = JSON.parse(readFileSync(join(EXAMPLES, "order-router.json"), "utf8"));
  return report(await tryOut(openClient(platform.graphql, platform.key), { what, payload, activate: true, signal }), what, output);
}
