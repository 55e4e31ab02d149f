import { RUN_LIMITS } from "@woml/model/laws";
import { type Element, elementsOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** What begins and ends: an iteration, and each of these in it, if nothing is tried again and no operation is called. */
const EVENTS_EACH = 2;
const GROUPS: ReadonlySet<string> = new Set(["parallel", "choose", "switch", "branch"]);

/** How many elements a loop has is known when it begins. Where the most would not fit into a run, its author is told how many do. */
export const forEachHistory: Rule = (findings) => (element) => {
  if (element.name !== "for-each") return;
  const each = EVENTS_EACH * (1 + longest(element));
  const { events, items } = RUN_LIMITS;
  if (each * items <= events) return;
  findings.add(element.openRange, {
    code: "WOML_FOR_EACH_HISTORY_LONG",
    severity: "warning",
    message: `With ${count(items)} elements this loop would need ${count(each * items)} events, and a run may have ${count(events)}.`,
    hint: `${count(Math.floor(events / each))} elements fit, fewer where steps are tried again or call operations; do more in one step, or give parts of the list to other runs.`,
  });
};

/** Items that run in one iteration, where each choice takes its longest arm. */
function longest(element: Element): number {
  const inner = elementsOf(element).map((child) => (isArm(child) ? longest(child) : itemsOf(child)));
  const isChoice = element.name === "choose" || element.name === "switch" || element.name === "branch";
  return isChoice ? Math.max(0, ...inner) : inner.reduce((sum, one) => sum + one, 0);
}

function itemsOf(element: Element): number {
  if (GROUPS.has(element.name)) return 1 + longest(element);
  return element.name === "result" ? 0 : 1;
}

const isArm = ({ name }: Element): boolean => name === "when" || name === "otherwise" || name === "case" || name === "default";
const count = (number: number): string => number.toLocaleString("en");
