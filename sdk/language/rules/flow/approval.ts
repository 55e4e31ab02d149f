import type { Remark } from "../../diagnostic.ts";
import { durationMs } from "../../duration.ts";
import { quoted } from "../../source.ts";
import { childrenNamed, type Element, elementsOf } from "../../tree.ts";
import type { Look, Rule } from "../../visit.ts";

const HINT = "An approval is one <notify> or none, then one <when-approved>, then one <when-rejected>; both may be empty.";
const arms = (message: string): Remark => ({ code: "WOML_APPROVAL_STRUCTURE_INVALID", message, hint: HINT });

/** Exactly one `<when-approved>`, then exactly one `<when-rejected>`. */
export const approvalArms: Rule = (findings) => (element) => {
  if (element.name !== "approval") return;
  const named = ["when-approved", "when-rejected"].map((name) => elementsOf(element).filter((child) => child.name.toLowerCase() === name));
  for (const [at, [first, second]] of named.entries()) {
    const name = at === 0 ? "<when-approved>" : "<when-rejected>";
    if (first && !second) continue;
    findings.add((second ?? element).openRange, arms(`The approval has ${second ? "more than one" : "no"} ${name}.`));
    return;
  }
  const [approved, rejected] = named.map(([first]) => first);
  if (!approved || !rejected || approved.range.start < rejected.range.start) return;
  findings.add(rejected.openRange, arms("<when-rejected> stands before <when-approved>."));
};

/** Who is told stands before what is decided, and once. */
export const notifyFirst: Rule = (findings) => (element) => {
  if (element.name !== "approval") return;
  const [first, second] = childrenNamed(element, "notify");
  const misplaced = second ?? (first && elementsOf(element)[0] !== first ? first : undefined);
  if (!misplaced) return;
  const message = second ? "The approval has more than one <notify>." : "<notify> is not the first in its approval.";
  findings.add(misplaced.openRange, { code: "WOML_NOTIFY_INVALID_ORDER", message, hint: HINT });
};

const TIMEOUT_HINT = "A duration of 1ms or more: 30m, 24h, 7d.";

/** How long a decision is waited for, and what then. */
export const approvalTimeout: Rule = (findings) => (element) => {
  if (element.name !== "approval") return;
  const [timeout, then] = [element.attributes.get("timeout"), element.attributes.get("on-timeout")];
  const invalid = (message: string, hint: string): Remark => ({ code: "WOML_APPROVAL_TIMEOUT_INVALID", message, hint });
  if (timeout && timeout.value !== null && durationMs(timeout.value, Number.MAX_SAFE_INTEGER) === null)
    findings.onValue(timeout, invalid(`${quoted(timeout.value)} is no time to wait.`, TIMEOUT_HINT));
  if (then && then.value !== null && then.value !== "reject" && then.value !== "fail")
    findings.onValue(then, invalid(`${quoted(then.value)} does not say what happens when nobody decides.`, "Write reject or fail."));
  else if (then && !timeout)
    findings.onName(then, invalid("on-timeout means nothing without timeout.", 'Add timeout="24h", say, or remove it.'));
};

/** Whoever calls a workflow waits for its result, and must not wait for a person. Told once: the missing triggers are one fault. */
export const approvalCalled: Rule = (findings): Look => {
  let isCallOnly = false;
  return (element) => {
    if (element.name === "workflow") isCallOnly = !elementsOf(element).some(isTriggers);
    if (element.name !== "approval" || !isCallOnly) return;
    findings.add(element.openRange, CALLED);
    isCallOnly = false;
  };
};

const isTriggers = ({ name }: Element): boolean => name.toLowerCase() === "triggers";

const CALLED: Remark = {
  code: "WOML_WORKFLOW_CALL_WAIT_UNSUPPORTED",
  message: "A workflow without triggers is started by a call alone, and a call does not wait for a person.",
  hint: "Add <triggers>, or move the approval to the workflow that calls.",
};
