import type { Json } from "@woml/model";
import type { TenantId } from "@woml/run";
import { NOW, sql, type Transaction } from "../client.ts";
import type { TenantScope } from "../control-store.ts";
import { storable } from "../storable.ts";
import type { NewTrigger, Subscriber, TriggerRow } from "../trigger.ts";
import { changeActive, keepActive } from "./meant.ts";
import { cut } from "./page.ts";

type Triggers = Pick<
  TenantScope,
  "activate" | "triggers" | "trigger" | "setTrigger" | "webhook" | "subscribers" | "signalSecrets" | "subscribersBy"
>;
interface Stored {
  readonly workflow: string;
  readonly trigger: string;
  readonly kind: TriggerRow["kind"];
  readonly version: string;
  readonly route: string | null;
  readonly spec: string;
  readonly setting: string | null;
  readonly secrets: readonly string[];
  readonly since: bigint;
  readonly next_at: bigint | null;
}
/** Of one answer. */
const MOST = 1_000;
const BOUND = sql`SELECT b.workflow, b.trigger, b.kind, b.version, b.route, b.spec::text AS spec, s.setting::text AS setting, b.secrets, b.since, b.next_at
  FROM trigger_binding b LEFT JOIN trigger_setting s ON s.tenant = b.tenant AND s.workflow = b.workflow AND s.trigger = b.trigger`;

export function triggers(tx: Transaction, tenant: TenantId, wrote: () => void): Triggers {
  return {
    activate: async (workflow, version, wanted) => {
      const taken = await takenRoute(tx, tenant, { workflow, wanted });
      if (taken !== undefined) return taken;
      wrote();
      await tx.$executeRaw`UPDATE workflow SET active = ${version} WHERE tenant = ${tenant}::uuid AND id = ${workflow}`;
      await unbind(tx, tenant, { workflow, wanted });
      for (const trigger of wanted) await bind(tx, tenant, { workflow, version: version ?? "", trigger });
      return "activated";
    },
    triggers: async (of, { first, after }) => {
      const [workflow = "", trigger = ""] = after?.split("/") ?? [];
      const rows = await tx.$queryRaw<
        Stored[]
      >`${BOUND} WHERE b.tenant = ${tenant}::uuid AND (${of === null} OR b.workflow = ANY(${[...(of ?? [])]}::text[]))
          AND (b.workflow, b.trigger) > (${workflow}, ${trigger})
        ORDER BY b.workflow, b.trigger LIMIT ${first + 1}`;
      return cut(rows.map(shown), first);
    },
    trigger: async ({ workflow, trigger }) => {
      await changeActive(tx, tenant);
      const [found] = await tx.$queryRaw<Stored[]>`${BOUND}
        WHERE b.tenant = ${tenant}::uuid AND b.workflow = ${workflow} AND b.trigger = ${trigger} FOR UPDATE OF b`;
      return found ? shown(found) : null;
    },
    setTrigger: async ({ workflow, trigger }, setting, nextAt) => {
      wrote();
      if (nextAt !== undefined)
        await tx.$executeRaw`UPDATE trigger_binding SET next_at = ${nextAt}::bigint
        WHERE tenant = ${tenant}::uuid AND workflow = ${workflow} AND trigger = ${trigger}`;
      if (setting === null)
        await tx.$executeRaw`DELETE FROM trigger_setting WHERE tenant = ${tenant}::uuid AND workflow = ${workflow} AND trigger = ${trigger}`;
      else
        await tx.$executeRaw`INSERT INTO trigger_setting (tenant, workflow, trigger, setting, updated_at)
          VALUES (${tenant}::uuid, ${workflow}, ${trigger}, ${storable(setting)}::json, ${NOW})
          ON CONFLICT (tenant, workflow, trigger) DO UPDATE SET setting = excluded.setting, updated_at = excluded.updated_at`;
    },
    webhook: async (path) => {
      const [found] = await tx.$queryRaw<Stored[]>`${BOUND} WHERE b.tenant = ${tenant}::uuid AND b.kind = 'webhook' AND b.route = ${path}`;
      return found ? shown(found) : null;
    },
    subscribers: async (signal) => {
      await keepActive(tx, tenant);
      const rows = await tx.$queryRaw<Stored[]>`${BOUND} WHERE b.tenant = ${tenant}::uuid AND b.kind = 'signal' AND b.route = ${signal}
        ORDER BY b.workflow, b.trigger LIMIT ${MOST}`;
      return rows.map((row): Subscriber => ({ tenant, ...shown(row) }));
    },
    signalSecrets: async (signal) => {
      const rows = await tx.$queryRaw<{ name: string }[]>`SELECT DISTINCT unnest(b.secrets) AS name FROM trigger_binding b
        WHERE b.tenant = ${tenant}::uuid AND b.kind = 'signal' AND b.route = ${signal} ORDER BY name`;
      return rows.map(({ name }) => name);
    },
    subscribersBy: async (signal, secrets) => {
      await keepActive(tx, tenant);
      const rows = await tx.$queryRaw<Stored[]>`${BOUND} WHERE b.tenant = ${tenant}::uuid AND b.kind = 'signal' AND b.route = ${signal}
        AND b.secrets && ${[...secrets]}::text[] ORDER BY b.workflow, b.trigger LIMIT ${MOST}`;
      return rows.map((row): Subscriber => ({ tenant, ...shown(row) }));
    },
  };
}

