// What came to a tenant's triggers, and how it is delivered again: as a new occurrence of the version that is active now.
import { randomUUID } from "node:crypto";
import { SHARED } from "@woml/boot";
import type { Json } from "@woml/model";
import type { DeliveryRow, NewDelivery, Page, TenantScope, TriggerRow } from "@woml/prisma";
import { type Asking, withTenant } from "./asking.ts";
import { entryOf } from "./audit.ts";
import { digestOf } from "./digest.ts";
import { ApiError } from "./errors.ts";
import { acceptBySchema } from "./hook-payload.ts";
import { deliveryIdOf, mintRunId, mintUuid, triggerIdOf } from "./ids.ts";
import { named } from "./named.ts";
import { type PageArguments, pageAsk } from "./page.ts";
import { type RunSource, runOfStart } from "./run-source.ts";
import { specOf } from "./triggers.ts";

export interface DeliveriesArguments extends PageArguments {
  readonly workflow?: string | null;
  readonly trigger?: string | null;
}
export interface RedeliverInput {
  readonly delivery: string;
}

/** Without a workflow: what no trigger was for. */
export function deliveries(asking: Asking, { workflow, trigger, ...args }: DeliveriesArguments): Promise<Page<DeliveryRow>> {
  const ask = pageAsk("delivery", args);
  const of = trigger === null || trigger === undefined ? null : triggerIdOf(trigger);
  return withTenant(asking, async (scope) => {
    const by = { workflow: workflow === null || workflow === undefined ? "" : await named(scope, workflow), trigger: of };
    return scope.deliveries(by, ask);
  });
}

/** Whoever asks twice has it delivered twice. Throws where nothing of it was kept, or where its trigger is bound no more. */
export async function redeliver(asking: Asking, input: RedeliverInput): Promise<{ run: RunSource; delivery: DeliveryRow }> {
  const id = deliveryIdOf(input.delivery);
  const again = await withTenant(asking, async (scope) => {
    const old = await scope.delivery(id);
    if (old === null) throw new ApiError("WOML_DELIVERY_NOT_FOUND", "there is no such delivery");
    const payload = await payloadOf(scope, old);
    const bound = await scope.trigger({ workflow: old.workflow, trigger: old.trigger });
    if (bound === null) throw new ApiError("WOML_TRIGGER_NOT_FOUND", "its trigger starts nothing now: activate a version that has it");
    const trigger = specOf(bound);
    acceptBySchema(payload, "schema" in trigger ? trigger.schema : undefined);
    return store(scope, asking, { old, bound, payload });
  });
  asking.doorbell.ring(SHARED);
  return again;
}

async function payloadOf(scope: TenantScope, { run, payload, outcome }: DeliveryRow): Promise<Json> {
  // A conflict names the run that its key belongs to, which is not what was sent.
  const start = run === undefined || outcome === "rejected" ? null : await scope.startOf(run);
  if (start !== null && typeof start.body === "object" && start.body !== null && "payload" in start.body)
    return start.body["payload"] ?? {};
  if (payload !== undefined) return payload;
  throw new ApiError("WOML_DELIVERY_WITHOUT_PAYLOAD", "nothing that could be delivered again was kept of it");
}

interface Again {
  readonly old: DeliveryRow;
  readonly bound: TriggerRow;
  readonly payload: Json;
}
async function store(
  scope: TenantScope,
  asking: Asking,
  { old, bound, payload }: Again,
): Promise<{ run: RunSource; delivery: DeliveryRow }> {
  const { workflow, trigger, version, kind } = bound;
  const [id, onAmbiguous] = [mintUuid(), await scope.onAmbiguous()];
  const key = `redelivery:${old.id}:${id}`;
  const { trace } = asking;
  const extras = { ...(onAmbiguous !== null && { onAmbiguous }), ...(trace !== null && { trace }) };
  const delivery: NewDelivery = { id, workflow, trigger, kind, outcome: "accepted", source: key, detail: { redeliveryOf: old.id } };
  const { row } = await scope.submit({
    ...{ id: randomUUID(), run: mintRunId(), scope: `trigger:${workflow}:${trigger}`, key, digest: digestOf(payload), delivery },
    body: { kind: "start", workflow, version, trigger: { kind, id: trigger }, payload, labels: [], ...extras },
  });
  await scope.record(entryOf(asking.who.key, "delivery.redeliver", old.id, { delivery: id, run: row.run }));
  const stored = await scope.delivery(id);
  if (stored === null) throw new Error("a delivery was stored and is not there");
  return { run: runOfStart(row), delivery: stored };
}
