import type { Json } from "@woml/model";
import {
  type Fault,
  follow,
  isObject,
  isVersion,
  KEYWORDS,
  MOST_FAULTS,
  type Placed,
  partsOf,
  pointerOf,
  type Resources,
  resourcesOf,
  type Way,
} from "@woml/model/schema";
import { unstorable } from "./json.ts";
import { patternFault } from "./pattern.ts";
import { shapeFaults } from "./shape.ts";

const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"];

/**
 * What is wrong with a JSON value as a schema of JSON Schema 2020-12: its keywords, and, in all that takes part in judging a payload, its
 * references and its patterns. Words that are no keywords and formats that nobody knows mean nothing. Time is linear in the schema.
 */
export function schemaFaults(root: Json): readonly Fault[] {
  if (!isObject(root)) return [{ kind: "invalid", pointer: "", why: "must be a JSON object" }];
  const fault = unstorable(root);
  if (fault) return [fault];
  if (typeof root["$schema"] === "string" && !isVersion(root["$schema"])) return [VERSION];
  const seen = new Set<Json>();
  const shape = shapeFaults({ schema: root, way: null }, seen);
  if (shape.length > 0) return shape;
  const resources = resourcesOf(root);
  return resources.faults.length > 0 ? resources.faults : new Reach(resources, seen).faults(root);
}

const VERSION: Fault = {
  kind: "invalid",
  pointer: "/$schema",
  why: 'must be "https://json-schema.org/draft/2020-12/schema", or not there',
};

/** A condition without consequences, and consequences without a condition, say nothing. */
function isIdle(key: string, schema: { readonly [key: string]: Json }): boolean {
  const has = (name: string): boolean => Object.hasOwn(schema, name);
  return key === "if" ? !has("then") && !has("else") : (key === "then" || key === "else") && !has("if");
}

/** Walks over what takes part in judging a payload, from the root along keywords and references. Each schema is looked at once. */
class Reach {
  readonly #resources: Resources;
  readonly #shaped: Set<Json>;
  readonly #found: Fault[] = [];
  readonly #waiting: Placed[] = [];
  readonly #dynamic = new Set<string>();

  constructor(resources: Resources, shaped: Set<Json>) {
    this.#resources = resources;
    this.#shaped = shaped;
  }

  faults(root: Json): readonly Fault[] {
    const whole = this.#resources.of.get(root);
    if (whole) this.#waiting.push({ part: { schema: root, way: null }, resource: whole });
    const reached = new Set<Json>();
    // Grows while it is read.
    for (const placed of this.#waiting) {
      const { schema } = placed.part;
      if (this.#found.length >= MOST_FAULTS) break;
      if (!isObject(schema) || reached.has(schema)) continue;
      reached.add(schema);
      this.#enter(schema, placed);
    }
    return this.#found.slice(0, MOST_FAULTS);
  }

  #enter(schema: { readonly [key: string]: Json }, { part: { way }, resource }: Placed): void {
    for (const [key, value] of Object.entries(schema)) {
      const keyword = KEYWORDS.get(key);
      const at: Way = { above: way, key };
      if (key === "pattern") this.#pattern(String(value), at);
      if (key === "patternProperties")
        for (const pattern of Object.keys(value as object)) this.#pattern(pattern, { above: at, key: pattern });
      if (REFERENCES.includes(key)) this.#follow(String(value), at, { part: { schema, way }, resource });
      if (!keyword || keyword.isStore || isIdle(key, schema)) continue;
      for (const part of partsOf(keyword, value, at)) {
        const inner = this.#resources.of.get(part.schema) ?? resource;
        this.#waiting.push({ part, resource: inner });
      }
    }
  }

  #pattern(pattern: string, way: Way): void {
    const fault = patternFault(pattern);
    if (fault) this.#found.push({ ...fault, pointer: pointerOf(way) });
  }

  #follow(reference: string, way: Way, from: Placed): void {
    const target = follow(reference, from.resource, this.#resources);
    if (!target) {
      this.#found.push({ kind: "invalid", pointer: pointerOf(way), why: "leads to nothing in this schema, and nothing is fetched" });
      return;
    }
    // What stands below a word that is no keyword has not been looked at as a schema.
    const faults = shapeFaults(target.part, this.#shaped);
    this.#found.push(...faults);
    if (faults.length === 0) this.#waiting.push(target);
    const name = reference.slice(reference.indexOf("#") + 1);
    if (way?.key !== "$dynamicRef" || this.#dynamic.has(name)) return;
    this.#dynamic.add(name);
    this.#waiting.push(...(this.#resources.dynamic.get(name) ?? []));
  }
}
