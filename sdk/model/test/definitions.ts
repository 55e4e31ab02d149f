import fc from "fast-check";
import type { Definition, Node } from "../index.ts";
import { around } from "./around.ts";
import { build } from "./build.ts";
import { arbitraryPlan, arbitraryWholePlan } from "./plan.ts";

export { build } from "./build.ts";
export type { Item, Plan } from "./plan.ts";
export { isThorough, tried } from "./tried.ts";

/**
 * Definitions that `accept` takes: sequences of steps, parallels, nested choices and freely joined steps; several entries and several
 * last nodes occur. Tests and results of choices read `["payload", "flag"]` or whole outputs; every script returns its own id, and
 * some may call `http` and `acme.payments` and name secrets.
 */
export const arbitraryDefinition: fc.Arbitrary<Definition> = arbitraryPlan.map((plan) => build(plan).definition);

/** The same with every kind of node, but nothing around them: no triggers, hooks and notices. */
export const arbitraryFlow: fc.Arbitrary<Definition> = arbitraryWholePlan.map((plan) => build(plan).definition);

/** The same for the whole language: every kind of node, trigger and hook occurs, and forks and loops nest where they may. */
export const arbitraryWhole: fc.Arbitrary<Definition> = arbitraryWholePlan.map((plan) => around(build(plan).definition, plan.pick));

/**
 * The same definition with everything whose order means nothing in another order: nodes and edges, in bodies of loops too, uses,
 * hooks, and the keys of every object.
 */
export function shuffled(definition: Definition): fc.Arbitrary<Definition> {
  const order = <T>(list: readonly T[]) => fc.shuffledSubarray([...list], { minLength: list.length, maxLength: list.length });
  const { nodes, edges, uses = [], lifecycle = [] } = definition;
  return fc
    .record({ nodes: order(nodes.map(turned)), edges: order(edges), uses: order(uses), lifecycle: order(lifecycle) })
    .map((lists) => {
      const some = {
        ...(lists.uses.length > 0 && { uses: lists.uses }),
        ...(lists.lifecycle.length > 0 && { lifecycle: lists.lifecycle }),
      };
      return reversed({ ...definition, ...some, nodes: lists.nodes, edges: lists.edges }) as Definition;
    });
}

/** Lists inside a node the other way round. */
function turned(node: Node): Node {
  if (node.kind === "join") return { ...node, branches: node.branches.toReversed() };
  if (node.kind === "for-each") return { ...node, body: { nodes: node.body.nodes.toReversed(), edges: node.body.edges.toReversed() } };
  return node.kind === "step" && node.reusable
    ? { ...node, reusable: { ...node.reusable, props: node.reusable.props.toReversed() } }
    : node;
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value).reverse();
  return Object.fromEntries(members.map(([key, member]) => [key, reversed(member)]));
}
