import { quoted } from "../../source.ts";
import { childrenNamed } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** `all` and `none` are what `join` may say instead of branches. */
export const RESERVED: ReadonlySet<string> = new Set(["all", "none"]);

/** The branches of one fork have ids of their own, which nothing outside the fork sees. */
export const forkBranchId: Rule = (findings) => (element) => {
  if (element.name !== "fork") return;
  const seen = new Set<string>();
  for (const branch of childrenNamed(element, "branch")) {
    const id = branch.attributes.get("id");
    if (!id || id.value === null) continue;
    const message = `${quoted(id.value)} is ${RESERVED.has(id.value) ? "a word of join" : "another branch of this fork"}.`;
    if (RESERVED.has(id.value))
      findings.onValue(id, { code: "WOML_FORK_BRANCH_ID_RESERVED", message, hint: "Give the branch another id." });
    else if (seen.has(id.value))
      findings.onValue(id, { code: "WOML_FORK_BRANCH_ID_DUPLICATE", message, hint: "Give one of them another id." });
    seen.add(id.value);
  }
};
