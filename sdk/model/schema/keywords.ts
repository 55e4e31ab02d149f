import type { Json } from "../value.ts";
import type { Part, Way } from "./fault.ts";

/** `schema`: it is one; `list`: an array of them; `members`: an object of them; `dependents`: an object of them, or of lists of names. */
type Holding = "schema" | "list" | "members" | "dependents";
/** What a keyword of JSON Schema 2020-12 must be. */
export interface Keyword {
  readonly isSound: (value: Json) => boolean;
  /** What it must be, in words. */
  readonly must: string;
  readonly holds?: Holding;
  /** It does not take part in judging a value; what it holds is judged where a reference leads to it. */
  readonly isStore?: true;
}

const TYPES: ReadonlySet<Json> = new Set(["null", "boolean", "object", "array", "number", "string", "integer"]);

export const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: Json): value is string => typeof value === "string";
const isFlag = (value: Json): boolean => typeof value === "boolean";
const isNumber = (value: Json): value is number => typeof value === "number";
const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
const isCount = (value: Json): boolean => isNumber(value) && Number.isInteger(value) && value >= 0;
const isSet = (value: Json, member: (value: Json) => boolean): boolean =>
  isList(value) && value.every(member) && new Set(value).size === value.length;
const isNames = (value: Json): boolean => isSet(value, isText);
const isType = (value: Json): boolean => TYPES.has(value);

const ID = /^[^#]*#?$/;
const ANCHOR = /^[A-Za-z_][-A-Za-z0-9._]*$/;
const VERSION = /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;

const text: Keyword = { isSound: isText, must: "must be a text" };
const flag: Keyword = { isSound: isFlag, must: "must be true or false" };
const number: Keyword = { isSound: isNumber, must: "must be a number" };
const count: Keyword = { isSound: isCount, must: "must be a whole number, 0 or more" };
const anything: Keyword = { isSound: () => true, must: "" };
const anchor: Keyword = {
  isSound: (value) => isText(value) && ANCHOR.test(value),
  must: 'must be a name: a letter or "_", then letters, digits, "-", "." and "_"',
};
const schema: Keyword = {
  isSound: (value) => isObject(value) || isFlag(value),
  must: "must be a schema: an object, true or false",
  holds: "schema",
};
const schemas: Keyword = {
  isSound: (value) => isList(value) && value.length > 0,
  must: "must be a list of schemas, at least one",
  holds: "list",
};
const members: Keyword = { isSound: isObject, must: "must be an object of schemas", holds: "members" };
const store: Keyword = { ...members, isStore: true };

/** The keywords of all vocabularies of JSON Schema 2020-12, and those it keeps from before. Anything else in a schema means nothing. */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ["$schema", text],
  ["$id", { isSound: (value) => isText(value) && ID.test(value), must: "must be an address without a part behind #" }],
  ["$ref", text],
  ["$dynamicRef", text],
  ["$recursiveRef", text],
  ["$anchor", anchor],
  ["$dynamicAnchor", anchor],
  ["$recursiveAnchor", anchor],
  [
    "$vocabulary",
    { isSound: (value) => isObject(value) && Object.values(value).every(isFlag), must: "must be an object of true and false" },
  ],
  ["$comment", text],
  ["$defs", store],
  ["definitions", store],
  ["type", { isSound: (value) => isType(value) || (isSet(value, isType) && isFilled(value)), must: typesInWords() }],
  ["enum", { isSound: isFilled, must: "must be a list of at least one value" }],
  ["const", anything],
  ["multipleOf", { isSound: (value) => isNumber(value) && value > 0, must: "must be a number above 0" }],
  ...["maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"].map((name) => [name, number] as const),
  ...["maxLength", "minLength", "maxItems", "minItems", "maxContains", "minContains"].map((name) => [name, count] as const),
  ...["maxProperties", "minProperties"].map((name) => [name, count] as const),
  ["pattern", text],
  ["uniqueItems", flag],
  ["required", { isSound: isNames, must: "must be a list of different texts" }],
  [
    "dependentRequired",
    { isSound: (value) => isObject(value) && Object.values(value).every(isNames), must: "must be an object of lists of different texts" },
  ],
  ...["allOf", "anyOf", "oneOf", "prefixItems"].map((name) => [name, schemas] as const),
  ...["not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames"].map((name) => [name, schema] as const),
  ...["unevaluatedItems", "unevaluatedProperties"].map((name) => [name, schema] as const),
  ["contentSchema", { ...schema, isStore: true }],
  ...["properties", "patternProperties", "dependentSchemas"].map((name) => [name, members] as const),
  ["dependencies", { isSound: isObject, must: "must be an object of schemas or lists of different texts", holds: "dependents" }],
  ...["title", "description", "format", "contentEncoding", "contentMediaType"].map((name) => [name, text] as const),
  ...["deprecated", "readOnly", "writeOnly"].map((name) => [name, flag] as const),
  ["default", anything],
  ["examples", { isSound: isList, must: "must be a list" }],
]);

export const isVersion = (value: Json | undefined): boolean => value === undefined || (isText(value) && VERSION.test(value));

function isFilled(value: Json): boolean {
  return isList(value) && value.length > 0;
}

function typesInWords(): string {
  return `must be one of ${[...TYPES].join(", ")}, or a list of different ones`;
}

/** The schemas that a keyword holds, also where it is not as it must be. */
export function partsOf({ holds }: Pick<Keyword, "holds">, value: Json, way: Way): readonly Part[] {
  if (holds === "schema") return [{ schema: value, way }];
  if (holds === undefined || typeof value !== "object" || value === null) return [];
  return Object.entries(value)
    .filter(([, schema]) => holds !== "dependents" || !isNames(schema))
    .map(([key, schema]) => ({ schema, way: { above: way, key } }));
}
