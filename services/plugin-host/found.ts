import { BOUNDS } from "./bounds.ts";

/** A finding as a plugin says it; `result` is JSON text, its shape yet to be judged. */
export type Said =
  | { readonly status: "succeeded"; readonly result: string }
  | { readonly status: "failed"; readonly code: string; readonly message: string }
  | { readonly status: "pending"; readonly askAgainMs: number }
  | { readonly status: "not_found" }
  /** It cannot tell. */
  | { readonly status: "unknown"; readonly message: string };

const CODE = /^[A-Z][A-Z0-9_]{0,127}$/;
type Members = Readonly<Record<string, unknown>>;
const READERS: Readonly<Record<string, { readonly fields: readonly string[]; readonly read: (said: Members) => Said | string }>> = {
  succeeded: { fields: ["result"], read: ({ result }) => ({ status: "succeeded", result: JSON.stringify(result) }) },
  failed: {
    fields: ["code", "message"],
    read: ({ code, message }) =>
      typeof code === "string" && CODE.test(code) && typeof message === "string"
        ? { status: "failed", code, message }
        : "its failure has no code and message",
  },
  pending: { fields: [], read: ({ askAgainMs }) => pending(askAgainMs) },
  not_found: { fields: [], read: () => ({ status: "not_found" }) },
  unknown: { fields: [], read: () => ({ status: "unknown", message: "The provider cannot tell." }) },
};

/** Strictly: a field more or less, and it is no finding. Answers what is wrong with it, as a text. */
export function parseFound(text: string): Said | string {
  const said = parsed(text);
  if (said === undefined) return "it is no object";
  const status = said["status"];
  const reader = typeof status === "string" && Object.hasOwn(READERS, status) ? READERS[status] : undefined;
  if (reader === undefined) return "it has no known status";
  const allowed = ["status", ...reader.fields, ...(status === "pending" ? ["askAgainMs"] : [])];
  const unknown = Object.keys(said).find((field) => !allowed.includes(field));
  const missing = reader.fields.find((field) => !Object.hasOwn(said, field));
  if (unknown !== undefined || missing !== undefined) return "its fields are not those of its status";
  return reader.read(said);
}

function parsed(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : undefined;
  } catch {
    return undefined;
  }
}
function pending(askAgainMs: unknown): Said | string {
  const { shortest, usual, longest } = BOUNDS.askAgainMs;
  if (askAgainMs === undefined) return { status: "pending", askAgainMs: usual };
  if (typeof askAgainMs !== "number") return "askAgainMs is no number";
  return { status: "pending", askAgainMs: Math.round(Math.min(longest, Math.max(shortest, askAgainMs))) };
}
