import type { Json, Reference } from "@woml/model";
import type { RunState } from "@woml/run";

/**
 * The value that a reference names, or undefined: a property that is missing or of something that is no object. Own properties only;
 * null is a value.
 */
export function lookUp(state: RunState, reference: Reference): Json | undefined {
  const [root, ...path] = reference;
  if (root === "payload") return walk(state.admitted?.payload, path);
  const [node, ...properties] = path;
  return root === "steps" && node !== undefined ? walk(state.outputs.get(node), properties) : undefined;
}

function walk(start: Json | undefined, path: readonly string[]): Json | undefined {
  let value = start;
  for (const name of path) value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

function isRecord(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
