import { childrenNamed, type Element } from "../tree.ts";
import { labels, required } from "./attribute.ts";
import type { Draft, Ends } from "./draft.ts";
import { lowerStep } from "./step.ts";

/** `p:open` leads to every step, every step to `p`. Siblings do not see each other. */
export function lowerParallel(element: Element, draft: Draft): Ends {
  const parallel = required(element, "id");
  const open = `${parallel}:open`;
  draft.nodes.push({ kind: "open", id: open, parallel }, { kind: "parallel", id: parallel, ...labels(element) });
  const children = childrenNamed(element, "step").map((step) => lowerStep(step, draft).exit);
  for (const child of children) {
    draft.connect(open, child);
    draft.connect(child, parallel);
    draft.outputs.add(child);
  }
  return { entry: open, exit: parallel };
}
