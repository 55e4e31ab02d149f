import type { Definition, Node } from "./definition.ts";
import type { Edge } from "./edge.ts";

/** A definition indexed for walking. Every list is sorted by id, so that nothing depends on the order of the JSON. */
export interface Graph {
  readonly definition: Definition;
  readonly entries: readonly string[];
  node(id: string): Node;
  incoming(id: string): readonly Edge[];
  outgoing(id: string): readonly Edge[];
  /**
   * Ids with an output (steps, choices) that have surely completed when `id` starts: the union over its predecessors, but at the end
   * of a choice the intersection. This is what a reference or a script in `id` can see. Sorted.
   */
  visible(id: string): readonly string[];
}
