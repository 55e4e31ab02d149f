// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Own } from "./own.ts";

export interface Thrown {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

/** Reads whatever was thrown; each part may be a trap of its author's, so each is read once, alone, and cut. */
export function failure(own: Own, nameChars: number, messageChars: number, stackChars: number): (thrown: unknown) => Thrown {
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
      return own.cut(typeof thrown === "string" ? thrown : own.asText(thrown), messageChars);
    } catch {
      return "";
    }
  };
  return (thrown) => {
    if ((typeof thrown !== "object" && typeof thrown !== "function") || thrown === null) {
      return { name: "Error", message: shown(thrown), stack: "" };
    }
    return {
      name: part(thrown, "name", nameChars) || "Error",
      message: part(thrown, "message", messageChars),
      stack: part(thrown, "stack", stackChars),
    };
  };
}
