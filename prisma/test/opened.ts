// What the contract of the engine's store needs to know of a store beyond its interface.
import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Json } from "@woml/model";
import { asRunId, asTenantId, type RunKey, type TenantId, type TimerKey } from "@woml/run";
import type { Append, EngineStore, InboxRequest, StoredRelease } from "../engine-store.ts";
import type { LaneKey, LaneLimits, SpentQuota } from "../lane.ts";
import { memoryStore } from "../memory.ts";
import { openEngineStore } from "../postgres-engine.ts";
import type { Database } from "./database.ts";

interface Row {
  readonly status: string;
  readonly head: number;
  readonly owner: string | null;
  readonly epoch: number;
  readonly claims: number;
  readonly held: string | null;
  readonly labels: readonly string[];
}
export type Named = StoredRelease & { readonly capability: string };
export interface Opened {
  handle(): Promise<EngineStore>;
  publish(tenant: TenantId, version: string, text: string, sourceMap: Json): Promise<void>;
  activate(tenant: TenantId, workflow: string, version: string): Promise<void>;
  /** `inMs`: of a start, which is not to be taken before. */
  ask(request: RunKey & { readonly id: string; readonly body: InboxRequest["body"]; readonly inMs?: number }): Promise<void>;
  /** Signals of the platform that wait for their relay, by name and key. */
  announced(tenant: TenantId): Promise<readonly string[]>;
  /** What became of signals at triggers: workflow, outcome, code, run, payload. */
  delivered(tenant: TenantId): Promise<readonly (readonly unknown[])[]>;
  /** A trigger of this name is active, and starts with a signal. */
  listen(
    tenant: TenantId,
    signal: string,
    trigger: { readonly workflow: string; readonly version: string; readonly spec: Json },
  ): Promise<void>;
  release(release: Named): Promise<void>;
  /** Of other digests than the stored ones, when `isFalse`. */
  approve(release: Named, isFalse?: boolean): Promise<void>;
  revoke(release: Named): Promise<void>;
  grant(tenant: TenantId, capability: string): Promise<void>;
  setModule(tenant: TenantId, digest: string, text: string): Promise<void>;
  setSecret(tenant: TenantId, name: string, sealed: Uint8Array): Promise<void>;
  /** A lane with these limits, in which nobody holds a place yet if it is new. */
  setLane(lane: LaneKey, limits: Partial<LaneLimits>): Promise<void>;
  setQuota(tenant: TenantId, quota: SpentQuota["quota"] | "starts_per_second", limit: number | null): Promise<void>;
  /** How many it counts. */
  active(lane: LaneKey): Promise<number | null>;
  /** An engine's process is gone. */
  kill(engine: string): Promise<void>;
  /** All that is stored becomes so much older. */
  elapse(ms: number): Promise<void>;
  row(key: RunKey): Promise<Row | null>;
  timers(key: RunKey): Promise<readonly string[]>;
  /** Of a request: null while open, then its answer, "" without one. */
  answerOf(tenant: TenantId, id: string): Promise<string | null>;
  close(): Promise<void>;
}
const timerText = ({ kind, subject }: TimerKey, dueAt: number): string => `${kind}:${subject}@${dueAt}`;

export function openMemory(): Opened {
  let now = 1_700_000_000_000;
  const store = memoryStore(() => now);
  return {
    handle: async () => store.open(),
    publish: async (tenant, version, text, sourceMap) => store.publish({ tenant, version, text, sourceMap }),
    activate: async (tenant, workflow, version) => store.activate(tenant, workflow, version),
    ask: async ({ inMs, ...request }) => store.request({ ...request, ...(inMs !== undefined && { dueAt: now + inMs }) }),
    announced: async (tenant) => store.announced.filter((one) => one.tenant === tenant).map(({ name, key }) => `${name} ${key}`),
    delivered: async (tenant) =>
      store.delivered.flatMap((one) =>
        one.tenant === tenant ? [[one.workflow, one.outcome, one.code ?? null, one.run ?? null, one.payload ?? null]] : [],
      ),
    listen: async (tenant, signal, trigger) => store.subscribe(signal, { ...trigger, tenant, trigger: "t", secrets: [] }),
    release: async (release) => store.vault.store({ ...release, approved: false }),
    approve: async (release, isFalse = false) => store.vault.store({ ...release, approved: !isFalse }),
    revoke: async ({ digest }) => store.vault.revoke(digest),
    grant: async (tenant, capability) => store.vault.grant(tenant, capability),
    setModule: async (tenant, digest, text) => store.vault.setModule({ tenant, digest }, text),
    setSecret: async (tenant, name, sealed) => store.vault.setSecret({ tenant, name }, sealed),
    setLane: async (lane, limits) => store.setLane(lane, { ...UNLIMITED, ...limits }),
    setQuota: async (tenant, quota, limit) => store.setQuota(tenant, quota, limit),
    active: async (lane) => store.lanes().find(({ tenant, kind, name }) => isDeepStrictEqual({ tenant, kind, name }, lane))?.active ?? null,
    kill: async (engine) => store.breakLease(engine),
    elapse: async (ms) => {
      now += ms;
    },
    row: async (key) => {
      const run = store.run(key);
      if (run === null) return null;
      const { status, head, owner, epoch, claims, held, labels } = run;
      return { status, head, owner, epoch, claims, held, labels };
    },
    timers: async (key) =>
      store
        .timers(key)
        .map((timer) => timerText(timer, timer.dueAt))
        .toSorted(),
    answerOf: async (tenant, id) => {
      const found = store.requests().find((request) => request.tenant === tenant && request.id === id);
      return found?.consumed ? (found.answer ?? "") : null;
    },
    close: async () => {},
  };
}

