import { EXIT } from "./exit.ts";
import { escaped } from "./plain.ts";
import { note } from "./terminal.ts";

/** Failures that were foreseen have a code and a sentence; any other is a bug, and its stack is shown on demand. */
export function explain(error: unknown): number {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error && /^WOML_/.test(String(error.code)) ? String(error.code) : "WOML_INTERNAL";
  note(escaped(`${code}: ${message}`));
  if (code === "WOML_INTERNAL" && process.env["WOML_LOG"] === "debug" && error instanceof Error) note(error.stack ?? "");
  return error instanceof Error && "exit" in error && typeof error.exit === "number" ? error.exit : EXIT.failed;
}