interface Wanted {
  readonly workflow: string;
  readonly wanted: readonly NewTrigger[];
}

/** What is no longer wanted goes first, and every path that a trigger gives up: another one of the workflow may take it. */
async function unbind(tx: Transaction, tenant: TenantId, { workflow, wanted }: Wanted): Promise<void> {
  const kept = wanted.map(({ trigger }) => trigger);
  const hooks = wanted.filter(({ kind }) => kind === "webhook");
  await tx.$executeRaw`DELETE FROM trigger_binding AS b
    WHERE b.tenant = ${tenant}::uuid AND b.workflow = ${workflow} AND (b.trigger <> ALL(${kept}::text[])
      OR b.kind = 'webhook' AND NOT EXISTS (SELECT FROM unnest(${hooks.map(({ trigger }) => trigger)}::text[], ${hooks.map(({ route }) => route ?? "")}::text[])
        AS w(trigger, route) WHERE w.trigger = b.trigger AND w.route = b.route))`;
}

interface Taken {
  readonly taken: string;
  readonly by: string;
}

/** The first path that is another workflow's. */
async function takenRoute(tx: Transaction, tenant: TenantId, { workflow, wanted }: Wanted): Promise<Taken | undefined> {
  const routes = wanted.flatMap(({ kind, route }) => (kind === "webhook" && route !== null ? [route] : []));
  // Else two could take the path that each has seen to be free.
  await changeActive(tx, tenant);
  const [found] = await tx.$queryRaw<
    Taken[]
  >`SELECT route AS taken, workflow AS by FROM trigger_binding WHERE tenant = ${tenant}::uuid AND kind = 'webhook'
    AND workflow <> ${workflow} AND route = ANY(${routes}::text[]) ORDER BY route LIMIT 1`;
  return found;
}

interface Binding {
  readonly workflow: string;
  readonly version: string;
  readonly trigger: NewTrigger;
}

/** What is still the same keeps its time: no slot is lost to an activation, and none comes twice. */
async function bind(tx: Transaction, tenant: TenantId, { workflow, version, trigger }: Binding): Promise<void> {
  const { kind, route, secrets, nextAt } = trigger;
  await tx.$executeRaw`INSERT INTO trigger_binding AS b (tenant, workflow, trigger, kind, version, route, spec, secrets, since, next_at)
    VALUES (${tenant}::uuid, ${workflow}, ${trigger.trigger}, ${kind}, ${version}, ${route}, ${storable(trigger.spec)}::json, ${[...secrets]}::text[], ${NOW},
      ${nextAt}::bigint)
    ON CONFLICT (tenant, workflow, trigger) DO UPDATE SET kind = excluded.kind, version = excluded.version, route = excluded.route, spec = excluded.spec,
      secrets = excluded.secrets,
      since = CASE WHEN b.spec::text = excluded.spec::text THEN b.since ELSE excluded.since END,
      next_at = CASE WHEN b.spec::text = excluded.spec::text THEN b.next_at ELSE excluded.next_at END`;
}

function shown({ since, next_at, spec, setting, ...rest }: Stored): TriggerRow {
  return {
    ...rest,
    spec: JSON.parse(spec) as Json,
    setting: setting === null ? null : (JSON.parse(setting) as Json),
    since: Number(since),
    nextAt: next_at === null ? null : Number(next_at),
  };
}
