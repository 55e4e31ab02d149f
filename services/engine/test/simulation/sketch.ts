import type { Item, Plan } from "@woml/model/testing";
import type { Chance } from "./chance.ts";

type Kind = Item["kind"];
/** How likely each kind is, in percent: at the root, in branches and arms, and in bodies, where some are none. */
const ROOT: Weights = { step: 20, parallel: 15, mesh: 5, choice: 15, fork: 18, approval: 12, loop: 15 };
const INNER: Weights = { step: 45, parallel: 15, mesh: 5, choice: 13, fork: 4, approval: 8, loop: 10 };
type Weights = Readonly<Record<Kind, number>>;
/** Nested deeper, everything is a step: a story has to stay short. */
const DEPTH = 2;
const PICKS = 10_000;

/** A workflow of the whole language, small enough for a story: so many items at most. A step comes last: the result is certain. */
export function sketch(chance: Chance, most: number): Plan {
  const items = Array.from({ length: chance.between(1, most) }, () => item(chance, ROOT, 0));
  const timeoutMs = chance.hit(0.3) ? chance.between(1, 60_000) : null;
  return { items: [...items, { kind: "step", pick: 1 }], pick: chance.between(0, PICKS), timeoutMs };
}

function item(chance: Chance, weights: Weights, depth: number): Item {
  const flow = (most: number): readonly Item[] => Array.from({ length: chance.between(1, most) }, () => item(chance, INNER, depth + 1));
  const pick = chance.between(0, PICKS);
  switch (depth < DEPTH ? drawn(chance, weights) : "step") {
    case "step":
      return { kind: "step", pick, isReusable: chance.hit(0.25) };
    case "parallel":
      return {
        kind: "parallel",
        picks: Array.from({ length: chance.between(1, 4) }, () => chance.between(0, PICKS)),
        isBent: chance.hit(0.5),
      };
    case "mesh":
      return { kind: "mesh", links: Array.from({ length: chance.between(2, 4) }, () => chance.between(0, 15)) };
    case "choice":
      return {
        kind: "choice",
        pick,
        arms: [flow(1), flow(1), flow(1)].slice(chance.between(0, 1)),
        isSwitch: chance.hit(0.5),
        isControl: chance.hit(0.5),
      };
    case "fork":
      return { kind: "fork", branches: [flow(2), flow(2), flow(1)].slice(chance.between(0, 2)), joined: chance.between(0, 7) };
    case "approval":
      return { kind: "approval", pick, approved: chance.hit(0.3) ? [] : flow(1), rejected: chance.hit(0.3) ? [] : flow(1) };
    case "loop":
      return { kind: "loop", pick, body: chance.hit(0.6) ? [] : flow(1) };
  }
}

function drawn(chance: Chance, weights: Weights): Kind {
  let left = chance.next() * 100;
  for (const [kind, weight] of Object.entries(weights) as [Kind, number][]) {
    left -= weight;
    if (left < 0) return kind;
  }
  return "step";
}
