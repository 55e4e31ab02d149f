import type { ChoiceNode } from "@woml/model";
import { childrenNamed, type Element, elementsOf } from "../tree.ts";
import type { Draft, LowerFlow } from "./draft.ts";
import { pathIn } from "./path.ts";

/** An arm by its name in the definition. */
export interface Arm {
  readonly arm: string;
  readonly element: Element;
}

/** Leads from what selects through every arm to what ends them; an arm without items is an edge straight to the end. */
export function lowerArms(arms: readonly Arm[], [select, end]: readonly [string, string], draft: Draft, lowerFlow: LowerFlow): void {
  for (const { arm, element } of arms) {
    const mark = draft.outputs.mark();
    const ends = lowerFlow(elementsOf(element), draft);
    draft.outputs.back(mark);
    draft.connect(select, ends?.entry ?? end, arm);
    if (ends) draft.connect(ends.exit, end);
  }
}

/** What each arm's `<result>` names; undefined when there are none. */
export function resultsOf(arms: readonly Arm[]): ChoiceNode["results"] {
  const results = arms.flatMap(({ arm, element }) =>
    childrenNamed(element, "result").map((result) => ({ arm, value: pathIn(result, "value") })),
  );
  return results.length > 0 ? results : undefined;
}
