import type { Remark } from "../../diagnostic.ts";
import { mayBe, mayHold } from "../../meant.ts";
import { elementsOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

export const HINT = "An approval is one <notify> or none, then one <when-approved>, then one <when-rejected>; both may be empty.";
const arms = (message: string): Remark => ({ code: "WOML_APPROVAL_STRUCTURE_INVALID", message, hint: HINT });

/** Exactly one `<when-approved>`, then exactly one `<when-rejected>`. */
export const approvalArms: Rule = (findings) => (element) => {
  if (element.name !== "approval") return;
  const named = ["when-approved", "when-rejected"].map((name) => elementsOf(element).filter((child) => mayBe(child, name)));
  for (const [at, [first, second]] of named.entries()) {
    const name = at === 0 ? "when-approved" : "when-rejected";
    if (first ? !second : mayHold(element, name)) continue;
    findings.add((second ?? element).openRange, arms(`The approval has ${second ? "more than one" : "no"} <${name}>.`));
    return;
  }
  const [approved, rejected] = named.map(([first]) => first);
  if (!approved || !rejected || approved.range.start < rejected.range.start) return;
  findings.add(rejected.openRange, arms("<when-rejected> stands before <when-approved>."));
};
