import type { Json } from "../value.ts";
import { type Fault, MOST_FAULTS, type Part, pointerOf } from "./fault.ts";
import { isObject, KEYWORDS, type Keyword, partsOf } from "./keywords.ts";
import { resolveUri } from "./uri.ts";

/** Longest address of a schema, resolved: every reference of it is resolved against it. */
const LONGEST_ADDRESS = 2_048;

/** A schema with an address, or the whole: what references by pointer and by anchor are looked for in. */
export interface Resource {
  readonly address: string;
  readonly root: Part;
  readonly anchors: Map<string, Part>;
}
export interface Resources {
  readonly byAddress: ReadonlyMap<string, Resource>;
  /** By schema, the resource that it is part of. */
  readonly of: ReadonlyMap<Json, Resource>;
  /** By name, every schema with this `$dynamicAnchor`. */
  readonly dynamic: ReadonlyMap<string, readonly Placed[]>;
  readonly faults: readonly Fault[];
}
/** A schema, and what its references are resolved in. */
export interface Placed {
  readonly part: Part;
  readonly resource: Resource;
}

/** The addresses and anchors of a schema and of all that stands in it, also below what is no keyword. */
export function resourcesOf(root: Json): Resources {
  const registry = new Registry();
  registry.read({ schema: root, way: null });
  return registry;
}

class Registry implements Resources {
  readonly byAddress: Map<string, Resource> = new Map();
  readonly of: Map<Json, Resource> = new Map();
  readonly dynamic: Map<string, Placed[]> = new Map();
  readonly faults: Fault[] = [];

  read(root: Part): void {
    const whole: Resource = { address: "", root, anchors: new Map() };
    this.byAddress.set("", whole);
    // Grows while it is read.
    const waiting: Placed[] = [{ part: root, resource: whole }];
    for (const { part, resource: outer } of waiting) {
      const { schema, way } = part;
      if (!isObject(schema)) continue;
      const resource = this.#enter(part, schema, outer);
      for (const [key, value] of Object.entries(schema)) {
        for (const next of partsOf(KEYWORDS.get(key) ?? UNKNOWN, value, { above: way, key })) waiting.push({ part: next, resource });
      }
    }
  }

  #enter(part: Part, schema: { readonly [key: string]: Json }, outer: Resource): Resource {
    const id = schema["$id"];
    // Below what is no keyword it may be anything.
    const inner = typeof id === "string" && KEYWORDS.get("$id")?.isSound(id) ? this.#open(part, id, outer) : outer;
    this.of.set(schema, inner);
    const [anchor, dynamic] = [schema["$anchor"], schema["$dynamicAnchor"]];
    if (typeof anchor === "string") this.#name(anchor, part, inner);
    if (typeof dynamic === "string") {
      if (dynamic !== anchor) this.#name(dynamic, part, inner);
      this.dynamic.set(dynamic, this.dynamic.get(dynamic) ?? []);
      this.dynamic.get(dynamic)?.push({ part, resource: inner });
    }
    return inner;
  }

  #open(part: Part, id: string, outer: Resource): Resource {
    const address = resolveUri(outer.address, id.endsWith("#") ? id.slice(0, -1) : id);
    if (address.length > LONGEST_ADDRESS) {
      this.#fault(part, `comes to an address of more than ${LONGEST_ADDRESS} characters`);
      return outer;
    }
    const resource = { address, root: part, anchors: new Map() };
    const known = this.byAddress.get(address);
    if (!known || known.root === part) this.byAddress.set(address, resource);
    else if (!isEqual(known.root.schema, part.schema)) this.#fault(part, "has the address of another schema");
    return resource;
  }

  #name(anchor: string, part: Part, { anchors }: Resource): void {
    const known = anchors.get(anchor);
    if (!known) anchors.set(anchor, part);
    else if (!isEqual(known.schema, part.schema)) this.#fault(part, "has the anchor of another schema");
  }

  #fault({ way }: Part, why: string): void {
    if (this.faults.length < MOST_FAULTS) this.faults.push({ kind: "invalid", pointer: pointerOf(way), why });
  }
}

/** Below what is no keyword, references may lead to schemas too. */
const UNKNOWN: Pick<Keyword, "holds"> = { holds: "schema" };

/** Whether two schemas say the same: what is written twice is one. */
function isEqual(a: Json, b: Json): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [mine, others] = [Object.entries(a as object), new Map<string, Json>(Object.entries(b as object))];
  return mine.length === others.size && mine.every(([key, value]) => others.has(key) && isEqual(value, others.get(key) ?? null));
}
