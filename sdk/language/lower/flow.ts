import type { Element } from "../tree.ts";
import { lowerChoice } from "./choice.ts";
import type { Draft, Ends, LowerFlow } from "./draft.ts";
import { lowerParallel } from "./parallel.ts";
import { lowerStep } from "./step.ts";

/** One item after the other. */
export const lowerFlow: LowerFlow = (items, draft) => {
  const [first, ...rest] = items.flatMap((item) => lowerItem(item, draft));
  if (!first) return null;
  let { exit } = first;
  for (const ends of rest) {
    draft.connect(exit, ends.entry);
    exit = ends.exit;
  }
  return { entry: first.entry, exit };
};

function lowerItem(item: Element, draft: Draft): Ends | [] {
  switch (item.name) {
    case "step": {
      const ends = lowerStep(item, draft);
      draft.outputs.add(ends.exit);
      return ends;
    }
    case "parallel":
      return lowerParallel(item, draft);
    case "choose":
      return lowerChoice(item, draft, lowerFlow);
    default:
      return [];
  }
}
