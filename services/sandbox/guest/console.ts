// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Own } from "./own.ts";
import type { Written } from "./result.ts";

export interface ConsoleParts {
  readonly write: (value: unknown, maxChars: number) => Written;
  readonly emit: (level: string, text: string) => void;
  readonly maxLines: number;
  readonly lineChars: number;
}

/**
 * A console of bounded lines and characters (`allow` sets how many): the line that passes a bound is the last to leave.
 * The worker counts bytes again outside and says that lines are dropped.
 */
export function guestConsole(own: Own, parts: ConsoleParts): { readonly console: object; readonly allow: (chars: number) => void } {
  let left = 0;
  let lines = 0;
  let over = false;
  const shown = (value: unknown): string => {
    if (typeof value === "string") return own.cut(value, parts.lineChars);
    if (typeof value !== "object" || value === null) return own.asText(value);
    const written = parts.write(value, parts.lineChars);
    if ("text" in written) return written.text;
    const { name, message } = value as { readonly name?: unknown; readonly message?: unknown };
    return typeof message === "string" && typeof name === "string" ? own.cut(`${name}: ${message}`, parts.lineChars) : "[object]";
  };
  const joined = (values: readonly unknown[]): string => {
    let text = "";
    for (let i = 0; i < values.length && text.length <= parts.lineChars; i++) text += (i > 0 ? " " : "") + shown(values[i]);
    return own.cut(text, parts.lineChars);
  };
  const print = (level: string, values: readonly unknown[]): void => {
    if (over) return;
    const text = joined(values);
    left -= text.length;
    lines += 1;
    over = left < 0 || lines > parts.maxLines;
    parts.emit(level, text);
  };
  const console = {
    debug: (...values: unknown[]) => print("debug", values),
    log: (...values: unknown[]) => print("log", values),
    info: (...values: unknown[]) => print("info", values),
    warn: (...values: unknown[]) => print("warn", values),
    error: (...values: unknown[]) => print("error", values),
  };
  own.freeze(console);
  return {
    console,
    allow: (chars) => {
      left = chars;
    },
  };
}
