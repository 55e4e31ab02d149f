import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";

/** What only another workflow starts waits for no person: whoever called it waits for its result. */
export const callOnly: Law = function* ({ definition, nodePath }) {
  if (definition.triggers.length > 0) return;
  for (const node of definition.nodes) {
    if (node.kind !== "approval") continue;
    const message = `the definition has no trigger, so the approval ${node.id} cannot stand in it`;
    yield violated(
      "WOML_WORKFLOW_CALL_WAIT_UNSUPPORTED",
      nodePath(node.id),
      message,
      "give it a trigger, or leave the approval to its caller",
    );
  }
};
