import { isRoute } from "../../visibility.ts";
import type { Rule } from "../../visit.ts";

/** `<branch>` outside a fork is an older word for a choose with an id. */
export const deprecatedBranch: Rule = (findings) => (element) => {
  if (element.name !== "branch" || isRoute(element)) return;
  findings.add(element.openRange, {
    code: "WOML_DEPRECATED_CONDITIONAL_BRANCH",
    severity: "warning",
    message: "<branch> outside a fork is an older word for <choose>.",
    hint: "Write <choose> and </choose>; all else stays as it is.",
  });
};
