import { mayHold } from "../../meant.ts";
import { trimmed } from "../../source.ts";
import { childrenNamed } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** That of a reusable definition has a code of its own. */
export const oneScript: Rule = (findings, document) => (element) => {
  if (element.name !== "step" || element.parent?.name === "woml") return;
  const count = childrenNamed(element, "script").length;
  if (count === 1 || (count === 0 && mayHold(element, "script"))) return;
  const message = count === 0 ? "The step has no <script>." : `The step has ${count} scripts.`;
  const hasCode = count === 0 && element.children.some(({ kind, range }) => kind === "text" && trimmed(document.text, range));
  const hint = hasCode ? "Put the code into <script>…</script>." : "A step holds exactly one <script>.";
  findings.add(element.openRange, { code: "WOML_STEP_OPERATION_COUNT", message, hint });
};
