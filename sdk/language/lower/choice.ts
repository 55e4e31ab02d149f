import { childrenNamed, type Element, textOf } from "../tree.ts";
import { type Arm, lowerArms, resultsOf } from "./arms.ts";
import { labels } from "./attribute.ts";
import type { Draft, Ends, LowerFlow } from "./draft.ts";
import { pathIn } from "./path.ts";

/**
 * `c:select` leads into every arm, every arm to `c`, whose output is the value that the selected arm names. Without an id it has a
 * number for one, and no output. So too the older `<branch>`.
 */
export function lowerChoice(element: Element, draft: Draft, lowerFlow: LowerFlow): Ends {
  const choice = textOf(element, "id") ?? draft.unnamed();
  const select = `${choice}:select`;
  const tests: Arm[] = childrenNamed(element, "when").map((when, at) => ({ arm: `when-${at + 1}`, element: when }));
  const arms = [...tests, ...childrenNamed(element, "otherwise").map((last) => ({ arm: "otherwise", element: last }))];
  const tried = tests.map(({ arm, element: when }) => ({ arm, test: pathIn(when, "test") }));
  draft.add({ kind: "select", id: select, choice, arms: tried, otherwise: "otherwise" }, element);
  lowerArms(arms, [select, choice], draft, lowerFlow);
  return endChoice(element, { opener: select, choice, arms }, draft);
}

/** The node that ends a choose or a switch. */
export function endChoice(
  element: Element,
  { opener, choice, arms }: { readonly opener: string; readonly choice: string; readonly arms: readonly Arm[] },
  draft: Draft,
): Ends {
  const results = resultsOf(arms);
  draft.add({ kind: "choice", id: choice, ...labels(element), ...(results && { results }) }, element);
  if (results) draft.outputs.add(choice);
  return { entry: opener, exit: choice };
}
