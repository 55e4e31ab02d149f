import type { Definition } from "./definition.ts";
import type { Edge } from "./edge.ts";
import { type Nesting, nesting } from "./nesting.ts";
import { type Links, link, normalise, topological } from "./order.ts";
import { pointer, type Violation } from "./violation.ts";
import { type Visibility, visibility } from "./visibility.ts";

/**
 * A definition of the right shape, as laws look at it: walkable like a graph, while paths point into the value as it was given.
 * `order`, `nesting` and `visibility` mean something only to laws of a later stage (accept.ts).
 */
export interface Outline {
  readonly definition: Definition;
  readonly links: Links;
  readonly order: readonly string[];
  readonly nesting: Nesting;
  readonly visibility: Visibility;
  nodePath(id: string): string;
  edgePath(edge: Edge): string;
}

/** One law: what of `outline` breaks it. */
export type Law = (outline: Outline) => Iterable<Violation>;

export function outline(definition: Definition): Outline {
  const links = link(normalise(definition));
  const nodeAt = new Map(definition.nodes.map((node, at) => [node.id, at]));
  const edgeAt = new Map(definition.edges.map((edge, at) => [edge, at]));
  const order = topological(links);
  let nested: Nesting | null = null;
  let visible: Visibility | null = null;
  return {
    definition,
    links,
    order,
    get nesting() {
      nested ??= nesting(links, order);
      return nested;
    },
    get visibility() {
      visible ??= visibility(links, order);
      return visible;
    },
    nodePath: (id) => `/nodes${pointer(nodeAt.get(id) ?? 0)}`,
    edgePath: (edge) => `/edges${pointer(edgeAt.get(edge) ?? 0)}`,
  };
}
