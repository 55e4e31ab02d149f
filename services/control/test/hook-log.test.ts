// What strangers send to a door is counted, all of it, and costs the database one transaction at a time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openLog } from "@woml/boot";
import type { ControlStore, DeliveryRow } from "@woml/prisma";
import { asTenantId } from "@woml/run";
import { openFinding } from "../hook-find.ts";
import { openDoorSecrets } from "../hook-key.ts";
import { HookLog } from "../hook-log.ts";
import { hooked } from "./hooked.ts";
import { openForFile, publishText } from "./opened.ts";

const opened = await openForFile();
const log = openLog("control-test", "error");
const owner = await opened.tenant("counted");
const tenant = asTenantId(owner.id);
const STRANGERS = 40;

/** The real store, and how many transactions of it were open at most. */
function watched(): { readonly store: Pick<ControlStore, "withTenant">; readonly most: () => number } {
  let [open, most] = [0, 0];
  const withTenant: ControlStore["withTenant"] = (of, work) => {
    open += 1;
    most = Math.max(most, open);
    return opened.store.withTenant(of, work).finally(() => {
      open -= 1;
    });
  };
  return { store: { withTenant }, most: () => most };
}

const written = (workflow: string): Promise<readonly DeliveryRow[]> =>
  opened.store.withTenant(
    tenant,
    async (scope) => (await scope.deliveries({ workflow, trigger: null }, { first: 100, after: null })).items,
  );
const counted = (rows: readonly DeliveryRow[]): number => rows.reduce((sum, { count }) => sum + count, 0);

test("many at once are counted one by one and written together, a transaction at a time", async () => {
  await publishText(owner, hooked("crowded"));
  const secrets = openDoorSecrets(opened.store, log);
  const hook = await openFinding({ store: opened.store, secrets, log }).hook(tenant, "/crowded");
  await secrets.close();
  assert.ok(hook);
  const { store, most } = watched();
  const journal = new HookLog({ store, log });
  const all = Array.from({ length: STRANGERS });
  await Promise.all(all.map(() => journal.refused({ hook, code: "WOML_TRIGGER_UNAUTHORIZED", reason: "bearer_missing" })));
  assert.equal(most(), 1);
  const refused = await written("crowded");
  assert.equal(counted(refused), STRANGERS);
  assert.ok(refused.length <= 2, "a row a minute");
  const what = { hook, message: "no object", secret: null, source: null, bytes: null, payload: undefined };
  await Promise.all(all.map(() => journal.rejected({ ...what, code: "WOML_TRIGGER_PAYLOAD_INVALID" })));
  assert.equal(most(), 1);
  assert.equal(counted(await written("crowded")), 2 * STRANGERS);
  await Promise.all(all.map(() => journal.strayed({ tenant, kind: "webhook", code: "WOML_TRIGGER_NOT_FOUND" })));
  assert.equal(most(), 1);
  assert.equal(counted(await written("")), STRANGERS);
  // Whom somebody is known to be by a secret is written down each for itself.
  await Promise.all(["a", "b"].map((source) => journal.rejected({ ...what, code: "WOML_TRIGGER_SCHEMA_INVALID", secret: "KEY", source })));
  assert.deepEqual((await written("crowded")).flatMap(({ source }) => source ?? []).toSorted(), ["a", "b"]);
});
