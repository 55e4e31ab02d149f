import assert from "node:assert/strict";
import type { Definition, Node } from "../index.ts";

/** The node `id` of a definition, or of the body of one of its loops. */
export function find<K extends Node["kind"]>({ nodes }: Definition, kind: K, id: string): Extract<Node, { kind: K }> {
  const all = nodes.flatMap((node): Node[] => (node.kind === "for-each" ? [node, ...node.body.nodes] : [node]));
  const node = all.find((candidate) => candidate.id === id);
  assert.ok(node?.kind === kind);
  return node as Extract<Node, { kind: K }>;
}

export const step = (id: string): Extract<Node, { kind: "step" }> => ({ kind: "step", id, script: { source: "" } });

export function cut(given: Definition, from: string, to: string): void {
  given.edges = given.edges.filter((edge) => edge.from !== from || edge.to !== to);
}

export function remove(given: Definition, id: string): void {
  given.nodes = given.nodes.filter((node) => node.id !== id);
  given.edges = given.edges.filter((edge) => edge.from !== id && edge.to !== id);
}
