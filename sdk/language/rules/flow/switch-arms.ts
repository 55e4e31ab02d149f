import type { Remark } from "../../diagnostic.ts";
import { mayHold } from "../../meant.ts";
import { elementsOf } from "../../tree.ts";
import type { Rule } from "../../visit.ts";
import { misplacedLast } from "./choose-arms.ts";

const HINT = "A switch is one <case value=...> or more and then one <default>.";

/** One `<case>` or more, then exactly one `<default>`. */
export const switchArms: Rule = (findings) => (element) => {
  if (element.name !== "switch") return;
  const children = elementsOf(element);
  if (!mayHold(element, "case"))
    findings.add(element.openRange, { code: "WOML_SWITCH_CASE_REQUIRED", message: "The switch has no <case>.", hint: HINT });
  else if (!mayHold(element, "default"))
    findings.add(element.openRange, { code: "WOML_SWITCH_DEFAULT_ORDER", message: "The switch has no <default>.", hint: HINT });
  const misplaced = misplacedLast(
    children.filter((child) => child.name === "case" || child.name === "default"),
    "default",
  );
  if (misplaced) findings.add(misplaced.openRange, ORDER);
};

const ORDER: Remark = { code: "WOML_SWITCH_DEFAULT_ORDER", message: "<default> is not the one last arm.", hint: HINT };
