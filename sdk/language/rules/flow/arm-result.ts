import type { Code } from "../../codes.ts";
import type { Document } from "../../document.ts";
import type { Findings } from "../../findings.ts";
import { mayHold } from "../../meant.ts";
import { type Element, elementsOf } from "../../tree.ts";
import { isRoute } from "../../visibility.ts";
import type { Rule } from "../../visit.ts";
import { isForeign } from "../document/placement.ts";
import { empty, isControl, isResult } from "./control-arms.ts";

interface Desk {
  readonly findings: Findings;
  readonly document: Document;
}
interface Codes {
  readonly empty: Code;
  readonly required: Code;
  readonly order: Code;
}
const CODES: ReadonlyMap<string, Codes> = new Map([
  ["choose", { empty: "WOML_INVALID_STRUCTURE", required: "WOML_CHOOSE_RESULT_REQUIRED", order: "WOML_CHOOSE_RESULT_ORDER" }],
  ["branch", { empty: "WOML_INVALID_STRUCTURE", required: "WOML_BRANCH_RESULT_REQUIRED", order: "WOML_BRANCH_RESULT_ORDER" }],
  ["switch", { empty: "WOML_SWITCH_ARM_EMPTY", required: "WOML_SWITCH_RESULT_REQUIRED", order: "WOML_SWITCH_RESULT_ORDER" }],
]);
const ARMS: ReadonlySet<string> = new Set(["when", "otherwise", "case", "default"]);

/** An arm of what has an id is one item or more, and then exactly one `<result>`. */
export const armResult: Rule = (findings, document) => (arm) => {
  const { name, parent } = arm;
  if (!parent || !ARMS.has(name) || isRoute(parent) || isControl(parent)) return;
  const codes = CODES.get(parent.name);
  if (codes) withResult(arm, codes, { findings, document });
};

function withResult(arm: Element, codes: Codes, { findings, document }: Desk): void {
  const children = elementsOf(arm);
  const [first, second] = children.filter(isResult);
  const hint = `End the arm with one <result value="{{context.steps.<id>}}" />.`;
  if (children.every(isResult)) findings.add(arm.openRange, empty(arm, codes.empty));
  else if (first ? second : !mayHold(arm, "result")) {
    const message = first ? "The arm has more than one <result>." : "The arm has no <result>.";
    findings.add((second ?? arm).openRange, { code: codes.required, message, hint });
  } else if (first && children.findLast((child) => isResult(child) || !isForeign(child, document)) !== first) {
    findings.add(first.openRange, { code: codes.order, message: "<result> is not the last of its arm.", hint });
  }
}
