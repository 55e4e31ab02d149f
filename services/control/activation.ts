// Which version new runs get, and what starts them: both change in one transaction, so that every replica's doors see the one or the other.
import { type Definition, isTimed, type Json, nextSlot, type Trigger, type TriggerSetting } from "@woml/model";
import type { LaneLimits, NewTrigger, TenantScope } from "@woml/prisma";
import { ApiError } from "./errors.ts";
import { specOf, TRIGGERS_MAX } from "./triggers.ts";

interface Activating {
  readonly workflow: string;
  readonly hash: string;
  readonly definition: Definition;
}

/** Throws with WOML_WEBHOOK_ROUTE_CONFLICT where a path is another workflow's, or two of its triggers have it. */
export async function activate(scope: TenantScope, { workflow, hash, definition }: Activating): Promise<void> {
  onePathEach(workflow, definition.triggers);
  const answer = await scope.activate(workflow, hash, definition.triggers.flatMap(bindingOf));
  if (answer === "activated") {
    await timeNew(scope, workflow);
    return scope.setLane(workflow, limitsOf(definition));
  }
  const message = `the path ${answer.taken} is a webhook of the workflow ${answer.by}: take another path, or deactivate that one`;
  throw new ApiError("WOML_WEBHOOK_ROUTE_CONFLICT", message, { path: answer.taken });
}

function onePathEach(workflow: string, triggers: readonly Trigger[]): void {
  const taken = new Map<string, string>();
  for (const trigger of triggers) {
    if (trigger.kind !== "webhook") continue;
    const { id, path } = trigger;
    const other = taken.get(path);
    if (other !== undefined) {
      const message = `two triggers of ${workflow} have the path ${path}: ${other} and ${id}; give each its own, or take one out`;
      throw new ApiError("WOML_WEBHOOK_ROUTE_CONFLICT", message, { path });
    }
    taken.set(path, id);
  }
}

/** What came with this version is counted from now on; what stays as it was keeps its next slot. A setting may have been there before. */
async function timeNew(scope: TenantScope, workflow: string): Promise<void> {
  const { items } = await scope.triggers([workflow], { first: TRIGGERS_MAX, after: null });
  for (const row of items) {
    const trigger = specOf(row);
    if (!isTimed(trigger) || row.nextAt !== null) continue;
    const next = nextSlot({ trigger, setting: row.setting as TriggerSetting | null, since: row.since }, row.since);
    await scope.setTrigger({ workflow, trigger: row.trigger }, row.setting, next);
  }
}

/** What the active version says counts for all runs of its workflow. */
function limitsOf({ policy }: Definition): LaneLimits {
  return { most: policy?.concurrency ?? null, rate: policy?.rateLimit ?? null, queue: policy?.queue ?? null };
}

/** Chat triggers are not run yet, and none is stored with a version. */
function bindingOf(spec: Trigger): readonly NewTrigger[] {
  const common = { trigger: spec.id, spec: spec as Json, route: null, secrets: [], nextAt: null };
  switch (spec.kind) {
    case "manual":
    case "schedule":
    case "interval":
      return [{ ...common, kind: spec.kind }];
    case "webhook":
      return [{ ...common, kind: spec.kind, route: spec.path, secrets: secretsOf(spec) }];
    case "signal":
      return [{ ...common, kind: spec.kind, route: spec.name, secrets: secretsOf(spec) }];
    default:
      return [];
  }
}

const secretsOf = ({ secret }: { readonly secret?: string | undefined }): readonly string[] => (secret === undefined ? [] : [secret]);
