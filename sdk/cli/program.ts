import { Command, CommanderError } from "commander";
import { EXIT, type ExitCode } from "./exit.ts";
import { explain } from "./explain.ts";

/** A command tells how it ended. */
export type Settle = (code: ExitCode) => void;

/** Makes one command known. */
export type Add = (program: Command, settle: Settle) => void;

/** `woml ARGS` with these commands. Answers the exit code: 0 ok, 1 failed, 2 usage, 3 invalid. Never rejects. */
export async function runWith(args: readonly string[], commands: readonly Add[]): Promise<number> {
  let exit: number = EXIT.ok;
  const program = woml(commands, (code) => {
    exit = code;
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return explain(error);
  }
}

function woml(commands: readonly Add[], settle: Settle): Command {
  const program = new Command("woml")
    .description("Checks, publishes and runs WOML workflows.")
    .version("0.1.0", "-v, --version")
    .exitOverride()
    .showHelpAfterError("(woml --help shows what there is)")
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "WOML_CLI_ARGUMENTS_INVALID: ")) })
    .addHelpText("after", "\nExit codes: 0 ok, 1 failed, 2 usage, 3 invalid. Answers go to stdout, all else to stderr.");
  for (const add of commands) add(program, settle);
  return program;
}