const UNLIMITED: LaneLimits = { most: null, rate: null, queue: null };
const NOW = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

export function openReal(database: Database): Opened {
  const handles: EngineStore[] = [];
  const { ask } = database;
  return {
    handle: async () => {
      const store = await openEngineStore(database.engine);
      handles.push(store);
      return store;
    },
    publish: async (tenant, version, text, sourceMap) => {
      const values = [tenant, version, text, JSON.stringify(sourceMap)];
      await ask(
        `INSERT INTO definition_version (tenant, hash, workflow, schema_version, definition, source_map, created_at)
        VALUES ($1, $2, 'w', 1, $3, $4, 0)`,
        values,
      );
    },
    activate: async (tenant, workflow, version) => {
      await ask("INSERT INTO workflow (tenant, id, active) VALUES ($1, $2, $3)", [tenant, workflow, version]);
    },
    announced: async (tenant) => {
      const rows = await ask<{ scope: string; key: string }>(
        "SELECT scope, key FROM request WHERE tenant = $1 AND kind = 'signal' ORDER BY created_at, id",
        [tenant],
      );
      return rows.map(({ scope, key }) => `${scope.slice("signal:".length)} ${key}`);
    },
    delivered: async (tenant) => {
      const columns = "workflow, outcome, code, run::text, payload";
      return (await ask(`SELECT ${columns} FROM delivery WHERE tenant = $1 AND kind = 'signal' ORDER BY id`, [tenant])).map(Object.values);
    },
    listen: async (tenant, signal, { workflow, version, spec }) => {
      await ask(
        `INSERT INTO trigger_binding (tenant, workflow, trigger, kind, version, route, spec, secrets, since)
        VALUES ($1, $2, 't', 'signal', $3, $4, $5, '{}', 0)`,
        [tenant, workflow, version, signal, JSON.stringify(spec)],
      );
    },
    ask: async ({ tenant, run, id, body, inMs = null }) => {
      const values = [tenant, id, body.kind, run, JSON.stringify(body)];
      await ask(
        `INSERT INTO request (tenant, id, kind, scope, digest, run, body, created_at, due_at)
        VALUES ($1, $2, $3, coalesce('resume:' || ($5::json #>> '{resumed,run}'), 'test'), '', $4, $5, ${NOW}, ${NOW} + $6)`,
        [...values, inMs],
      );
    },
    release: async ({ digest, capability, manifest, artefact }) => {
      await ask(
        `INSERT INTO plugin_release (digest, capability, version, manifest, manifest_digest, artefact_digest, artefact, submitted_by, submitter, created_at)
        VALUES ($1, $2, $1, $3, 'm' || $1, 'a' || $1, $4, 'k', gen_random_uuid(), 0)`,
        [digest, capability, manifest, Buffer.from(artefact)],
      );
    },
    approve: async ({ digest, capability }, isFalse = false) => {
      await ask(
        "INSERT INTO plugin_approval (release, capability, version, artefact_digest, manifest_digest, reviewer, at) VALUES ($1, $2, $1, $3, 'm' || $1, 'k', 0)",
        [digest, capability, isFalse ? "another" : `a${digest}`],
      );
    },
    revoke: async ({ digest }) => {
      await ask("INSERT INTO plugin_revocation (release, by, at, reason) VALUES ($1, 'k', 0, '')", [digest]);
    },
    grant: async (tenant, capability) => {
      await ask("INSERT INTO plugin_grant (tenant, capability, granted_by, at) VALUES ($1, $2, 'k', 0)", [tenant, capability]);
    },
    setModule: async (tenant, digest, text) => {
      await ask("INSERT INTO module (tenant, digest, text) VALUES ($1, $2, $3)", [tenant, digest, text]);
    },
    setSecret: async (tenant, name, sealed) => {
      const values = [tenant, name, Buffer.from(sealed)];
      await ask(`INSERT INTO secret (tenant, name, sealed, created_at, updated_at) VALUES ($1, $2, $3, 0, ${NOW})`, values);
    },
    setLane: async ({ tenant, kind, name }, limits) => {
      const { most, rate, queue } = { ...UNLIMITED, ...limits };
      await ask(
        `INSERT INTO lane (tenant, kind, name, most, rate_count, rate_ms, queue, counted) VALUES ($1, $2, $3, $4, $5, $6, $7, true)
        ON CONFLICT (tenant, kind, name) DO UPDATE SET most = $4, rate_count = $5, rate_ms = $6, queue = $7`,
        [tenant, kind, name, most, rate?.count ?? null, rate?.windowMs ?? null, queue],
      );
    },
    setQuota: async (tenant, quota, limit) => {
      await ask("DELETE FROM quota WHERE tenant = $1 AND name = $2", [tenant, quota]);
      if (limit !== null) await ask("INSERT INTO quota (tenant, name, value, set_at) VALUES ($1, $2, $3, 0)", [tenant, quota, limit]);
    },
    active: async ({ tenant, kind, name }) => {
      const values = [tenant, kind, name];
      const [lane] = await ask<{ active: number }>("SELECT active FROM lane WHERE tenant = $1 AND kind = $2 AND name = $3", values);
      return lane?.active ?? null;
    },
    kill: async (engine) => {
      await ask("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = $1", [`woml-lease ${engine}`]);
    },
    elapse: async (ms) => {
      await ask("UPDATE run SET at = at - $1, claimed_at = claimed_at - $1, next_due = next_due - $1, begun_at = begun_at - $1", [ms]);
      await ask("UPDATE engine SET expires_at = expires_at - $1", [ms]);
      await ask("UPDATE usage SET since = since - $1 WHERE since > 0", [ms]);
    },
    row: async ({ tenant, run }) => {
      const columns = "status, head, owner, epoch, claims, held, labels";
      const [row] = await ask<Row>(`SELECT ${columns} FROM run WHERE tenant = $1 AND id = $2`, [tenant, run]);
      return row ?? null;
    },
    timers: async ({ tenant, run }) => {
      const rows = await ask<TimerKey & { due: string }>("SELECT subject, kind, due_at AS due FROM timer WHERE tenant = $1 AND run = $2", [
        tenant,
        run,
      ]);
      return rows.map((timer) => timerText(timer, Number(timer.due))).toSorted();
    },
    answerOf: async (tenant, id) => {
      const [row] = await ask<{ open: boolean; answer: string | null }>(
        "SELECT consumed_at IS NULL AS open, answer FROM request WHERE tenant = $1 AND id = $2",
        [tenant, id],
      );
      return row?.open === false ? (row.answer ?? "") : null;
    },
    close: async () => {
      await Promise.all(handles.map((store) => store.close()));
    },
  };
}

