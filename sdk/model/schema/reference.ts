import type { Json } from "../value.ts";
import type { Way } from "./fault.ts";
import type { Placed, Resource, Resources } from "./resources.ts";
import { resolveUri } from "./uri.ts";

/** What a reference in a resource leads to; null when that is not in the schema. Nothing is fetched. */
export function follow(reference: string, from: Resource, resources: Resources): Placed | null {
  const hash = reference.indexOf("#");
  const address = hash < 0 ? reference : reference.slice(0, hash);
  const resource = address === "" ? from : resources.byAddress.get(resolveUri(from.address, address));
  const fragment = decoded(hash < 0 ? "" : reference.slice(hash + 1));
  if (!resource || fragment === null) return null;
  if (fragment === "") return { part: resource.root, resource };
  if (fragment.startsWith("/")) return point(fragment, resource, resources);
  const part = resource.anchors.get(fragment);
  return part ? { part, resource } : null;
}

/** RFC 6901. What is passed on the way may be a resource of its own. */
function point(pointer: string, from: Resource, { of }: Resources): Placed | null {
  let resource = from;
  let schema: Json = from.root.schema;
  let way: Way = from.root.way;
  for (const token of pointer.slice(1).split("/")) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    const next = memberOf(schema, key);
    if (next === undefined) return null;
    schema = next;
    way = { above: way, key };
    resource = of.get(schema) ?? resource;
  }
  return { part: { schema, way }, resource };
}

function memberOf(value: Json, key: string): Json | undefined {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as { readonly [key: string]: Json })[key]
    : undefined;
}

function decoded(fragment: string): string | null {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return null;
  }
}
