import type { Defines } from "../document.ts";
import type { Element } from "../tree.ts";

/** What a script is given beside `attempt`, `services`, `fetch` and `console`. */
export interface ScriptKind {
  readonly context: boolean;
  readonly secrets: boolean;
  readonly lifecycle: boolean;
  readonly props: boolean;
  readonly notification: boolean;
}

/** Of which kind a script is follows from where it stands and from what its document defines. */
export function kindOf(script: Element, defines: Defines): ScriptKind {
  const isReusable = defines === "step" || defines === "provider";
  return {
    context: defines !== "provider",
    secrets: !isReusable,
    lifecycle: isInHook(script),
    props: isReusable,
    notification: defines === "provider",
  };
}

function isInHook(script: Element): boolean {
  for (let up = script.parent; up; up = up.parent) if (up.name === "lifecycle") return true;
  return false;
}
