import { type TSchema, Type } from "typebox";
import { Check, Errors } from "typebox/schema";
import { Definition, Node } from "./definition.ts";
import { Edge } from "./edge.ts";
import { BodyNode, ForEachNode } from "./node/for-each.ts";
import { Trigger } from "./trigger.ts";
import type { Json } from "./value.ts";
import { SCHEMA_VERSION } from "./version.ts";
import { pointer, type Violation, violated } from "./violation.ts";

const closed = { additionalProperties: false };

/** A definition whose lists are checked member by member, so that a fault names the member and its kind. */
const Envelope = Type.Object(
  {
    ...Definition.properties,
    schemaVersion: Type.Unknown(),
    triggers: Type.Array(Type.Unknown(), { maxItems: 64 }),
    nodes: Type.Array(Type.Unknown(), { minItems: 1 }),
    edges: Type.Array(Type.Unknown()),
  },
  closed,
);

/** By kind, the schema of a node, of a node in the body of a loop, and of a trigger. A loop's body is checked member by member as well. */
const BODY_NODES = byKind(BodyNode.anyOf);
const NODES = byKind(Node.anyOf).set("for-each", loopEnvelope());
const TRIGGERS = byKind(Trigger.anyOf);

function byKind(kinds: readonly { readonly properties: { readonly kind: { readonly const: string } } }[]): Map<string, TSchema> {
  return new Map(kinds.map((schema) => [schema.properties.kind.const, schema as TSchema]));
}

function loopEnvelope(): TSchema {
  const body = Type.Object({ nodes: Type.Array(Type.Unknown(), { minItems: 1 }), edges: Type.Array(Type.Unknown()) }, closed);
  return Type.Object({ ...ForEachNode.properties, body }, closed);
}

export const hasShape = (value: Json): value is Json & Definition => Check(Definition, value);

/** Why `value` is not shaped as a definition. At least one violation when `hasShape` says no. */
export function* shapeFaults(value: Json): Generator<Violation> {
  let found = false;
  for (const violation of memberFaults(value)) {
    found = true;
    yield violation;
  }
  if (!found) yield violated("WOML_DEFINITION_INVALID", "", "this is not a definition");
}

function* memberFaults(value: Json): Generator<Violation> {
  yield* schemaFaults(Envelope, value, "");
  if (value === null || typeof value !== "object" || Array.isArray(value)) return;
  const { schemaVersion, nodes, triggers, edges } = value as { readonly [key: string]: Json };
  if (schemaVersion !== undefined && schemaVersion !== SCHEMA_VERSION) {
    const message = `schema version ${JSON.stringify(schemaVersion).slice(0, 40)} is not run here; ${SCHEMA_VERSION} is`;
    yield violated("WOML_SCHEMA_VERSION_UNSUPPORTED", "/schemaVersion", message);
  }
  yield* listFaults(nodes, "/nodes", nodeFaults);
  yield* listFaults(triggers, "/triggers", (trigger, at) => kindFaults(TRIGGERS, trigger, at));
  yield* listFaults(edges, "/edges", (edge, at) => schemaFaults(Edge, edge, at));
}

function* nodeFaults(node: Json, path: string): Generator<Violation> {
  yield* kindFaults(NODES, node, path);
  const body = kindOf(node) === "for-each" ? member(node, "body") : undefined;
  yield* listFaults(member(body, "nodes"), `${path}/body/nodes`, (inner, at) => kindFaults(BODY_NODES, inner, at));
  yield* listFaults(member(body, "edges"), `${path}/body/edges`, (edge, at) => schemaFaults(Edge, edge, at));
}

function member(value: Json | undefined, key: string): Json | undefined {
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value) && Object.hasOwn(value, key);
  return isObject ? (value as { readonly [key: string]: Json })[key] : undefined;
}
const kindOf = (item: Json): Json | undefined => member(item, "kind");

function* listFaults(list: Json | undefined, path: string, of: (item: Json, at: string) => Iterable<Violation>): Generator<Violation> {
  if (Array.isArray(list)) for (const [at, item] of list.entries()) yield* of(item, path + pointer(at));
}

function* kindFaults(kinds: ReadonlyMap<string, TSchema>, item: Json, path: string): Generator<Violation> {
  const kind = kindOf(item);
  if (typeof kind !== "string") {
    yield violated("WOML_DEFINITION_INVALID", path, `must be an object with a kind: ${[...kinds.keys()].join(", ")}`);
    return;
  }
  const schema = kinds.get(kind);
  if (schema) yield* schemaFaults(schema, item, path);
  else
    yield violated(
      "WOML_FEATURE_NOT_EXECUTABLE",
      `${path}/kind`,
      `nothing of the kind ${JSON.stringify(kind.slice(0, 80))} can stand here; ${[...kinds.keys()].join(", ")} can`,
    );
}

function* schemaFaults(schema: TSchema, value: Json, path: string): Generator<Violation> {
  if (Check(schema, value)) return;
  for (const error of Errors(schema, value)[1]) {
    // What the variants of a union say is noise beside the union's own remark; an unknown property is named by its own remark.
    if (error.schemaPath.includes("/anyOf/") || error.keyword === "additionalProperties") continue;
    yield violated("WOML_DEFINITION_INVALID", path + error.instancePath, error.keyword === "boolean" ? "unknown property" : error.message);
  }
}
