import type { Node } from "./definition.ts";
import type { Edge } from "./edge.ts";

/** Nodes and edges that form a graph of their own: those of a definition, or of the body of one of its loops. */
export interface Flow {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}
