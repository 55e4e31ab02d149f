// Where runs wait for a place, and what a tenant may use: as they stand, and as the administrator sets them.
import { span } from "@woml/model";
import { type LaneRow, MINUTES, QUOTAS, type QuotaName, type QuotaRow, quotaWord, type TenantScope } from "@woml/prisma";
import { showRunId } from "@woml/run";
import { type Asking, withTenant } from "./asking.ts";
import { entryOf } from "./audit.ts";
import { ApiError } from "./errors.ts";
import { tenantIdOf } from "./ids.ts";
import { named } from "./named.ts";
import type { RunSource } from "./run-source.ts";

/** More than any machine runs, or stores, and still numbers that every client reads. */
const QUOTA_MAX = 1_000_000_000;
const BYTES_MAX = 1_000_000_000_000_000;

export function lanes(asking: Asking, workflow: string | null): Promise<readonly object[]> {
  return withTenant(asking, async (scope) => (await scope.lanes(workflow === null ? null : await named(scope, workflow))).map(shownLane));
}

export function quotas(asking: Asking): Promise<readonly object[]> {
  return withTenant(asking, async (scope) => (await scope.quotas()).map(shownQuota));
}

export interface SetQuotaInput {
  readonly tenant: string;
  readonly name: string;
  readonly limit?: number | null;
}

/** null: without limit. Audited. */
export function setQuota({ store, who }: Asking, { tenant: id, name, limit = null }: SetQuotaInput): Promise<object> {
  const tenant = tenantIdOf(id);
  const known = QUOTAS.find((one) => one === name.toLowerCase());
  if (known === undefined) throw new ApiError("WOML_QUOTA_INVALID", `there is no quota of that name: ${QUOTAS.map(quotaWord).join(", ")}`);
  const most = known === "stored_bytes" ? BYTES_MAX : QUOTA_MAX;
  if (limit !== null && !(Number.isInteger(limit) && limit >= 0 && limit <= most)) {
    throw new ApiError("WOML_QUOTA_INVALID", `a quota is a whole number, 0 to ${most}, or null for none`, { limit: most, actual: limit });
  }
  return store.asAdmin(async (scope) => {
    if ((await scope.tenant(tenant)) === null) throw new ApiError("WOML_TENANT_NOT_FOUND", "there is no such tenant");
    await scope.setQuota(tenant, known, limit);
    await scope.record(tenant, entryOf(who.key, "tenant.quota", tenant, { name: quotaWord(known), limit }));
    return { name: spelt(known), limit };
  });
}

/**
 * Why a run that is queued is, in words: which lane is full, who holds a place there, and how many are before it; and what of a minute is used up, for which
 * a script may wait too.
 */
export async function inLine(scope: TenantScope, run: RunSource | null): Promise<RunSource | null> {
  if (run?.waiting?.cause !== "queued" && run?.waiting?.cause !== "script") return run;
  const spent = (await scope.quotas()).flatMap(usedUp);
  if (run.waiting.cause === "script") {
    return spent.length === 0 ? run : { ...run, waiting: { ...run.waiting, reason: `no further script begins: ${spent.join(" and ")}` } };
  }
  const full = [...(await scope.lanes(run.workflow)).flatMap(behind), ...spent];
  if (full.length === 0) return run;
  const place = run.head === 0 ? `, ${await scope.place(run.id)} in line` : "";
  return { ...run, waiting: { ...run.waiting, reason: `behind ${full.join(" and ")}${place}` } };
}

function behind({ kind, name, most, rate, active, holders }: LaneRow): readonly string[] {
  const of = kind === "tenant" ? "active runs of the tenant" : `concurrency of workflow ${name}`;
  const named = holders.slice(0, 3).map(({ run, since }) => `${showRunId(run)} since ${iso(since)}`);
  const full = most !== null && active >= most ? [`${of}, ${most} (${["held by", named.join(", ")].join(" ")})`] : [];
  return rate === null ? full : [...full, `rate-limit of workflow ${name}, ${rate.count}/${span(rate.windowMs)}`];
}

function usedUp({ name, limit, used, resetsAt }: QuotaRow): readonly string[] {
  const isMinute = MINUTES.some((one) => one === name);
  if (!isMinute || used < limit || resetsAt === null) return [];
  return [`quota ${quotaWord(name)} of the tenant, ${limit} (${used} used, new at ${iso(resetsAt)})`];
}

function shownLane({ kind, name, rate, holders, ...lane }: LaneRow): object {
  return {
    ...lane,
    kind: kind.toUpperCase(),
    workflow: kind === "tenant" ? null : name,
    rateCount: rate?.count ?? null,
    rateMs: rate?.windowMs ?? null,
    resuming: lane.lined,
    holders: holders.map(({ run, workflow, since }) => ({ run: showRunId(run), workflow, since: iso(since) })),
  };
}

function shownQuota({ name, resetsAt, ...quota }: QuotaRow): object {
  return { ...quota, name: spelt(name), resetsAt: resetsAt === null ? null : iso(resetsAt) };
}

const spelt = (name: QuotaName): string => name.toUpperCase();
const iso = (at: number): string => new Date(at).toISOString();
