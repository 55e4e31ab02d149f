import { faults } from "../faults.ts";
import { patternFault } from "./pattern.ts";

type Part = Readonly<Record<string, unknown>>;
const TYPES = new Set(["null", "boolean", "object", "array", "number", "integer", "string"]);
/** Matched in time that grows with the text and no faster, or a text for which the platform can say so. */
const FORMATS = new Set(["date", "time", "date-time", "uuid", "ipv4", "ipv6", "url"]);
const MAX_DEPTH = 64;
/** Members that hold values, not schemas. */
const VALUES = new Set(["const", "enum", "default", "examples", "required", "dependentRequired"]);
/** Members whose members' names are the author's. */
const NAMED = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
const PROBES: readonly unknown[] = [null, true, 0, "", [], {}];

/** What a schema of a manifest may not hold, each with the path of the place. */
export function schemaComplaints(schema: Part, path: string): readonly string[] {
  if (depthOf(schema) > MAX_DEPTH) return [`${path}: nested more than ${MAX_DEPTH} deep`];
  const found: string[] = [];
  const own = new Set(idsOf(schema));
  walk(schema, path, (part, at) => found.push(...partComplaints(part, at, own)));
  if (found.length > 0) return found;
  const endless = PROBES.flatMap((probe) => faults(schema, probe)).find((fault) => fault.startsWith("the schema cannot be followed"));
  return endless === undefined ? [] : [`${path}: ${endless}`];
}

function* partComplaints(part: Part, at: string, own: ReadonlySet<string>): Generator<string> {
  for (const key of Object.keys(part)) if (key.startsWith("~")) yield `${at}: ${key} is no member of a JSON Schema`;
  for (const key of ["$ref", "$dynamicRef", "$recursiveRef"]) {
    const ref = part[key];
    if (ref !== undefined && !(typeof ref === "string" && (ref.startsWith("#") || own.has(ref)))) {
      yield `${at}: ${key} may only point into the same schema`;
    }
  }
  const types = Array.isArray(part["type"]) ? part["type"] : [part["type"] ?? "null"];
  for (const type of types) if (!TYPES.has(type)) yield `${at}: the type ${JSON.stringify(type)} is none of JSON's`;
  const format = part["format"];
  if (format !== undefined && !FORMATS.has(String(format))) {
    yield `${at}: the format ${JSON.stringify(format)} is not checked here; ${[...FORMATS].join(", ")} are`;
  }
  yield* patternComplaints(part, at);
}

function* patternComplaints(part: Part, at: string): Generator<string> {
  const { pattern, maxLength, patternProperties } = part;
  if (pattern !== undefined) {
    const bounded = typeof maxLength === "number" && maxLength >= 0 ? maxLength : undefined;
    const fault = typeof pattern === "string" ? patternFault(pattern, bounded) : "is no text";
    if (fault !== null) yield `${at}: pattern ${fault}`;
  }
  if (isPart(patternProperties)) {
    for (const name of Object.keys(patternProperties)) {
      const fault = patternFault(name);
      if (fault !== null) yield `${at}: patternProperties ${JSON.stringify(name)} ${fault}`;
    }
  }
}

const depthOf = (value: unknown, depth = 0): number => {
  if (depth > MAX_DEPTH || typeof value !== "object" || value === null) return depth;
  return Object.values(value).reduce((deepest: number, member) => Math.max(deepest, depthOf(member, depth + 1)), depth + 1);
};
const isPart = (value: unknown): value is Part => typeof value === "object" && value !== null && !Array.isArray(value);

function idsOf(schema: Part): readonly string[] {
  const ids: string[] = [];
  walk(schema, "", (part) => {
    if (typeof part["$id"] === "string") ids.push(part["$id"]);
  });
  return ids;
}

/** Every schema within `value`, itself first. */
function walk(value: unknown, path: string, visit: (part: Part, path: string) => void): void {
  if (Array.isArray(value)) for (const [index, item] of value.entries()) walk(item, `${path}/${index}`, visit);
  if (!isPart(value)) return;
  visit(value, path);
  for (const [key, member] of Object.entries(value)) {
    if (VALUES.has(key)) continue;
    if (!NAMED.has(key)) walk(member, `${path}/${key}`, visit);
    else if (isPart(member)) for (const [name, one] of Object.entries(member)) walk(one, `${path}/${key}/${name}`, visit);
  }
}
