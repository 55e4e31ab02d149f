import { type Element, elementsOf, textOf } from "../tree.ts";
import { labels, required } from "./attribute.ts";
import type { Draft, Ends, LowerFlow } from "./draft.ts";

/** `p:open` leads to every step, every step to `p`. Siblings do not see each other. */
export function lowerParallel(element: Element, draft: Draft, lowerFlow: LowerFlow): Ends {
  const parallel = required(element, "id");
  const open = `${parallel}:open`;
  const steps = elementsOf(element);
  const concurrency = Number(textOf(element, "concurrency") ?? steps.length);
  draft.add({ kind: "open", id: open, parallel }, element);
  draft.add(
    {
      kind: "parallel",
      id: parallel,
      ...labels(element),
      ...(textOf(element, "on-error") === "wait-all" && { onError: "wait-all" }),
      ...(concurrency < steps.length && { concurrency }),
    },
    element,
  );
  const made = steps.flatMap((step) => {
    const mark = draft.outputs.mark();
    const ends = lowerFlow([step], draft);
    if (!ends) throw new Error(`a ${step.name} in the parallel group ${parallel} has passed the rules`);
    draft.connect(open, ends.entry);
    draft.connect(ends.exit, parallel);
    return draft.outputs.back(mark);
  });
  for (const output of made) draft.outputs.add(output);
  return { entry: open, exit: parallel };
}
