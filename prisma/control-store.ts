import type { Json } from "@woml/model";
import type { RunEvent, RunId, RunStatus, TenantId, Timer, Waiting } from "@woml/run";
import type { AuditRow, NewAudit } from "./audit-entry.ts";
import type { DoorScope, DoorStore } from "./door.ts";
import type { StoredRelease } from "./engine-store.ts";
import type { EventAsk } from "./event-ask.ts";
import type { LaneLimits, LaneRow, QuotaName, QuotaRow } from "./lane.ts";
import type { FannedOut, FanOut } from "./scope/fan-out.ts";
import type { Announcement, DeliveryRow, Meant, NewDelivery, NewTrigger, Subscriber, TriggerRow } from "./trigger.ts";

export interface Page<T> {
  readonly items: readonly T[];
  readonly hasNext: boolean;
}
/** Keyset pages: rows after `after` (a value of the sort column), at most `first`. */
export interface PageAsk {
  readonly first: number;
  readonly after: string | null;
}
export interface KeyRow {
  readonly tenant: TenantId;
  readonly id: string;
  /** SHA-256 of the whole key text. */
  readonly digest: Uint8Array;
  readonly scopes: readonly ("tenant" | "admin")[];
}
/** A key as it may be shown. */
export type KeyHead = Omit<KeyRow, "digest"> & { readonly createdAt: number };
export interface TenantRow {
  readonly id: TenantId;
  readonly name: string;
}
export interface WorkflowRow {
  readonly id: string;
  readonly active: string | null;
}
export interface VersionRow {
  readonly hash: string;
  readonly workflow: string;
  /** Canonical JSON, the bytes that were hashed. */
  readonly definition: string;
  readonly source: Json;
  readonly sourceMap: Json;
  readonly createdAt: number;
}
/** `modules`: texts of what its definition names by digest, where they came with it. */
export type NewVersion = Omit<VersionRow, "createdAt"> & {
  readonly modules?: readonly { readonly digest: string; readonly text: string }[];
};
/** What a list of versions shows; definitions may be large. */
export type VersionHead = Pick<VersionRow, "hash" | "workflow" | "createdAt">;
/** A start, a cancel or a resolution as it is stored: accepted means persisted. `key` null = a fresh identity. */
export interface NewRequest {
  readonly id: string;
  readonly run: RunId;
  readonly scope: string;
  readonly key: string | null;
  /** Of what was asked: the same key with another digest is a conflict. */
  readonly digest: string;
  readonly body: Json;
  /** Of a start: no engine takes it before then, epoch ms. */
  readonly dueAt?: number;
  /** What came to a door and asks for this: stored with it where it is the first of its scope and key, else as a duplicate of that. */
  readonly delivery?: NewDelivery;
  /** What it was judged by. Where it is not so any more StartOutdated is thrown, and nothing is stored. */
  readonly meant?: Meant;
}
export interface RequestRow {
  readonly id: string;
  readonly run: RunId;
  readonly digest: string;
  readonly kind: string;
  readonly body: Json;
  readonly createdAt: number;
  readonly consumedAt: number | null;
  readonly answer: string | null;
  /** Of a start: no engine takes it before then, epoch ms. */
  readonly dueAt: number | null;
}
/** The stored request; `created` false when its scope and key stand already (the caller compares digests). */
export interface Submitted {
  readonly row: RequestRow;
  readonly created: boolean;
}
export interface RunRow {
  readonly id: RunId;
  readonly workflow: string;
  readonly version: string;
  readonly labels: readonly string[];
  readonly status: RunStatus;
  readonly head: number;
  readonly at: number;
  /** Why no engine drives it, in words, and since when. */
  readonly held: string | null;
  readonly heldAt: number | null;
  /** Since when it stands in line for a place, to go on. */
  readonly linedAt?: number | null;
  readonly waitingFor: Waiting | null;
  readonly nextDue: number | null;
  /** The engine that drives it: whose doorbell is rung for it. */
  readonly owner: string | null;
}
export interface RunFilter {
  readonly workflow: string | null;
  /** As they are shown: a held run counts as waiting, whatever its row's status. */
  readonly status: readonly RunStatus[] | null;
  readonly label: string | null;
}

