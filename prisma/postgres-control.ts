import { asTenantId, type TenantId } from "@woml/run";
import { NOW, openSessions, type Sessions, type Transaction } from "./client.ts";
import type { AdminScope, ControlStore, TenantScope } from "./control-store.ts";
import { StoreError } from "./error.ts";
import { pendingOf } from "./pending.ts";
import { announcingQuotas } from "./quota-signal.ts";
import { assertService } from "./role.ts";
import { approvals } from "./scope/approval.ts";
import { audit, record } from "./scope/audit.ts";
import { deliveries } from "./scope/delivery.ts";
import { doorSecrets, doors } from "./scope/door.ts";
import { fansOut } from "./scope/fan-out.ts";
import { findings } from "./scope/finding.ts";
import { insertKey, keys, readKey } from "./scope/key.ts";
import { lanes, quotas } from "./scope/lane.ts";
import { releases } from "./scope/release.ts";
import { requests, store } from "./scope/request.ts";
import { runs } from "./scope/run.ts";
import { secrets } from "./scope/secret.ts";
import { settings } from "./scope/setting.ts";
import { triggers } from "./scope/trigger.ts";
import { unadmitted } from "./scope/unadmitted.ts";
import { versions } from "./scope/version.ts";
import { placed, type SessionOptions } from "./session.ts";
import { Submitter } from "./submitter.ts";

/** Whose the platform's own rows are. */
const PLATFORM = asTenantId("00000000-0000-0000-0000-000000000000");

/**
 * Control's store on PostgreSQL, through Prisma. What a tenant asks is one transaction under row-level security; every statement names the
 * tenant besides. Rejects with WOML_DATABASE_ROLE_TOO_POWERFUL for a role that row-level security does not bind.
 */
export async function openControlStore(url: string, options: SessionOptions = {}): Promise<ControlStore> {
  const sessions = openSessions(placed(url, "control", options));
  try {
    await assertService(sessions.ask, url, "control");
  } catch (error) {
    await sessions.close();
    throw error;
  }
  return controlStore(sessions);
}

function controlStore(sessions: Sessions): ControlStore {
  let commits = 0;
  const wrote = (): void => {
    commits += 1;
  };
  const submitter = new Submitter((tenant, batch) =>
    sessions.under({ "app.tenant": tenant }, (tx) => {
      wrote();
      return store(tx, tenant, batch);
    }),
  );
  const quotas = announcingQuotas(sessions);
  return {
    key: (id) => sessions.under({ "app.key": id }, (tx) => readKey(tx, id)),
    withTenant: (tenant, work) =>
      quotas(
        tenant,
        sessions.under({ "app.tenant": tenant }, (tx) => work(scopeOf(tx, tenant, wrote))),
      ),
    asAdmin: (work) => sessions.under({ "app.admin": "on" }, (tx) => work(adminScopeOf(tx, wrote))),
    ...doors(sessions, wrote),
    submit: (tenant, wanted) => quotas(tenant, submitter.submit(tenant, wanted)),
    createTenant: ({ id, name }, key, entry) =>
      sessions.under({ "app.admin": "on", "app.tenant": id }, async (tx) => {
        wrote();
        const made = await tx.$executeRaw`INSERT INTO tenant (id, name, created_at) VALUES (${id}::uuid, ${name}, ${NOW})
          ON CONFLICT (name) DO NOTHING`;
        if (made === 0) throw new StoreError("WOML_TENANT_EXISTS", `There is a tenant named ${name} already.`);
        if (!(await insertKey(tx, { ...key, tenant: id }, wrote))) throw taken();
        if (entry) await record(tx, { tenant: PLATFORM, entry, wrote });
      }),
    tenants: () =>
      sessions.under({ "app.admin": "on" }, async (tx) => {
        const rows = await tx.tenant.findMany({ select: { id: true, name: true }, orderBy: { name: "asc" } });
        return rows.map(({ id, name }) => ({ id: asTenantId(id), name }));
      }),
    addKey: async (key) => {
      if ((await sessions.under({ "app.admin": "on" }, (tx) => keys(tx, wrote).addKey(key))) === "taken") throw taken();
    },
    pendingMigrations: () => pendingOf(sessions.ask),
    get commits() {
      return commits;
    },
    close: sessions.close,
  };
}

function scopeOf(tx: Transaction, tenant: TenantId, wrote: () => void): TenantScope {
  const tenantRow: TenantScope["tenantRow"] = async () => {
    const row = await tx.tenant.findUnique({ where: { id: tenant }, select: { name: true } });
    return row && { id: tenant, name: row.name };
  };
  return {
    ...{
      tenant,
      tenantRow,
      ...versions(tx, tenant, wrote),
      ...requests(tx, tenant, wrote),
      ...fansOut(tx, tenant, wrote),
      ...unadmitted(tx, tenant),
      ...runs(tx, tenant),
      ...findings(tx, tenant),
    },
    ...{ ...secrets(tx, tenant, wrote), ...settings(tx, tenant, wrote), ...releases(tx, tenant, wrote), audit: audit(tx, tenant) },
    ...{ ...triggers(tx, tenant, wrote), ...deliveries(tx, tenant, wrote), ...doorSecrets(tx, tenant), ...lanes(tx, tenant, wrote) },
    record: (entry) => record(tx, { tenant, entry, wrote }),
  };
}

function adminScopeOf(tx: Transaction, wrote: () => void): AdminScope {
  return {
    tenant: async (id) => {
      const row = await tx.tenant.findUnique({ where: { id }, select: { name: true } });
      return row && { id, name: row.name };
    },
    ...{ ...releases(tx, null, wrote), ...approvals(tx, wrote), ...keys(tx, wrote), ...quotas(tx, wrote), audit: audit(tx, null) },
    record: (tenant, entry) => record(tx, { tenant, entry, wrote }),
  };
}

/** Ids are drawn: two that are equal are one in 10^12. */
function taken(): Error {
  return new Error("a key of this id stands already");
}
