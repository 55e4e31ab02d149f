import fc from "fast-check";

type Items = readonly Item[];

/** A workflow as a tree, from which a definition is built. `pick` chooses among what is possible where it is used. */
export type Item =
  | { readonly kind: "step"; readonly pick: number; readonly isReusable?: boolean }
  /** `isBent`: not all at once, and most often not fail-fast. */
  | { readonly kind: "parallel"; readonly picks: readonly number[]; readonly isBent?: boolean }
  /** `isSwitch`: by a text and not by tests. `isControl`: without results. */
  | {
      readonly kind: "choice";
      readonly pick: number;
      readonly arms: readonly Items[];
      readonly isSwitch?: boolean;
      readonly isControl?: boolean;
    }
  /** Steps joined freely: bit i of `links[n]` makes node n wait for node i. No markup can say this. In branches and bodies steps in a row. */
  | { readonly kind: "mesh"; readonly links: readonly number[] }
  /** Bit i of `joined` makes the join wait for branch i. */
  | { readonly kind: "fork"; readonly branches: readonly Items[]; readonly joined: number }
  | { readonly kind: "approval"; readonly pick: number; readonly approved: Items; readonly rejected: Items }
  | { readonly kind: "loop"; readonly pick: number; readonly body: Items };

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

/** What the engine runs today. */
export const arbitraryPlan: fc.Arbitrary<Plan> = fc.record({
  items,
  pick,
  timeoutMs: fc.option(fc.integer({ min: 1, max: 60_000 })),
});

const some = fc.boolean();
const short = { minLength: 1, maxLength: 3 };
const { all } = fc.letrec<{ all: Items; choice: Item; fork: Item; approval: Item; loop: Item }>((tie) => ({
  all: fc.array(
    fc.oneof(
      { maxDepth: 3 },
      fc.record({ kind: fc.constant("step" as const), pick, isReusable: some }),
      fc.record({ kind: fc.constant("parallel" as const), picks: fc.array(pick, { minLength: 1, maxLength: 4 }), isBent: some }),
      mesh,
      ...(["choice", "fork", "approval", "loop"] as const).map((kind) => tie(kind)),
    ),
    short,
  ),
  choice: fc.record({
    kind: fc.constant("choice" as const),
    pick,
    arms: fc.array(tie("all"), { minLength: 2, maxLength: 3 }),
    isSwitch: some,
    isControl: some,
  }),
  fork: fc.record({ kind: fc.constant("fork" as const), branches: fc.array(tie("all"), short), joined: fc.nat(7) }),
  approval: fc.record({
    kind: fc.constant("approval" as const),
    pick,
    approved: fc.oneof(fc.constant([]), tie("all")),
    rejected: fc.oneof(fc.constant([]), tie("all")),
  }),
  loop: fc.record({ kind: fc.constant("loop" as const), pick, body: tie("all") }),
}));

/** The whole language, and a little more. A step comes last: the result is certain. */
export const arbitraryWholePlan: fc.Arbitrary<Plan> = fc.record({
  items: all.map((items) => [...items, { kind: "step" as const, pick: 1 }]),
  pick,
  timeoutMs: fc.option(fc.integer({ min: 1, max: 60_000 })),
});
