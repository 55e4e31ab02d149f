import { type Definition, SCHEMA_VERSION } from "@woml/model";
import { childrenNamed, type Element, elementsOf, textOf } from "../tree.ts";
import { labels, required } from "./attribute.ts";
import type { Draft } from "./draft.ts";
import { lowerFlow } from "./flow.ts";
import { lowerPolicy } from "./policy.ts";
import { lowerTriggers } from "./trigger.ts";
import { lowerUses } from "./uses.ts";

/**
 * The definition of a document without errors. Its result is the output of the last item: the rules let that be nothing but a step
 * or a choose.
 */
export function lower(root: Element, draft: Draft): Definition {
  const [workflow] = childrenNamed(root, "workflow");
  const [steps] = workflow ? childrenNamed(workflow, "steps") : [];
  const flow = steps && lowerFlow(elementsOf(steps), draft);
  if (!workflow || !flow) throw new Error("a document without steps has passed the rules");
  const version = textOf(workflow, "version");
  const policy = lowerPolicy(workflow);
  const uses = lowerUses(root, draft);
  return {
    schemaVersion: SCHEMA_VERSION,
    workflow: { id: required(workflow, "id"), ...labels(workflow), ...(version !== undefined && { version }) },
    ...(policy && { policy }),
    ...(uses && { uses }),
    triggers: lowerTriggers(workflow, draft),
    nodes: draft.nodes,
    edges: draft.edges,
    result: flow.exit,
  };
}
