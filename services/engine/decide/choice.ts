import type { ChoiceNode, Reference, SelectNode, SwitchNode } from "@woml/model";
import type { Failure } from "@woml/run";
import type { Draft } from "./draft.ts";
import { overflow } from "./limits.ts";
import { beside, type Spot, valueAt } from "./spot.ts";

/** Tries the tests in order and selects an arm. Answers why its flow fails, if it does. */
export function selectArm(draft: Draft, spot: Spot, node: SelectNode): Failure | null {
  for (const { arm, test } of node.arms) {
    const value = valueAt(draft, spot, test);
    if (value === undefined) return notAvailable(node.choice, test);
    if (typeof value !== "boolean") return notBoolean(node.choice, test);
    if (value) return select(draft, spot, { choice: node.choice, arm });
  }
  return select(draft, spot, { choice: node.choice, arm: node.otherwise });
}

/** The arm whose text equals the value exactly. What is no text selects none, not even the default. */
export function switchArm(draft: Draft, spot: Spot, node: SwitchNode): Failure | null {
  const value = valueAt(draft, spot, node.value);
  if (value === undefined) return notAvailable(node.choice, node.value);
  if (typeof value !== "string") return notText(node.choice, node.value);
  const found = node.arms.find(({ equals }) => equals === value);
  return select(draft, spot, { choice: node.choice, arm: found?.arm ?? node.otherwise });
}

/** Ends a choice, with the value that its selected arm names if it has results. Answers why its flow fails, if it does. */
export function settleChoice(draft: Draft, spot: Spot, node: ChoiceNode): Failure | null {
  if (node.results === undefined) {
    draft.emit({ type: "choice_settled", data: { node: spot.site } });
    return null;
  }
  const arm = draft.state.choices.get(spot.site)?.arm;
  const result = node.results.find((each) => each.arm === arm);
  if (result === undefined) throw new Error(`choice ${node.id} has no result for its arm ${arm}`);
  const output = valueAt(draft, spot, result.value);
  if (output === undefined) return notAvailable(node.id, result.value);
  const over = overflow(draft, spot.site, output);
  if (over === null) draft.emit({ type: "choice_settled", data: { node: spot.site, output } });
  return over;
}

export function select(draft: Draft, spot: Spot, { choice, arm }: { readonly choice: string; readonly arm: string }): null {
  draft.emit({ type: "choice_selected", data: { node: beside(spot, choice), arm } });
  return null;
}

export function notAvailable(step: string, reference: Reference): Failure {
  const message = `${spell(reference)} is not there: a property is missing, or asked of something that is no object.`;
  return { code: "WOML_REFERENCE_NOT_AVAILABLE", kind: "reference_not_available", message, step };
}

function notBoolean(step: string, reference: Reference): Failure {
  const message = `The test ${spell(reference)} is neither true nor false.`;
  return { code: "WOML_BRANCH_TEST_NOT_BOOLEAN", kind: "branch_test_not_boolean", message, step };
}

function notText(step: string, reference: Reference): Failure {
  const message = `The value ${spell(reference)} is no text.`;
  return { code: "WOML_SWITCH_VALUE_INVALID", kind: "switch_value_invalid", message, step };
}

export function spell(reference: Reference): string {
  return `{{context.${reference.join(".")}}}`;
}
