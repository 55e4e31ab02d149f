import { type Doorbell, SHARED } from "@woml/boot";
import { realWorld } from "@woml/engine";
import type { Json } from "@woml/model";
import type { ControlStore } from "@woml/prisma";
import { asRunId, type RunId, type TenantId } from "@woml/run";

interface Around {
  readonly store: ControlStore;
  /** Rung at each request. */
  readonly doorbell: Pick<Doorbell, "ring">;
}
type Ask = (workflow: string, version: string, payload?: Json) => Promise<RunId>;

/** Asks for a run through the inbox: resolves when that is stored. */
export function asking({ store, doorbell }: Around, tenant: TenantId): Ask {
  return async (workflow, version, payload = {}) => {
    const run = asRunId(realWorld.mint());
    const body = { kind: "start", workflow, version, trigger: { kind: "manual", id: "go" }, payload, labels: [] };
    await store.submit(tenant, { id: realWorld.mint(), run, scope: "start", key: null, digest: version, body });
    doorbell.ring(SHARED);
    return run;
  };
}
