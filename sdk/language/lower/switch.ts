import { childrenNamed, type Element, textOf } from "../tree.ts";
import { type Arm, lowerArms } from "./arms.ts";
import { required } from "./attribute.ts";
import { endChoice } from "./choice.ts";
import type { Draft, Ends, LowerFlow } from "./draft.ts";
import { pathIn } from "./path.ts";

/** `s:switch` leads into every arm, every arm to `s`, as in a choose; what selects is the text at `value`. */
export function lowerSwitch(element: Element, draft: Draft, lowerFlow: LowerFlow): Ends {
  const choice = textOf(element, "id") ?? draft.unnamed();
  const opener = `${choice}:switch`;
  const cases: Arm[] = childrenNamed(element, "case").map((arm, at) => ({ arm: `case-${at + 1}`, element: arm }));
  const arms = [...cases, ...childrenNamed(element, "default").map((last) => ({ arm: "default", element: last }))];
  const texts = cases.map(({ arm, element: written }) => ({ arm, equals: required(written, "value") }));
  draft.add({ kind: "switch", id: opener, choice, value: pathIn(element, "value"), arms: texts, otherwise: "default" }, element);
  lowerArms(arms, [opener, choice], draft, lowerFlow);
  return endChoice(element, { opener, choice, arms }, draft);
}
