// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Own } from "./own.ts";

/** In characters. */
export interface Cuts {
  readonly nameChars: number;
  readonly messageChars: number;
  readonly stackChars: number;
}

/** `call` is that of an error of the bridge's that was thrown on as it was given; 0 without one. */
export interface Thrown {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly call: number;
}

/** What was thrown, whatever it is; each part may be a trap of its author's, so each is read once, alone, and cut. */
export function failureReader(own: Own, cuts: Cuts): (thrown: unknown) => Thrown {
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
  const callOf = (thrown: object): number => {
    const { map, get } = own.raw().marks;
    return (own.apply(get, map, [thrown]) as number | undefined) ?? 0;
  };
  return (thrown) => {
    if ((typeof thrown !== "object" && typeof thrown !== "function") || thrown === null)
      return { name: "Error", message: shown(thrown), stack: "", call: 0 };
    const name = part(thrown, "name", cuts.nameChars) || "Error";
    const message = part(thrown, "message", cuts.messageChars);
    return { name, message, stack: part(thrown, "stack", cuts.stackChars), call: callOf(thrown) };
  };
}