/**
 * Something about a run that somebody should look at. `held`: no engine drives it. `motionless`: nothing will move it. `ownerless`: it is due, and no engine
 * that is there owns it. `overdue`: its time has come, and nothing followed. `unanswered`: a request that no engine takes. `stray_timer`: of a run that is over, or
 * none. `detail`: the reason, the status, the engine, the cause, the kind of request, the timer. `since` is epoch ms.
 */
export interface FindingRow {
  readonly kind: "held" | "motionless" | "ownerless" | "overdue" | "unanswered" | "miscounted" | "stray_timer";
  readonly run: RunId;
  readonly since: number;
  readonly detail: string;
}

/** A secret as it may be shown: nobody reads its value here. */
export interface SecretRow {
  readonly name: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}
/** A release without its artefact, and what was said of it. */
export interface ReleaseRow {
  readonly digest: string;
  readonly capability: string;
  readonly version: string;
  /** Canonical JSON, the bytes that were hashed. */
  readonly manifest: string;
  readonly manifestDigest: string;
  readonly artefactDigest: string;
  /** The id of the key that handed it in, and whose it was: a tenant's, or the nil UUID for the platform's own. */
  readonly submittedBy: string;
  readonly submitter: TenantId;
  readonly createdAt: number;
  readonly approved: { readonly by: string; readonly at: number } | null;
  readonly revoked: { readonly by: string; readonly at: number; readonly reason: string } | null;
  /** Whether the asking tenant may use its capability; false for the administrator. */
  readonly granted: boolean;
}
/** Of some capabilities: the releases that are approved and not revoked, and which of them the tenant may use. */
export interface Offers {
  readonly releases: readonly ReleaseRow[];
  readonly granted: ReadonlySet<string>;
}
export type NewRelease = StoredRelease & Pick<ReleaseRow, "capability" | "version" | "manifestDigest" | "artefactDigest" | "submittedBy">;
/** `taken`: the same version with other content is approved, or was handed in by the same owner. `crowded`: too many wait for review. */
export type Handed = "created" | "same" | "taken" | "crowded";
/** What tenants and the administrator ask alike. */
export interface PluginScope {
  /** Newest first; `after` is a digest, null when it is none. A tenant sees what is approved and what it handed in itself. */
  releases(page: PageAsk): Promise<Page<ReleaseRow> | null>;
  /** Also one that no list shows yet: whoever names a digest knows what it is of. */
  release(digest: string): Promise<ReleaseRow | null>;
  submitRelease(release: NewRelease): Promise<Handed>;
  /** Newest first; `after` is the id of an entry. A tenant sees its own. */
  audit(page: PageAsk): Promise<Page<AuditRow>>;
}

