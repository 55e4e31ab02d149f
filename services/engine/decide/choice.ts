import type { ChoiceNode, Reference, SelectNode } from "@woml/model";
import type { Failure } from "@woml/run";
import type { Draft } from "./draft.ts";
import { lookUp } from "./reference.ts";

/** Tries the tests in order and selects an arm. Answers why the run fails, if it does. */
export function selectArm(draft: Draft, node: SelectNode): Failure | null {
  for (const { arm, test } of node.arms) {
    const value = lookUp(draft.state, test);
    if (value === undefined) return notAvailable(node.choice, test);
    if (typeof value !== "boolean") return notBoolean(node.choice, test);
    if (value) return select(draft, node.choice, arm);
  }
  return select(draft, node.choice, node.otherwise);
}

/** Gives a choice the value that its selected arm names. Answers why the run fails, if it does. */
export function settleChoice(draft: Draft, node: ChoiceNode): Failure | null {
  const arm = draft.state.choices.get(node.id)?.arm;
  const result = node.results?.find((each) => each.arm === arm);
  if (result === undefined) throw new Error(`choice ${node.id} has no result for its arm ${arm}`);
  const output = lookUp(draft.state, result.value);
  if (output === undefined) return notAvailable(node.id, result.value);
  draft.emit({ type: "choice_settled", data: { node: node.id, output } });
  return null;
}

function select(draft: Draft, node: string, arm: string): null {
  draft.emit({ type: "choice_selected", data: { node, arm } });
  return null;
}

function notAvailable(step: string, reference: Reference): Failure {
  const message = `${spell(reference)} is not there: a property is missing, or asked of something that is no object.`;
  return { code: "WOML_REFERENCE_NOT_AVAILABLE", kind: "reference_not_available", message, step };
}

function notBoolean(step: string, reference: Reference): Failure {
  const message = `The test ${spell(reference)} is neither true nor false.`;
  return { code: "WOML_BRANCH_TEST_NOT_BOOLEAN", kind: "branch_test_not_boolean", message, step };
}

function spell(reference: Reference): string {
  return `{{context.${reference.join(".")}}}`;
}
