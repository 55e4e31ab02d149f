import type { Json } from "./value.ts";

/**
 * The one text of a JSON value by RFC 8785: keys sorted by UTF-16 code units, numbers as ECMAScript prints them, no blanks. What is
 * hashed and stored. Throws TypeError for what has no such text: a number that is not finite, a lone surrogate, anything not JSON.
 */
export function canonical(value: Json): string {
  const parts: string[] = [];
  write(value, parts);
  return parts.join("");
}

function write(value: Json, parts: string[]): void {
  if (value === null || typeof value === "boolean") parts.push(String(value));
  else if (typeof value === "number") parts.push(numberText(value));
  else if (typeof value === "string") parts.push(stringText(value));
  else if (isArray(value)) writeArray(value, parts);
  else if (typeof value === "object") writeObject(value, parts);
  else throw new TypeError(`${typeof value} has no canonical JSON`);
}

function writeArray(items: readonly Json[], parts: string[]): void {
  parts.push("[");
  for (let i = 0; i < items.length; i++) {
    if (i > 0) parts.push(",");
    write(items[i] as Json, parts);
  }
  parts.push("]");
}

function writeObject(object: { readonly [key: string]: Json }, parts: string[]): void {
  let separator = "{";
  // The default order of sort is the one RFC 8785 asks for: by UTF-16 code units.
  for (const key of Object.keys(object).sort()) {
    parts.push(separator, stringText(key), ":");
    write(object[key] as Json, parts);
    separator = ",";
  }
  parts.push(separator === "{" ? "{}" : "}");
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`${value} has no canonical JSON`);
  // String(-0) is "0", as the RFC wants.
  return String(value);
}

function stringText(value: string): string {
  if (!value.isWellFormed()) throw new TypeError("a lone surrogate has no canonical JSON");
  return JSON.stringify(value);
}

// Array.isArray does not narrow a readonly array away from the object in the union.
const isArray = (value: Json): value is readonly Json[] => Array.isArray(value);
