import { EXIT, type ExitCode } from "./exit.ts";
import { gather } from "./source.ts";
import { say, sayJson } from "./terminal.ts";

/** `woml check PATH…`: says all that is wrong, and answers how the command ends. */
export async function sayCheck(paths: readonly string[], format: "text" | "json"): Promise<ExitCode> {
  const sources = gather(paths);
  const { check } = await import("./check.ts");
  const { explained, hasError, listed, summary } = await import("./diagnostics.ts");
  const { diagnostics, texts } = await check(sources);
  if (format === "json") sayJson(listed(diagnostics));
  else say([...explained(diagnostics, texts), summary(sources.length, diagnostics)].join("\n\n"));
  return hasError(diagnostics) ? EXIT.invalid : EXIT.ok;
}
