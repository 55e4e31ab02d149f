import type { Remark } from "../../diagnostic.ts";
import { scriptRule } from "../../script/remarks.ts";
import { quoted } from "../../source.ts";
import type { Element } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

const PARTS: readonly string[] = ["payload", "trigger", "steps"];
const OF_LOOPS: readonly string[] = ["item", "iteration"];

/** What a script reads of the context is a part of it. It is a warning: anything else reads undefined, and WOML 1.0 does not look. */
export const contextPart: Rule = scriptRule(({ element, reading: { named }, kind, document, say, guess }) => {
  if (!kind.context) return;
  for (const [name, node] of named.parts) {
    if (PARTS.includes(name)) continue;
    if (!OF_LOOPS.includes(name)) say(node, unknown(name, guess(name, [...PARTS, ...OF_LOOPS], HINT)));
    else if (document.defines === "workflow" && isIn("steps", element) && !isIn("for-each", element)) say(node, outside(name));
  }
});

function isIn(name: string, element: Element): boolean {
  for (let up = element.parent; up; up = up.parent) if (up.name === name) return true;
  return false;
}

const HINT = "The context has payload, trigger and steps; in a loop also item and iteration.";
const unknown = (name: string, hint: string): Remark => ({
  code: "WOML_UNKNOWN_REFERENCE",
  severity: "warning",
  message: `The context has no ${quoted(name)}: it reads undefined.`,
  hint,
});
const outside = (name: string): Remark => ({
  code: "WOML_ITERATION_REFERENCE_OUTSIDE_FOR_EACH",
  severity: "warning",
  message: `The context has ${quoted(name)} in a loop alone: here it reads undefined.`,
  hint: "Put the step into a <for-each>, or read the payload or a step.",
});
