import { eventOf } from "../../hook.ts";
import { trimmed } from "../../source.ts";
import type { Element } from "../../tree.ts";
import type { Rule } from "../../visit.ts";

/** A lifecycle has a hook, a hook something to do, and a script of it a body. */
export const actions: Rule =
  (findings, { text }) =>
  (element) => {
    const isHook = eventOf(element) !== undefined;
    if ((isHook || element.name === "lifecycle") && isBare(element, text)) {
      const hint = isHook ? "Put a <script> or a <notify> into it, or remove it." : "Put a hook into it, such as <on-error>, or remove it.";
      findings.add(element.openRange, { code: "WOML_LIFECYCLE_ACTION_REQUIRED", message: `<${element.name}> does nothing.`, hint });
    }
    if (element.name !== "script" || !element.parent || !eventOf(element.parent) || element.children.length > 0) return;
    const hint = "Write what it does between <script> and </script>, or remove it.";
    findings.add(element.openRange, { code: "WOML_SCRIPT_BODY_REQUIRED", message: "The script of a hook has no body.", hint });
  };

/** Text in the place of an action has been reported. */
export const isBare = ({ children }: Element, source: string): boolean =>
  children.every((child) => child.kind === "text" && !trimmed(source, child.range));
