import type { Remark } from "../../diagnostic.ts";
import { type Element, elementsOf } from "../../tree.ts";
import { isRoute } from "../../visibility.ts";
import type { Rule } from "../../visit.ts";

const REMARKS: ReadonlyMap<string, Remark> = new Map([
  ["steps", { code: "WOML_EMPTY_STEPS", message: "<steps> holds no item.", hint: "Add a <step>." }],
  ["parallel", { code: "WOML_PARALLEL_EMPTY", message: "<parallel> holds no step.", hint: "Add a <step>, or remove the group." }],
  ["fork", { code: "WOML_FORK_EMPTY", message: "<fork> holds no branch.", hint: 'Add a <branch id="...">, or remove the fork.' }],
  ["branch", { code: "WOML_FORK_BRANCH_EMPTY", message: "The branch holds no item.", hint: "Add a <step>, or remove the branch." }],
  ["for-each", { code: "WOML_FOR_EACH_EMPTY", message: "The loop holds no item.", hint: "Add a <step>, or remove the loop." }],
]);

/** What holds items holds one at least. An older choose is a `<branch>` too: its arms are judged as such. */
export const notEmpty: Rule = (findings) => (element) => {
  const remark = REMARKS.get(element.name);
  if (remark && isBare(element) && (element.name !== "branch" || isRoute(element))) findings.add(element.openRange, remark);
};

/** A loop's `<result>` is no item. */
const isBare = (element: Element): boolean => elementsOf(element).every(({ name }) => element.name === "for-each" && name === "result");
