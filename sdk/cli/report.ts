import { explained, hasError, listed } from "./diagnostics.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { exitOf } from "./follow.ts";
import { filesOf, type Publishable } from "./publish.ts";
import { note, say, sayJson } from "./terminal.ts";
import { timeline } from "./timeline.ts";
import type { Tried } from "./try-out.ts";

/**
 * Says how a try went and answers the exit code: the run on stdout, remarks on the source on stderr; with `json` and nothing to run, the
 * diagnostics on stdout as `woml check --format json` has them.
 */
export function report({ run, diagnostics, where = "" }: Tried, what: Publishable, output: "json" | "table"): ExitCode {
  if (diagnostics.length > 0) note(explained(diagnostics, filesOf(what)).join("\n\n"));
  if (output === "json") sayJson(run ?? listed(diagnostics));
  else if (run) say(timeline(run, where));
  if (run) return exitOf(run);
  return hasError(diagnostics) ? EXIT.invalid : EXIT.failed;
}
