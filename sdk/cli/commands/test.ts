import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, openClient } from "@woml/client";
import { type Command, Option } from "commander";
import { Ending, EXIT } from "../exit.ts";
import { launch } from "../launch.ts";
import { type PayloadOptions, readPayload } from "../payload.ts";
import { localPlace, placeWords } from "../place.ts";
import type { Settle } from "../program.ts";
import { note } from "../terminal.ts";
import type { Tried, TryOut } from "../try-out.ts";

interface TestOptions extends PayloadOptions {
  readonly data?: string;
  readonly output: "json" | "table";
}
type Trial = Omit<TryOut, "signal" | "activate">;

/** What a platform that was made for one run cannot have. */
const ELSEWHERE: readonly string[] = ["WOML_SECRET_NOT_SET", "WOML_CAPABILITY_NOT_GRANTED"];
const OWN = "The platform of this test was its own, without secrets and plugins; --data DIR uses the one that runs on that folder.";

export function addTest(program: Command, settle: Settle): void {
  program
    .command("test")
    .description("Runs one workflow once on a platform of its own and says how it went.")
    .argument("<file>", "a .woml file, or a definition in a .json file")
    .option("--payload <json>", "payload of the manual trigger, an object (default {})")
    .option("--payload-file <file>", "the payload, from a file")
    .option("--data <dir>", "data folder to keep; a platform that runs on it is used (default: a temporary one)")
    .addOption(new Option("-o, --output <format>", "the run as a timeline or as its view").choices(["table", "json"]).default("table"))
    .action(async (file: string, options: TestOptions) => {
      const payload = readPayload(options);
      const { checked, readPublishable } = await import("../publish.ts");
      const { report } = await import("../report.ts");
      const what = await readPublishable(file);
      const diagnostics = checked(what);
      const invalid = diagnostics.some(({ severity }) => severity === "error");
      const tried = invalid ? { run: null, diagnostics } : await trial({ what, payload }, options.data);
      const isGone = options.data === undefined;
      settle(report({ ...tried, where: isGone ? null : placeWords(options) }, what, options.output));
      if (isGone && tried.diagnostics.some(({ code }) => ELSEWHERE.includes(code))) note(OWN);
    });
}

/** Where the trial takes place: the platform that runs on the folder, or one that is started for it and stopped after it. */
async function trial(wanted: Trial, data: string | undefined): Promise<Tried> {
  const place = data === undefined ? null : await localPlace(data);
  if (place) return tried(openClient(place.graphql, place.key), wanted, new AbortController().signal);
  const folder = data ?? temporary();
  try {
    const launched = await launch({ data: folder, port: 0 });
    if (!launched) return { run: null, diagnostics: [] };
    const { platform, signal } = launched;
    try {
      return await tried(openClient(platform.graphql, platform.key), wanted, signal);
    } finally {
      await platform.stop();
    }
  } finally {
    if (data === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function temporary(): string {
  try {
    return mkdtempSync(join(tmpdir(), "woml-test-"));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Ending(EXIT.failed, "WOML_DATA_FOLDER_UNUSABLE", `No temporary folder can be made (${why}): name a folder with --data.`);
  }
}

/** What others start of the workflow stays as it is: the version is run, not activated. */
async function tried(client: Client, wanted: Trial, signal: AbortSignal): Promise<Tried> {
  const { tryOut } = await import("../try-out.ts");
  return tryOut(client, { ...wanted, activate: false, signal });
}
