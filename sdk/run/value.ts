import type { Graph, Json, Reference } from "@woml/model";
import { siteIn } from "./site.ts";
import type { RunState } from "./state.ts";

/** A reference, and the iteration in which it stands. */
export interface Referred {
  readonly reference: Reference;
  /** The loop of that iteration, and its number; null outside loops. */
  readonly index: number | null;
  readonly loop?: string | null;
}

/**
 * The value that a reference names, or undefined: a property that is missing or of something that is no object. Own properties only;
 * null is a value.
 */
export function lookUp(graph: Graph, state: RunState, { reference, index, loop = null }: Referred): Json | undefined {
  const [root, ...path] = reference;
  if (root === "payload") return walk(state.admitted?.payload, path);
  if (root === "steps") {
    const [node = "", ...properties] = path;
    const isInside = loop !== null && graph.body(loop).has(node);
    return walk(state.outputs.get(isInside ? siteIn(node, index) : node), properties);
  }
  return loop === null || index === null ? undefined : ofIteration(graph, state, { root, path, index, loop });
}

interface Inside {
  readonly root: string | undefined;
  readonly path: readonly string[];
  readonly index: number;
  readonly loop: string;
}

function ofIteration(graph: Graph, state: RunState, { root, path, index, loop }: Inside): Json | undefined {
  const node = graph.node(loop);
  if (node.kind !== "for-each") return undefined;
  const items = lookUp(graph, state, { reference: node.items, index: null });
  if (root === "item") return walk(Array.isArray(items) ? items[index] : undefined, path);
  if (root === "iteration") return walk({ index, total: state.loops.get(loop)?.total ?? 0 }, path);
  return undefined;
}

/** Own properties only. */
export function walk(start: Json | undefined, path: readonly string[]): Json | undefined {
  let value = start;
  for (const name of path) value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

function isRecord(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
