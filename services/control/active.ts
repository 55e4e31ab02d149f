import { accept } from "@woml/model";
import type { WorkflowRow } from "@woml/prisma";
import { showVersionId } from "@woml/run";
import { activate } from "./activation.ts";
import { type Asking, withTenant } from "./asking.ts";
import { entryOf } from "./audit.ts";
import { ApiError } from "./errors.ts";
import { versionHashOf, workflowIdOf } from "./ids.ts";

/** The workflow as it is from now on; `changed` is false where it was so before, and then nothing was written. */
interface Activated {
  readonly workflow: WorkflowRow;
  readonly changed: boolean;
}

/** Also an old one. Throws with WOML_VERSION_NOT_FOUND, or WOML_WEBHOOK_ROUTE_CONFLICT where a path of it is taken. */
export function activateVersion(asking: Asking, id: string): Promise<Activated> {
  const hash = versionHashOf(id);
  return withTenant(asking, async (scope) => {
    const version = await scope.version(hash);
    if (version === null) throw new ApiError("WOML_VERSION_NOT_FOUND", "there is no such version");
    const workflow = { id: version.workflow, active: hash };
    const before = (await scope.workflow(workflow.id))?.active ?? null;
    if (before === hash) return { workflow, changed: false };
    const accepted = accept(JSON.parse(version.definition));
    if (!("definition" in accepted)) throw new Error("the store holds a definition that the model does not accept");
    await activate(scope, { workflow: workflow.id, hash, definition: accepted.definition });
    await scope.record(entryOf(asking.who.key, "workflow.activate", workflow.id, { version: id, before: shown(before) }));
    return { workflow, changed: true };
  });
}

/** Runs that there are go on; nothing starts another one, but for whoever names a version. */
export function deactivateWorkflow(asking: Asking, id: string): Promise<Activated> {
  const workflow = { id: workflowIdOf(id), active: null };
  return withTenant(asking, async (scope) => {
    const found = await scope.workflow(workflow.id);
    if (found === null) throw new ApiError("WOML_WORKFLOW_NOT_FOUND", `there is no workflow ${workflow.id}`);
    if (found.active === null) return { workflow, changed: false };
    await scope.activate(workflow.id, null, []);
    await scope.record(entryOf(asking.who.key, "workflow.deactivate", workflow.id, { before: shown(found.active) }));
    return { workflow, changed: true };
  });
}

const shown = (hash: string | null): string | null => (hash === null ? null : showVersionId(hash));
