import type { Code } from "../../codes.ts";
import { mayHold } from "../../meant.ts";
import { type Element, elementsOf } from "../../tree.ts";
import { isRoute } from "../../visibility.ts";
import type { Rule } from "../../visit.ts";

interface Codes {
  readonly when: Code;
  readonly otherwise: Code;
  readonly order: Code;
}
const CODES: ReadonlyMap<string, Codes> = new Map([
  ["choose", { when: "WOML_CHOOSE_WHEN_REQUIRED", otherwise: "WOML_CHOOSE_OTHERWISE_REQUIRED", order: "WOML_CHOOSE_OTHERWISE_ORDER" }],
  ["branch", { when: "WOML_BRANCH_WHEN_REQUIRED", otherwise: "WOML_BRANCH_OTHERWISE_REQUIRED", order: "WOML_BRANCH_OTHERWISE_ORDER" }],
]);

/** One `<when>` or more, then exactly one `<otherwise>`; so too in the older `<branch>`. */
export const chooseArms: Rule = (findings) => (element) => {
  const { name } = element;
  const codes = CODES.get(name);
  if (!codes || isRoute(element)) return;
  const children = elementsOf(element);
  const hint = `A ${name} is one <when test=...> or more and then one <otherwise>.`;
  if (!mayHold(element, "when")) findings.add(element.openRange, { code: codes.when, message: `The ${name} has no <when>.`, hint });
  else if (!mayHold(element, "otherwise"))
    findings.add(element.openRange, { code: codes.otherwise, message: `The ${name} has no <otherwise>.`, hint });
  const misplaced = misplacedLast(
    children.filter((child) => child.name === "when" || child.name === "otherwise"),
    "otherwise",
  );
  if (misplaced) findings.add(misplaced.openRange, { code: codes.order, message: "<otherwise> is not the one last arm.", hint });
};

/** Of arms that should end with one of this name, the one to blame when they do not: the second, or the only one where it stands. */
export function misplacedLast(arms: readonly Element[], name: string): Element | null {
  const [first, second] = arms.filter((arm) => arm.name === name);
  return second ?? (first && arms.at(-1) !== first ? first : null);
}
