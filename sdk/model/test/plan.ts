import fc from "fast-check";

/** A workflow as a tree, from which a definition is built. `pick` chooses among what is possible where it is used. */
export type Item =
  | { readonly kind: "step"; readonly pick: number }
  | { readonly kind: "parallel"; readonly picks: readonly number[] }
  | { readonly kind: "choice"; readonly pick: number; readonly arms: readonly (readonly Item[])[] }
  /** Steps joined freely: bit i of `links[n]` makes node n wait for node i. No markup can say this. */
  | { readonly kind: "mesh"; readonly links: readonly number[] };

export interface Plan {
  readonly items: readonly Item[];
  readonly pick: number;
  readonly timeoutMs: number | null;
}

const pick = fc.nat(10_000);
const step: fc.Arbitrary<Item> = fc.record({ kind: fc.constant("step" as const), pick });
const parallel: fc.Arbitrary<Item> = fc.record({
  kind: fc.constant("parallel" as const),
  picks: fc.array(pick, { minLength: 1, maxLength: 4 }),
});
const mesh: fc.Arbitrary<Item> = fc.record({
  kind: fc.constant("mesh" as const),
  links: fc.array(fc.nat(63), { minLength: 2, maxLength: 6 }),
});
const { items } = fc.letrec<{ items: readonly Item[]; choice: Item }>((tie) => ({
  items: fc.array(fc.oneof({ maxDepth: 3 }, step, parallel, mesh, tie("choice")), { minLength: 1, maxLength: 4 }),
  choice: fc.record({
    kind: fc.constant("choice" as const),
    pick,
    arms: fc.array(tie("items"), { minLength: 2, maxLength: 4 }),
  }),
}));

export const arbitraryPlan: fc.Arbitrary<Plan> = fc.record({
  items,
  pick,
  timeoutMs: fc.option(fc.integer({ min: 1, max: 60_000 })),
});
