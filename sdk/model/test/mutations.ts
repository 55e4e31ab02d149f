import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { accept, type Code, type Definition, type Node } from "../index.ts";

/** Breaks one law in any accepted definition; answers false where there is nothing to break. `pick` chooses the place. */
export type Mutation = (definition: Definition, pick: number) => boolean;
export type Mutations = Readonly<Record<string, readonly [Code, Mutation]>>;

export const of = <K extends Node["kind"]>({ nodes }: Definition, kind: K, pick: number): Extract<Node, { kind: K }> | undefined => {
  const found = nodes.filter((node): node is Extract<Node, { kind: K }> => node.kind === kind);
  return found[pick % Math.max(found.length, 1)];
};
export const any = <T>(list: readonly T[], pick: number): T => list[pick % list.length] as T;
/** Breaks each law in definitions of `from` and sees that none is accepted. */
export function survive(mutations: Mutations, from: fc.Arbitrary<Definition>): void {
  for (const [law, [code, mutate]] of Object.entries(mutations)) {
    test(`no accepted definition survives a break of ${law}`, () => {
      let broken = 0;
      fc.assert(
        fc.property(from, fc.nat(1_000), (definition, pick) => {
          const mutant = structuredClone(definition);
          if (!mutate(mutant, pick)) return;
          broken += 1;
          const answer = accept(mutant);
          assert.ok("violations" in answer && answer.violations.some((violation) => violation.code === code), JSON.stringify(answer));
        }),
        { numRuns: 60 },
      );
      assert.ok(broken >= 5, `only ${broken} definitions could be broken`);
    });
  }
}
