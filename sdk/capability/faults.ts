import type { TLocalizedValidationError } from "typebox/error";
import { Check, Errors, type XSchema } from "typebox/schema";

const MAX_FAULTS = 20;
const MAX_CHARACTERS = 500;

/**
 * Why `value` does not fit a JSON Schema, each with the JSON pointer of the place; empty when it fits. Interpreted: no code is made from
 * a schema. `schema` is one that `readManifest` let pass; with another this still answers, but may take long.
 */
export function faults(schema: object, value: unknown): readonly string[] {
  try {
    if (Check(schema as XSchema, value)) return [];
    const told = remarks(schema, value);
    return told.length > 0 ? told : ["the value does not fit its schema"];
  } catch (error) {
    return [`the schema cannot be followed: ${error instanceof Error ? error.message : "it broke"}`];
  }
}

/** Without patterns first: `Errors` matches a pattern against a text that is too long, however costly; once no text is, it may. */
function remarks(schema: object, value: unknown): readonly string[] {
  const plain = JSON.parse(JSON.stringify(schema, (key, part) => (key === "pattern" && typeof part === "string" ? undefined : part)));
  const found = remarksOf(plain, value);
  return found.length > 0 ? found : remarksOf(schema as XSchema, value);
}

const remarksOf = (schema: XSchema, value: unknown): readonly string[] =>
  Errors(schema, value)[1].filter(telling).slice(0, MAX_FAULTS).map(remark);

/** What the variants of a union say is noise beside the union's own remark; an unknown member is named by its own remark. */
const telling = (error: TLocalizedValidationError): boolean => {
  const inVariant = /\/(?:anyOf|oneOf)\//.test(error.schemaPath);
  return !inVariant && error.keyword !== "additionalProperties";
};

function remark(error: TLocalizedValidationError): string {
  const message = error.keyword === "boolean" ? "unknown member" : error.message;
  return `${error.instancePath || "the value"}: ${message}`.slice(0, MAX_CHARACTERS);
}
