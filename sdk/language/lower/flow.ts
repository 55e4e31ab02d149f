import { isStepTag } from "../tag.ts";
import type { Element } from "../tree.ts";
import { lowerApproval } from "./approval.ts";
import { lowerChoice } from "./choice.ts";
import type { Draft, Ends, LowerFlow } from "./draft.ts";
import { lowerForEach } from "./for-each.ts";
import { lowerFork } from "./fork.ts";
import { lowerParallel } from "./parallel.ts";
import { lowerReusableStep } from "./reusable.ts";
import { lowerStep } from "./step.ts";
import { lowerSwitch } from "./switch.ts";

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

type LowerGroup = (element: Element, draft: Draft, lowerFlow: LowerFlow) => Ends;

const GROUPS: ReadonlyMap<string, LowerGroup> = new Map([
  ["parallel", lowerParallel],
  ["choose", lowerChoice],
  ["branch", lowerChoice],
  ["switch", lowerSwitch],
  ["fork", lowerFork],
  ["for-each", lowerForEach],
  ["approval", lowerApproval],
]);

/** Nothing for what is no item: a `<result>` belongs to what holds it. */
function lowerItem(item: Element, draft: Draft): Ends | [] {
  const lowerGroup = GROUPS.get(item.name);
  if (lowerGroup) return lowerGroup(item, draft, lowerFlow);
  const isTag = isStepTag(item, draft.document);
  if (item.name !== "step" && !isTag) return [];
  const ends = isTag ? lowerReusableStep(item, draft) : lowerStep(item, draft);
  draft.outputs.add(ends.exit);
  return ends;
}
