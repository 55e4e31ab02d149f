import type { Command } from "commander";
import { EXIT } from "../exit.ts";
import type { OutputOptions } from "../output.ts";
import { openPlace, type PlaceOptions, placeWords } from "../place.ts";
import type { Settle } from "../program.ts";
import { note, say, sayJson, table } from "../terminal.ts";
import { noRun, parseHead, readVerdict, type VerdictOptions } from "../verdict.ts";

interface ResolveOptions extends OutputOptions, VerdictOptions {
  readonly head?: number;
}

export function addOperations(runs: Command, settle: Settle): void {
  runs
    .command("operations")
    .description("Shows what the scripts of a run called: effect class, outcome, evidence, and what waits for a person.")
    .argument("<id>", "run_…")
    .action(async (id: string, _: unknown, command: Command) => {
      await show(id, command.optsWithGlobals());
      settle(EXIT.ok);
    });
}

export function addResolve(runs: Command, settle: Settle): void {
  runs
    .command("resolve")
    .description("Says how an operation ended that nobody knows the outcome of, or an attempt whose replay did something else.")
    .argument("<id>", "run_…")
    .argument("<operation>", "step:attempt:call, or step:attempt")
    .option("--succeeded <json>", "it happened, and this is what it answered")
    .option("--failed <why>", "it did not happen, and shall not; the script is told why")
    .option("--retry", "perform it again, or begin a new attempt")
    .option("--message <text>", "a word for the audit, beside --succeeded or --retry")
    .option("--head <n>", "how many events the run had when you looked (default: now)", parseHead)
    .action(async (id: string, operation: string, _: unknown, command: Command) => {
      await resolve(id, operation, command.optsWithGlobals());
      settle(EXIT.ok);
    });
}

async function show(id: string, options: OutputOptions & PlaceOptions): Promise<void> {
  const run = await (await openPlace(options)).run(id);
  if (!run) throw noRun(id);
  if (options.output === "json") return sayJson(run.operations);
  const { operationDetails, questions } = await import("../effects.ts");
  say([table(operationDetails(run)), ...questions(run, placeWords(options))].join("\n"));
}

async function resolve(id: string, operation: string, options: ResolveOptions): Promise<void> {
  const said = readVerdict(options);
  const client = await openPlace(options);
  const expectedHead = options.head ?? (await client.standing(id))?.head;
  if (expectedHead === undefined) throw noRun(id);
  const run = await client.resolveUnknown({ run: id, operation, expectedHead, ...said });
  if (options.output === "json") sayJson(run);
  else say(`${run.id}  ${operation}  ${said.outcome === "retry" ? "is performed again" : said.outcome}`);
  note("The resolution is stored; the run goes on in a moment.");
}
