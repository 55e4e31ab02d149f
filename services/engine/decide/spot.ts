import type { Graph, Json, Node, Reference } from "@woml/model";
import { indexAt, lookUp, nodeAt, siteIn } from "@woml/run";
import type { Draft } from "./draft.ts";

/** A node where it stands: in the flow of the definition, or in one iteration of the body of a loop. */
export interface Spot {
  readonly site: string;
  readonly node: Node;
  /** The graph in which it stands. */
  readonly flow: Graph;
  readonly loop: string | null;
  readonly index: number | null;
}

export function spotAt({ graph }: Draft, site: string): Spot {
  const [id, index] = [nodeAt(site), indexAt(site)];
  const loop = index === null ? null : graph.loopOf(id);
  const flow = loop === null ? graph : graph.body(loop);
  return { site, node: flow.node(id), flow, loop, index };
}

/** The site of another node of the same flow, in the same iteration. */
export const beside = ({ index }: Spot, id: string): string => siteIn(id, index);

/** What a reference names there; undefined: it is not there. */
export const valueAt = ({ graph, state }: Draft, { loop, index }: Spot, reference: Reference): Json | undefined =>
  lookUp(graph, state, { reference, index, loop });
