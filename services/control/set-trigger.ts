import { acceptSetting, isTimed, type Json, nextSlot, type Trigger, type TriggerSetting } from "@woml/model";
import type { TenantScope, TriggerRow } from "@woml/prisma";
import { type Asking, withTenant } from "./asking.ts";
import { entryOf } from "./audit.ts";
import { ApiError } from "./errors.ts";
import { triggerIdOf, workflowIdOf } from "./ids.ts";
import { type SeenTrigger, seen, specOf } from "./triggers.ts";

export interface SetTriggerInput {
  readonly workflow: string;
  readonly trigger: string;
  readonly setting?: unknown;
}
interface Of {
  readonly workflow: string;
  readonly trigger: string;
}

/** It may be set before the version that has it is active, so that no door stands open until then; null where it is not bound. */
export function setTrigger(asking: Asking, input: SetTriggerInput): Promise<SeenTrigger | null> {
  const of = { workflow: workflowIdOf(input.workflow), trigger: triggerIdOf(input.trigger) };
  return withTenant(asking, async (scope) => {
    const bound = await scope.trigger(of);
    const spec = bound === null ? await newestOf(scope, of) : specOf(bound);
    const setting = accepted(input.setting ?? null, spec);
    await scope.setTrigger(of, setting as Json, bound === null ? null : nextOf(bound, setting, await scope.now()));
    await scope.record(entryOf(asking.who.key, "trigger.set", `${of.workflow} ${of.trigger}`, { setting: setting as Json }));
    if (bound === null) return null;
    const set = await scope.trigger(of);
    if (set === null) throw new Error("a trigger that was bound is not there");
    return (await seen(scope, { items: [set], hasNext: false })).items[0] ?? null;
  });
}

/** As the newest version has it. */
async function newestOf(scope: TenantScope, { workflow, trigger }: Of): Promise<Trigger> {
  const [newest] = (await scope.versions(workflow, { first: 1, after: null }))?.items ?? [];
  if (newest === undefined) throw new ApiError("WOML_WORKFLOW_NOT_FOUND", `there is no workflow ${workflow}`);
  const row = await scope.version(newest.hash);
  const { triggers = [] }: { triggers?: readonly Trigger[] } = row === null ? {} : JSON.parse(row.definition);
  const found = triggers.find(({ id }) => id === trigger);
  if (found === undefined) throw new ApiError("WOML_TRIGGER_NOT_FOUND", `${workflow} has no trigger ${trigger}`);
  return found;
}

function accepted(value: unknown, { kind }: Trigger): TriggerSetting | null {
  if (value === null) return null;
  const answer = acceptSetting(value, kind);
  if ("setting" in answer) return answer.setting;
  const [first] = answer.faults;
  throw new ApiError("WOML_TRIGGER_SETTING_INVALID", `${first?.path || "the setting"} ${first?.message}`, { faults: answer.faults });
}

/** A slot that is due and was not fired yet stays; under another rule it is looked for from there. */
function nextOf(bound: TriggerRow, setting: TriggerSetting | null, now: number): number | null {
  const trigger = specOf(bound);
  if (!isTimed(trigger)) return null;
  const after = bound.nextAt !== null && bound.nextAt <= now ? bound.nextAt - 1 : now;
  return nextSlot({ trigger, setting, since: bound.since }, after);
}
