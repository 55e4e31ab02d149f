import type { Code } from "./codes.ts";
import { utf8Bytes } from "./text.ts";
import type { Json } from "./value.ts";
import { clipped, pointer, type Violation } from "./violation.ts";

/** Deepest nesting of arrays and objects in any JSON that this platform takes in. */
export const JSON_DEPTH = 200;

/** What `checkText` finds; `path` is a JSON pointer. */
export type JsonFault = Pick<Violation, "code" | "path" | "message">;
export type Parsed = { readonly value: Json } | { readonly error: JsonFault };

/** JSON from outside: `bytes` bounds its UTF-8 length. Of a key given twice the last counts, as in JSON.parse. Never throws. */
export function parseJson(text: string, limits: { readonly bytes: number }): Parsed {
  const bytes = utf8Bytes(text);
  if (bytes > limits.bytes) return { error: fault("WOML_JSON_TOO_LARGE", "", `${bytes} bytes; at most ${limits.bytes} are taken`) };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { error: fault("WOML_JSON_INVALID", "", error instanceof Error ? error.message : "not JSON") };
  }
  const error = checkText(value);
  return error === null ? { value: value as Json } : { error };
}

/**
 * The first thing in `value` that the platform could not store or hand on unchanged, or null. Payloads, definitions and script
 * results pass here. Keys come before their values.
 */
export function checkText(value: unknown): JsonFault | null {
  if (isClean(value, 0)) return null;
  for (const found of faults(value)) return found;
  throw new Error("isClean and faults disagree");
}

/** Whether `faults` would find nothing: the same judgement without paths, for what is nearly always clean. */
function isClean(value: unknown, depth: number): boolean {
  if (typeof value === "string") return isCleanText(value);
  if (typeof value === "number") return Number.isFinite(value);
  if (value === null || typeof value === "boolean") return true;
  if (depth >= JSON_DEPTH) return false;
  if (Array.isArray(value)) {
    // Not every(): it passes over holes.
    for (let i = 0; i < value.length; i++) if (!isClean(value[i], depth + 1)) return false;
    return true;
  }
  if (!isPlain(value)) return false;
  for (const [key, member] of Object.entries(value)) {
    if (key === "__proto__" || !isCleanText(key) || !isClean(member, depth + 1)) return false;
  }
  return true;
}

const isCleanText = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** All of them, in document order. */
export function* faults(value: unknown, path = "", depth = 0): Generator<JsonFault> {
  if (typeof value === "string") yield* textFaults(value, path);
  else if (typeof value === "number") {
    if (!Number.isFinite(value)) yield fault("WOML_JSON_NUMBER_OUT_OF_RANGE", path, "this number is not finite");
  } else if (value !== null && typeof value !== "boolean") yield* nestedFaults(value, path, depth);
}

function* nestedFaults(value: unknown, path: string, depth: number): Generator<JsonFault> {
  const isArray = Array.isArray(value);
  if (!isArray && !isPlain(value)) yield fault("WOML_JSON_NOT_A_VALUE", path, `${typeof value} is no JSON value here`);
  else if (depth >= JSON_DEPTH) yield fault("WOML_JSON_TOO_DEEP", path, `arrays and objects are nested more than ${JSON_DEPTH} deep`);
  else if (isArray) for (let i = 0; i < value.length; i++) yield* faults(value[i], path + pointer(i), depth + 1);
  else
    for (const [key, member] of Object.entries(value)) {
      const at = path + pointer(key);
      if (key === "__proto__") yield fault("WOML_JSON_FORBIDDEN_KEY", at, "the key __proto__ is not taken");
      yield* textFaults(key, at);
      yield* faults(member, at, depth + 1);
    }
}

function* textFaults(text: string, path: string): Generator<JsonFault> {
  if (text.includes("\0")) yield fault("WOML_JSON_NUL_CHARACTER", path, "the character U+0000 cannot be stored");
  if (!text.isWellFormed()) yield fault("WOML_JSON_LONE_SURROGATE", path, "half of a surrogate pair is no character");
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const fault = (code: Code, path: string, message: string): JsonFault => ({ code, path: clipped(path), message });
