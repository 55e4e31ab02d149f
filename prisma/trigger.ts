import type { Json } from "@woml/model";
import type { RunId, TenantId } from "@woml/run";
import type { Allowance } from "./allowance.ts";
import type { StartBody } from "./engine-store.ts";

/** A trigger of a workflow's active version, as its doors know it. */
export interface TriggerRow {
  readonly workflow: string;
  readonly trigger: string;
  readonly kind: "manual" | "webhook" | "schedule" | "interval" | "signal";
  /** The hash of the version that it starts. */
  readonly version: string;
  /** A webhook's path; a signal's name. */
  readonly route: string | null;
  /** The trigger as the definition has it (sdk/model, Trigger). */
  readonly spec: Json;
  /** What was set for it here, whatever the version: verification, the rule of repeated hours (sdk/model, TriggerSetting). */
  readonly setting: Json;
  /** Names of the secrets by which whoever comes is verified. */
  readonly secrets: readonly string[];
  /** Epoch ms from which it is so; what an interval is counted from. */
  readonly since: number;
  /** The nominal time of the next slot, epoch ms; null where none comes, or it has no times. */
  readonly nextAt: number | null;
}
/** What a start was judged by: the version that was active and, where it came by a trigger, how that stood. */
export interface Meant extends Pick<TriggerRow, "workflow" | "version"> {
  readonly trigger: (Pick<TriggerRow, "setting"> & { readonly id: string }) | null;
}
export type NewTrigger = Pick<TriggerRow, "trigger" | "kind" | "route" | "spec" | "secrets" | "nextAt">;

/**
 * What came to a door, or was due, and what became of it. `refused`: whoever it was could not be verified, and nothing was read of it. `rejected`: it was
 * verified, and asked for what cannot be. `missed`: a slot, or `count` of them, that nobody was there for.
 */
export type DeliveryOutcome = "accepted" | "duplicate" | "rejected" | "refused" | "missed";
export interface NewDelivery {
  /** A UUIDv7. */
  readonly id: string;
  readonly workflow: string;
  readonly trigger: string;
  readonly kind: TriggerRow["kind"];
  readonly outcome: DeliveryOutcome;
  /** Why it was not accepted. */
  readonly code?: string;
  /** What it is known by: the identity that a second one is told by, or the slot. */
  readonly source?: string;
  /** Rows of one bucket are one row, which counts them. */
  readonly bucket?: string;
  readonly count?: number;
  readonly run?: RunId;
  /** `sha256:` and 64 hex digits, over the bytes that came. */
  readonly bodyDigest?: string;
  /** The name of the secret that it was verified with. */
  readonly secret?: string;
  /** Of what was verified and rejected, so that it can be delivered again; what was accepted has it in its run. */
  readonly payload?: Json;
  readonly detail?: Json;
}
/** Of a payload that was not taken, in UTF-16 units of its JSON: beyond that it cannot be delivered again. */
const KEPT_PAYLOAD = 65_536;
/** The same of all rejections of one signal: what is kept beyond that would be in everybody's way. */
const KEPT_IN_ALL = 1_048_576;

/** What is kept of a signal's payload with each of its rejections, asked for one after another. */
export function keeping(payload: Json): () => Pick<NewDelivery, "payload"> {
  const { length } = JSON.stringify(payload);
  let left = length <= KEPT_PAYLOAD ? KEPT_IN_ALL : 0;
  return () => {
    left -= length;
    return left >= 0 ? { payload } : {};
  };
}

export interface DeliveryRow extends Omit<NewDelivery, "bucket"> {
  readonly count: number;
  readonly at: number;
}

/** Who starts with a signal of one name. */
export interface Subscriber extends Pick<TriggerRow, "workflow" | "trigger" | "version" | "spec" | "secrets"> {
  readonly tenant: TenantId;
}
/** A trigger whose slot has come. */
export interface DueTrigger extends TriggerRow {
  readonly tenant: TenantId;
  readonly nextAt: number;
  readonly onAmbiguous: "fail" | null;
  /** So many starts were left to its tenant in this second; null: nobody limits them. */
  readonly room: number | null;
}
/** A start that a slot or a signal asks for: once a scope and key, whoever asks. */
export interface Occurrence {
  readonly run: RunId;
  readonly scope: string;
  readonly key: string;
  /** Of what is asked. */
  readonly digest: string;
  readonly body: StartBody;
}
/** What follows from slots that have come: counts only while the trigger stands at `nextAt` under this version and this setting. */
export interface Firing {
  readonly due: Pick<DueTrigger, "tenant" | "workflow" | "trigger" | "version" | "nextAt" | "setting">;
  readonly next: number | null;
  readonly occurrences: readonly Occurrence[];
  readonly deliveries: readonly NewDelivery[];
}
/** A signal of the platform's own: once a name and key. `lineage`: the workflows that stand above it, outermost first. */
export interface Announcement {
  readonly name: "woml.run-failed" | "woml.run-needs-resolution" | "woml.quota-reached";
  readonly key: string;
  readonly payload: Json;
  readonly lineage: readonly string[];
}
/** One that is stored and was not spread yet. `id` is that of its request, `at` when it was announced. */
export interface PlatformSignal extends Omit<Announcement, "name"> {
  readonly tenant: TenantId;
  readonly id: string;
  readonly name: string;
  readonly at: number;
  /** So long it has waited, ms. */
  readonly waitedMs: number;
  readonly onAmbiguous: "fail" | null;
}
/** What follows from a signal of the platform: counts only while nobody else has spread it, and while the tenant may start all of it. */
export interface Spread {
  readonly signal: PlatformSignal;
  readonly occurrences: readonly Occurrence[];
  readonly deliveries: readonly NewDelivery[];
}
/** A secret that a door lacks, or has an older value of. */
export interface DoorWant {
  readonly tenant: TenantId;
  readonly door: string;
  readonly publicKey: string;
  readonly name: string;
  /** As it is sealed for engines, and when it was set. */
  readonly sealed: Uint8Array;
  readonly setAt: number;
}
/** What an engine does for triggers, beside its runs. Times are PostgreSQL's, epoch ms. */
export interface TriggerStore {
  /**
   * Triggers whose next slot has come, oldest first in each tenant, tenants in turn, but those that may start nothing just now; PostgreSQL's time, and when the
   * next slot of all others comes.
   */
  due(limit: number): Promise<{ readonly now: number; readonly next: number | null; readonly due: readonly DueTrigger[] }>;
  /** One transaction; false: another was first, another version is active, another setting holds by now, or there is no room for its starts. */
  fire(firing: Firing): Promise<boolean>;
  /** Signals of the platform that nobody has spread yet, oldest first in each tenant, tenants in turn. */
  signals(limit: number): Promise<readonly PlatformSignal[]>;
  /** Who starts with a signal of this name, by workflow and id, at most 1,000. */
  listening(tenant: TenantId, signal: string): Promise<readonly Subscriber[]>;
  /** What the tenant may start just now, of these workflows. */
  allowance(tenant: TenantId, workflows: readonly string[]): Promise<Allowance>;
  /** One transaction; false: another was first, or it is more than the tenant may start. */
  spread(spread: Spread): Promise<boolean>;
  /** Stores a signal of the platform that is of no run, where somebody listens to it; once a name and key. */
  announce(tenant: TenantId, announcement: Announcement): Promise<void>;
  /** Of the doors that are there: what they lack. */
  wanting(limit: number): Promise<readonly DoorWant[]>;
  give(want: DoorWant, sealed: Uint8Array): Promise<void>;
  close(): Promise<void>;
}
