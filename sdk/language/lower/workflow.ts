import type { Definition } from "@woml/model";
import { SCHEMA_VERSION } from "@woml/model/laws";
import { childrenNamed, type Element, elementsOf, textOf } from "../tree.ts";
import { givesResult } from "../visibility.ts";
import { labels, required } from "./attribute.ts";
import type { Draft } from "./draft.ts";
import { lowerFlow } from "./flow.ts";
import { lowerLifecycle } from "./lifecycle.ts";
import { lowerModules } from "./modules.ts";
import { lowerPolicy } from "./policy.ts";
import { lowerTriggers } from "./trigger.ts";
import { lowerUses } from "./uses.ts";

/** The definition of a document without errors. Its result is the output of the last item of the main route that has one. */
export function lower(root: Element, draft: Draft): Definition {
  const [workflow] = childrenNamed(root, "workflow");
  const [steps] = workflow ? childrenNamed(workflow, "steps") : [];
  const items = steps ? elementsOf(steps) : [];
  const result = items.findLast(givesResult);
  if (!workflow || !result || !lowerFlow(items, draft)) throw new Error("a document without steps has passed the rules");
  draft.subjects.set("workflow", workflow.openRange);
  const version = textOf(workflow, "version");
  const policy = lowerPolicy(workflow, draft);
  const lifecycle = lowerLifecycle(workflow, draft);
  const uses = lowerUses(root, draft);
  const modules = lowerModules(root, draft);
  return {
    schemaVersion: SCHEMA_VERSION,
    workflow: { id: required(workflow, "id"), ...labels(workflow), ...(version !== undefined && { version }) },
    ...(policy && { policy }),
    ...(uses && { uses }),
    ...(modules && { modules }),
    triggers: lowerTriggers(workflow, draft),
    ...(lifecycle && { lifecycle }),
    nodes: draft.nodes,
    edges: draft.edges,
    result: required(result, "id"),
  };
}
