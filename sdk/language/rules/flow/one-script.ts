import { mayHold } from "../../meant.ts";
import { trimmed } from "../../source.ts";
import { childrenNamed } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** That of a reusable definition has a code of its own. */
export const oneScript: Rule = (findings, document) => (element) => {
  if (element.name !== "step" || element.parent?.name === "woml") return;
  const [first, second] = childrenNamed(element, "script");
  if (first ? !second : mayHold(element, "script")) return;
  const message = first ? "The step has more than one <script>." : "The step has no <script>.";
  const hasCode = !first && element.children.some(({ kind, range }) => kind === "text" && trimmed(document.text, range));
  const hint = hasCode ? "Put the code into <script>…</script>." : "A step holds exactly one <script>.";
  findings.add((second ?? element).openRange, { code: "WOML_STEP_OPERATION_COUNT", message, hint });
};