/** What one tenant may ask, inside one transaction under row-level security. */
export interface TenantScope extends PluginScope, DoorScope {
  readonly tenant: TenantId;
  tenantRow(): Promise<TenantRow | null>;
  workflow(id: string): Promise<WorkflowRow | null>;
  workflows(page: PageAsk): Promise<Page<WorkflowRow>>;
  version(hash: string): Promise<VersionRow | null>;
  /** By hash: one query. Unknown hashes are absent. */
  versionsByHash(hashes: readonly string[]): Promise<ReadonlyMap<string, VersionRow>>;
  /** Which of these versions are stored as the bytes that their hash names. */
  intact(hashes: readonly string[]): Promise<ReadonlySet<string>>;
  /** Newest first; `after` is a hash of that workflow, null when it is not. */
  versions(workflow: string, page: PageAsk): Promise<Page<VersionHead> | null>;
  /** Lengths in UTF-8 of the modules that are stored, by digest. */
  modules(digests: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Inserts workflow, modules and version where absent; `created` is false for content stored before. */
  publish(version: NewVersion): Promise<{ readonly created: boolean }>;
  /**
   * Makes a version the one that new runs get, and its triggers those that start them; null ends that for all of them. A trigger that stays
   * as it is keeps its next slot. `taken`: this path is that other workflow's.
   */
  activate(
    workflow: string,
    version: string | null,
    triggers: readonly NewTrigger[],
  ): Promise<"activated" | { readonly taken: string; readonly by: string }>;
  /** Limits of a workflow's lane, whatever the version of its runs. They count at once; who holds a place above them keeps it. */
  setLane(workflow: string, limits: LaneLimits): Promise<void>;
  /** Those with a limit or a name, at most 1,000: of the tenant as a whole, and of this workflow, or of every one. */
  lanes(workflow: string | null): Promise<readonly LaneRow[]>;
  /** Which one in the line of its workflow a start is, from 1; counted up to 10,001. null: no such start. */
  place(run: RunId): Promise<number | null>;
  /** Those that are set, by name. */
  quotas(): Promise<readonly QuotaRow[]>;
  /** Of these workflows, or of all, by workflow and id; `after` is `workflow/trigger`. */
  triggers(of: readonly string[] | null, page: PageAsk): Promise<Page<TriggerRow>>;
  /** One that is bound, and nobody else moves it before this transaction has ended; null where none is. */
  trigger(of: { readonly workflow: string; readonly trigger: string }): Promise<TriggerRow | null>;
  /** null takes it back. `nextAt` is the next slot under it, where that is another one. */
  setTrigger(of: { readonly workflow: string; readonly trigger: string }, setting: Json, nextAt?: number | null): Promise<void>;
  /** The webhook of this path. */
  webhook(path: string): Promise<TriggerRow | null>;
  /** By workflow and id, at most 1,000. */
  subscribers(signal: string): Promise<readonly Subscriber[]>;
  /** false: it was counted in the row of its bucket. */
  deliver(delivery: NewDelivery): Promise<boolean>;
  /** Newest first, without payloads; `after` is an id. */
  deliveries(of: { readonly workflow: string; readonly trigger: string | null }, page: PageAsk): Promise<Page<DeliveryRow>>;
  /** The latest of each of these triggers to which anything came: one question for all. */
  lastDeliveries(of: readonly { readonly workflow: string; readonly trigger: string }[]): Promise<readonly DeliveryRow[]>;
  delivery(id: string): Promise<DeliveryRow | null>;
  /** Inserts a request in this transaction, so that what goes with it is stored with it or not at all. */
  submit(wanted: NewRequest): Promise<Submitted>;
  /**
   * The same of all that a signal starts, in its order; what the tenant may not start is written down as rejected. Throws LimitReached where there is room for
   * nothing of it.
   */
  fanOut(signal: FanOut): Promise<readonly FannedOut[]>;
  /** Stores a signal of the platform that is of no run, where somebody listens to it; once a name and key. */
  announce(announcement: Announcement): Promise<void>;
  record(entry: NewAudit): Promise<void>;
  secrets(): Promise<readonly SecretRow[]>;
  setSecret(name: string, sealed: Uint8Array): Promise<void>;
  /** false: there was none. */
  removeSecret(name: string): Promise<boolean>;
  /** What scripts get where nobody knows how an operation ended; null asks a person. */
  onAmbiguous(): Promise<"fail" | null>;
  setOnAmbiguous(value: "fail" | null): Promise<void>;
  offers(capabilities: readonly string[]): Promise<Offers>;
  /** PostgreSQL's time, epoch ms. */
  now(): Promise<number>;
  /** The start request of a run, consumed or not. */
  startOf(run: RunId): Promise<RequestRow | null>;
  /** Runs whose start requests stand in these scopes and were not refused, oldest first: one query. Scopes without any are absent. */
  startedIn(scopes: readonly string[]): Promise<ReadonlyMap<string, readonly RunId[]>>;
  /** Starts that no engine has admitted, or that it refused; newest run first, by what is shown of these runs (`queued`, `failed`). */
  unadmitted(filter: RunFilter, page: PageAsk): Promise<Page<RequestRow>>;
  run(id: RunId): Promise<RunRow | null>;
  /** Newest first (ids are UUIDv7). Runs not admitted yet are not in it. */
  runs(filter: RunFilter, page: PageAsk): Promise<Page<RunRow>>;
  /** Logs without a row of `run`, newest first: of ids before `after` and not before `until`; null is no bound. */
  rowless(range: PageAsk & { readonly until: RunId | null }): Promise<readonly RunId[]>;
  /** Pages of several logs, in the order of the asks: one query. */
  events(asks: readonly EventAsk[]): Promise<readonly (readonly RunEvent[])[]>;
  /** Of each run its admission and, once it ended, its last event: what a list shows beyond the row. One query. */
  ends(runs: readonly RunId[]): Promise<ReadonlyMap<RunId, readonly RunEvent[]>>;
  /** Oldest first by kind, at most `limit` of each: rows alone are looked at, no log. */
  findings(limit: number): Promise<readonly FindingRow[]>;
  /** The durable alarms of several runs: one query. Runs without any are absent. */
  timers(runs: readonly RunId[]): Promise<ReadonlyMap<RunId, readonly Timer[]>>;
}

/** What the platform's administrator may ask, inside one transaction. */
export interface AdminScope extends PluginScope {
  tenant(id: TenantId): Promise<TenantRow | null>;
  record(tenant: TenantId, entry: NewAudit): Promise<void>;
  /** null: without limit. */
  setQuota(tenant: TenantId, name: QuotaName, limit: number | null): Promise<void>;
  /** By id; `after` is an id. */
  tenants(page: PageAsk): Promise<Page<TenantRow>>;
  /** Those that stand, newest first, of one tenant (the nil UUID: the administrators' own) or, with null, all; null: `after` is no key's id. */
  keys(tenant: TenantId | null, page: PageAsk): Promise<Page<KeyHead> | null>;
  /** `same`: it stood already; `revoked`: it did, and was revoked; `taken`: its id is another key's. */
  addKey(key: KeyRow): Promise<"made" | "same" | "revoked" | "taken">;
  /** The key, which opens nothing from this transaction's end on; `unknown`: none of this id stands; `last`: no other administers the platform. */
  revokeKey(id: string): Promise<KeyHead | "unknown" | "last">;
  /** `taken`: the same version is approved with other content. */
  approve(release: ReleaseRow, reviewer: string): Promise<"approved" | "same" | "taken">;
  /** false: it was revoked before. */
  revoke(release: string, by: string, reason: string): Promise<boolean>;
  /** false: it stood already. */
  grant(tenant: TenantId, capability: string, by: string): Promise<boolean>;
  /** false: there was none. */
  revokeGrant(tenant: TenantId, capability: string): Promise<boolean>;
}

export interface ControlStore extends DoorStore {
  /** Only the row of that id can be seen by it; a revoked key is null. */
  key(id: string): Promise<KeyRow | null>;
  withTenant<T>(tenant: TenantId, work: (scope: TenantScope) => Promise<T>): Promise<T>;
  asAdmin<T>(work: (scope: AdminScope) => Promise<T>): Promise<T>;
  /** Stores a request in a transaction that it may share with others of its tenant. */
  submit(tenant: TenantId, wanted: NewRequest): Promise<Submitted>;
  /** Rejects with code WOML_TENANT_EXISTS when the name is taken. `entry` goes into the platform's audit. */
  createTenant(tenant: TenantRow, key: Omit<KeyRow, "tenant">, entry?: NewAudit): Promise<void>;
  /** Every tenant, for the platform's own administrator. */
  tenants(): Promise<readonly TenantRow[]>;
  /** A key of the platform itself (tenant = the nil UUID, scope admin), or a further key of a tenant. The same row again changes nothing. */
  addKey(key: KeyRow): Promise<void>;
  /** What of this build's migrations the database lacks, by name; [] when it is ready for it. Rejects when the database does not answer. */
  pendingMigrations(): Promise<readonly string[]>;
  /** Statements that wrote, since the store was opened. */
  readonly commits: number;
  close(): Promise<void>;
}
