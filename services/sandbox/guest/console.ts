// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Own } from "./own.ts";
import type { Written } from "./result.ts";

export interface PrinterParts {
  readonly own: Own;
  readonly write: (value: unknown, maxChars: number) => Written;
  readonly emit: (level: string, text: string) => void;
  readonly maxLines: number;
  readonly lineChars: number;
}

/**
 * A console of bounded lines and characters: the line that passes a bound is the last to leave.
 * The worker counts bytes again outside and says that lines are dropped.
 */
export class Printer {
  readonly console: object;
  readonly #parts: PrinterParts;
  #charsLeft = 0;
  #linesLeft: number;

  constructor(parts: PrinterParts) {
    this.#parts = parts;
    this.#linesLeft = parts.maxLines;
    this.console = {
      debug: (...values: unknown[]) => this.#print("debug", values),
      log: (...values: unknown[]) => this.#print("log", values),
      info: (...values: unknown[]) => this.#print("info", values),
      warn: (...values: unknown[]) => this.#print("warn", values),
      error: (...values: unknown[]) => this.#print("error", values),
    };
    parts.own.freeze(this.console);
  }

  allow(chars: number): void {
    this.#charsLeft = chars;
  }

  #print(level: string, values: readonly unknown[]): void {
    if (this.#charsLeft < 0 || this.#linesLeft < 0) return;
    const text = this.#joined(values);
    this.#charsLeft -= text.length;
    this.#linesLeft -= 1;
    this.#parts.emit(level, text);
  }
  #joined(values: readonly unknown[]): string {
    const { own, lineChars } = this.#parts;
    let text = "";
    for (let i = 0; i < values.length && text.length <= lineChars; i++) text += (i > 0 ? " " : "") + this.#shown(values[i]);
    return own.cut(text, lineChars);
  }
  #shown(value: unknown): string {
    const { own, write, lineChars } = this.#parts;
    if (typeof value === "string") return own.cut(value, lineChars);
    if (typeof value !== "object" || value === null) return own.cut(own.asText(value), lineChars);
    const written = write(value, lineChars);
    if ("text" in written) return written.text;
    const { name, message } = value as { readonly name?: unknown; readonly message?: unknown };
    const error = typeof message === "string" && typeof name === "string";
    return error ? `${own.cut(name, lineChars)}: ${own.cut(message, lineChars)}` : "[object]";
  }
}
