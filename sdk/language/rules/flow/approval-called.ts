import type { Remark } from "../../diagnostic.ts";
import { mayHold } from "../../meant.ts";
import type { Look, Rule } from "../../visit.ts";

/** Whoever calls a workflow waits for its result, and must not wait for a person. Told once: the missing triggers are one fault. */
export const approvalCalled: Rule = (findings): Look => {
  let isCallOnly = false;
  return (element) => {
    if (element.name === "workflow") isCallOnly = !mayHold(element, "triggers");
    if (element.name !== "approval" || !isCallOnly) return;
    findings.add(element.openRange, CALLED);
    isCallOnly = false;
  };
};

const CALLED: Remark = {
  code: "WOML_WORKFLOW_CALL_WAIT_UNSUPPORTED",
  message: "A workflow without triggers is started by a call alone, and a call does not wait for a person.",
  hint: "Add <triggers>, or move the approval to the workflow that calls.",
};
