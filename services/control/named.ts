import type { TenantScope } from "@woml/prisma";
import { ApiError } from "./errors.ts";
import { workflowIdOf } from "./ids.ts";

/** The workflow that a list is asked for: of one that is not there, a list is an error and not empty. */
export async function named(scope: Pick<TenantScope, "workflow">, text: string): Promise<string> {
  const id = workflowIdOf(text);
  if ((await scope.workflow(id)) === null) throw new ApiError("WOML_WORKFLOW_NOT_FOUND", `there is no workflow ${id}`);
  return id;
}
