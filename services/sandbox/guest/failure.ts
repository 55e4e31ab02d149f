// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Own } from "./own.ts";

/** In characters. */
export interface Cuts {
  readonly nameChars: number;
  readonly messageChars: number;
  readonly stackChars: number;
}

/** Name, message and stack of whatever was thrown; each may be a trap of its author's, so each is read once, alone, and cut. */
export function failureReader(own: Own, cuts: Cuts): (thrown: unknown) => readonly [name: string, message: string, stack: string] {
  const part = (thrown: object, key: "name" | "message" | "stack", chars: number): string => {
    try {
      const value = (thrown as Readonly<Record<string, unknown>>)[key];
      return typeof value === "string" ? own.cut(value, chars) : "";
    } catch {
      return "";
    }
  };
  const shown = (thrown: unknown): string => {
    try {
      return own.cut(own.asText(thrown), cuts.messageChars);
    } catch {
      return "";
    }
  };
  return (thrown) => {
    if ((typeof thrown !== "object" && typeof thrown !== "function") || thrown === null) return ["Error", shown(thrown), ""];
    const name = part(thrown, "name", cuts.nameChars) || "Error";
    return [name, part(thrown, "message", cuts.messageChars), part(thrown, "stack", cuts.stackChars)];
  };
}
