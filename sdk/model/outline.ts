import type { Definition } from "./definition.ts";
import type { Edge } from "./edge.ts";
import type { Flow } from "./flow.ts";
import { type Nesting, nesting } from "./nesting.ts";
import type { ForEachNode } from "./node/for-each.ts";
import { normalise } from "./normalise.ts";
import { type Links, link, topological } from "./order.ts";
import { pointer, type Violation } from "./violation.ts";
import { type Around, hasOutput, NOTHING_AROUND, type Visibility, visibility } from "./visibility.ts";

/**
 * A flow of a definition of the right shape, as laws look at it: walkable like a graph, while paths point into the value as it was
 * given. `order`, `nesting` and `visibility` mean something only to laws of a later stage (accept.ts).
 */
export interface Outline {
  readonly definition: Definition;
  /** As it was given. */
  readonly flow: Flow;
  /** The loop whose body this is; null for the definition's own flow. */
  readonly loop: ForEachNode | null;
  /** Where the flow stands in the definition: empty, or `/nodes/3/body`. */
  readonly path: string;
  /** The bodies of this flow's loops, in the order given. */
  readonly bodies: readonly Outline[];
  readonly links: Links;
  readonly order: readonly string[];
  readonly nesting: Nesting;
  readonly visibility: Visibility;
  nodePath(id: string): string;
  edgePath(edge: Edge): string;
  /** Whether `id` is a node with an output, of this flow or of the one around it. */
  yields(id: string): boolean;
}

/** One law: what of `outline` breaks it. */
export type Law = (outline: Outline) => Iterable<Violation>;

export function outline(definition: Definition): Outline {
  const bodies: Outline[] = [];
  const whole = of(definition, { flow: definition, normal: normalise(definition), loop: null, path: "", outer: null, bodies });
  for (const [at, loop] of definition.nodes.entries()) {
    const known = loop.kind === "for-each" ? whole.links.nodes.get(loop.id) : undefined;
    // Another node may have the loop's id: then the one that is found by it has a body of its own, or none.
    if (loop.kind !== "for-each" || known?.kind !== "for-each") continue;
    const path = `/nodes${pointer(at)}/body`;
    bodies.push(of(definition, { flow: loop.body, normal: known.body, loop, path, outer: whole, bodies: [] }));
  }
  return whole;
}

interface Given {
  readonly flow: Flow;
  readonly normal: Flow;
  readonly loop: ForEachNode | null;
  readonly path: string;
  readonly outer: Outline | null;
  readonly bodies: readonly Outline[];
}

function of(definition: Definition, { flow, normal, loop, path, outer, bodies }: Given): Outline {
  const links = link(normal);
  const nodeAt = new Map(flow.nodes.map((node, at) => [node.id, at]));
  const edgeAt = new Map(flow.edges.map((edge, at) => [edge, at]));
  const order = topological(links);
  let nested: Nesting | null = null;
  let visible: Visibility | null = null;
  return {
    ...{ definition, flow, loop, path, bodies, links, order },
    get nesting() {
      nested ??= nesting(links, order);
      return nested;
    },
    get visibility() {
      visible ??= visibility(links, order, outer && loop ? aroundBody(outer, loop.id) : NOTHING_AROUND);
      return visible;
    },
    nodePath: (id) => `${path}/nodes${pointer(nodeAt.get(id) ?? 0)}`,
    edgePath: (edge) => `${path}/edges${pointer(edgeAt.get(edge) ?? 0)}`,
    yields: (id) => hasOutput(links.nodes.get(id)) || (outer?.yields(id) ?? false),
  };
}

const aroundBody = (outer: Outline, loop: string): Around => ({
  sees: (output) => outer.visibility.sees(loop, output),
  list: () => outer.visibility.list(loop),
});

/** The definition's own flow, then the bodies of its loops. */
export const flowsOf = (whole: Outline): readonly Outline[] => [whole, ...whole.bodies];

/** Ids of all nodes with an output, wherever they stand. */
export const outputsOf = (flows: readonly Outline[]): ReadonlySet<string> =>
  new Set(flows.flatMap(({ flow }) => flow.nodes.flatMap((node) => (hasOutput(node) ? node.id : []))));
