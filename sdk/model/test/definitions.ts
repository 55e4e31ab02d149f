import fc from "fast-check";
import type { Definition } from "../index.ts";
import { build } from "./build.ts";
import { arbitraryPlan } from "./plan.ts";

/**
 * Definitions that `accept` takes: sequences of steps, parallels, nested choices and freely joined steps; several entries and several
 * last nodes occur. Tests and results of choices read `["payload", "flag"]` or whole outputs; every script returns its own id, and
 * some may call `http` and `acme.payments` and name secrets.
 */
export const arbitraryDefinition: fc.Arbitrary<Definition> = arbitraryPlan.map((plan) => build(plan).definition);

/** The same definition with its nodes, edges, uses, and the keys of every object in another order. */
export function shuffled(definition: Definition): fc.Arbitrary<Definition> {
  const order = <T>(list: readonly T[]) => fc.shuffledSubarray([...list], { minLength: list.length, maxLength: list.length });
  return fc
    .record({ nodes: order(definition.nodes), edges: order(definition.edges), uses: order(definition.uses ?? []) })
    .map(({ nodes, edges, uses }) => reversed({ ...definition, ...(uses.length > 0 && { uses }), nodes, edges }) as Definition);
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value).reverse();
  return Object.fromEntries(members.map(([key, member]) => [key, reversed(member)]));
}