export const newKey = (): RunKey => ({ tenant: asTenantId(randomUUID()), run: asRunId(randomUUID()) });

/** What an engine takes for PostgreSQL's time when it decides. */
export const DECIDED_AT = 1_700_000_000_000;

/** Two events; with `admission` unless said otherwise when it is the first. */
export function wanted(key: RunKey, owner: string, more: Partial<Append> = {}): Append {
  const expected = more.expected ?? 0;
  return {
    ...{ ...key, owner, epoch: 1, expected, at: DECIDED_AT, set: [], cleared: [], requests: [] },
    events: [
      { type: "step_started", data: { node: "a", attempt: expected + 1 } },
      { type: "step_succeeded", data: { node: "a", attempt: expected + 1, output: { z: 1, a: ["ß", null] }, cpuMs: 2 } },
    ],
    projection: { status: "running", waitingFor: null, nextDue: 1, holds: false },
    admission: expected === 0 ? { workflow: "w", version: "v", labels: ['a,"b"', "{}"] } : null,
    ...more,
  };
}

export function startBody(): InboxRequest["body"] {
  const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const asked = { workflow: "w", version: "v", trigger: { kind: "manual", id: "go" }, payload: { z: 1, a: null }, labels: ["l"] };
  return { kind: "start", ...asked, trace };
}
