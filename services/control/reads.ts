// What lists show beyond their rows is read here: one query for a whole page (no N+1), in chunks that bound what is in memory, and never
// more bytes for one request than ANSWER_BYTES.
import { Buffer } from "node:buffer";
import type { ControlStore, DeliveryRow, EventAsk, EventFilter, TenantScope, VersionRow } from "@woml/prisma";
import type { RunEvent, RunId } from "@woml/run";
import { withTenant } from "./asking.ts";
import { batched } from "./batch.ts";
import { ApiError } from "./errors.ts";
import { lengthOf } from "./length.ts";
import { scopeOf } from "./successor.ts";
import type { Who } from "./tenant.ts";
import { type SeenTrigger, seen, TRIGGERS_MAX, triggerKey } from "./triggers.ts";

/** What is read from logs and definitions for one request. */
export const ANSWER_BYTES: number = 16 * 1024 * 1024;
/** A page of events is cut here; its first event is always in it. */
export const EVENT_PAGE_BYTES: number = 4 * 1024 * 1024;
/** More than a log has. */
const EVENTS_MAX = 1_000_000;
/** A page of fewer bytes was not cut for its bytes: the next event would have had its place. */
const UNCUT_BYTES: number = 8 * 1024 * 1024;
/** So many keys a query: a usual page is one. Versions and whole logs may be large, so that few are loaded before they are counted. */
const KEYS_AT_ONCE = 25;
const VERSIONS_AT_ONCE = 8;
const LOGS_AT_ONCE = 4;
const TRIGGERS_AT_ONCE = 15;
const LAST_AT_ONCE = 200;
const ID_BYTES = 40;

/** `limit` null: as many as there are. */
type SomeAsk = Pick<EventAsk, "run" | "after"> & { readonly limit: number | null; readonly only: EventFilter };

export interface Reads {
  /** The version with its definition and source. */
  version(hash: string): Promise<VersionRow | null>;
  /** What starts runs of a workflow, by id. */
  triggers(workflow: string): Promise<readonly SeenTrigger[]>;
  /** What came to a trigger last, if anything did. */
  lastDelivery(of: SeenTrigger): Promise<DeliveryRow | null>;
  /** A run's admission and, once it ended, its last event. */
  ends(run: RunId): Promise<readonly RunEvent[]>;
  /** Runs that resume this one, oldest first. */
  resumedBy(run: RunId): Promise<readonly RunId[]>;
  events(ask: Omit<EventAsk, "maxBytes">): Promise<readonly RunEvent[]>;
  /** A part of a log. Without a limit all of it; refuses one of more than ANSWER_BYTES. */
  some(ask: SomeAsk): Promise<readonly RunEvent[]>;
}

export function openReads(asking: { readonly who: Who; readonly store: ControlStore }): Reads {
  const spend = budget(ANSWER_BYTES);
  const chunked = <K, V>(load: Load<K, V>, sizeOf: (value: V) => number, atOnce = KEYS_AT_ONCE) => {
    return (keys: readonly K[]): Promise<readonly V[]> =>
      withTenant(asking, async (scope) => {
        const values: V[] = [];
        for (let at = 0; at < keys.length; at += atOnce) {
          const loaded = await load(scope, keys.slice(at, at + atOnce));
          spend(loaded.reduce((sum, value) => sum + sizeOf(value), 0));
          values.push(...loaded);
        }
        return values;
      });
  };
  const loadPages = (scope: TenantScope, asks: readonly EventAsk[]) => scope.events(asks);
  const pages = chunked(loadPages, bytesOfEvents);
  const events = batched(askText, (asks: readonly Omit<EventAsk, "maxBytes">[]) => {
    const maxBytes = Math.floor(EVENT_PAGE_BYTES / Math.min(asks.length, KEYS_AT_ONCE));
    return pages(asks.map((ask) => ({ ...ask, maxBytes })));
  });
  const logs = batched(askText, chunked(loadPages, bytesOfEvents, LOGS_AT_ONCE));
  const few = batched(askText, pages);
  return {
    version: batched(String, chunked(loadVersions, lengthOfVersion, VERSIONS_AT_ONCE)),
    triggers: batched(
      String,
      chunked(loadTriggers, (rows) => lengthOf(rows, ANSWER_BYTES), TRIGGERS_AT_ONCE),
    ),
    lastDelivery: batched(
      triggerKey,
      chunked(loadLast, (row) => lengthOf(row, ANSWER_BYTES), LAST_AT_ONCE),
    ),
    ends: batched(String, chunked(loadEnds, bytesOfEvents)),
    resumedBy: batched(
      String,
      chunked(loadSuccessors, (runs) => runs.length * ID_BYTES),
    ),
    events,
    some: async ({ limit, ...ask }) => {
      const most = limit ?? EVENTS_MAX;
      const found = await (limit === null ? logs : few)({ ...ask, limit: most, maxBytes: ANSWER_BYTES });
      if (found.length === most || bytesOfEvents(found) < UNCUT_BYTES) return found;
      const more = await few({ ...ask, after: found.at(-1)?.seq ?? 0, limit: 1, maxBytes: 1 });
      if (more.length > 0) throw tooLarge();
      return found;
    },
  };
}

type Load<K, V> = (scope: TenantScope, keys: readonly K[]) => Promise<readonly V[]>;

async function loadVersions(scope: TenantScope, hashes: readonly string[]): Promise<readonly (VersionRow | null)[]> {
  const found = await scope.versionsByHash(hashes);
  return hashes.map((hash) => found.get(hash) ?? null);
}

async function loadTriggers(scope: TenantScope, workflows: readonly string[]): Promise<readonly (readonly SeenTrigger[])[]> {
  const { items } = await seen(scope, await scope.triggers(workflows, { first: workflows.length * TRIGGERS_MAX, after: null }));
  const found = Map.groupBy(items, ({ workflow }) => workflow);
  return workflows.map((workflow) => found.get(workflow) ?? []);
}

async function loadLast(scope: TenantScope, of: readonly SeenTrigger[]): Promise<readonly (DeliveryRow | null)[]> {
  const found = new Map((await scope.lastDeliveries(of)).map((row) => [triggerKey(row), row]));
  return of.map((one) => found.get(triggerKey(one)) ?? null);
}

async function loadEnds(scope: TenantScope, runs: readonly RunId[]): Promise<readonly (readonly RunEvent[])[]> {
  const found = await scope.ends(runs);
  return runs.map((run) => found.get(run) ?? []);
}

async function loadSuccessors(scope: TenantScope, runs: readonly RunId[]): Promise<readonly (readonly RunId[])[]> {
  const found = await scope.startedIn(runs.map((run) => scopeOf("resume", run)));
  return runs.map((run) => found.get(scopeOf("resume", run)) ?? []);
}

function askText({ run, after, limit, only }: Omit<EventAsk, "maxBytes">): string {
  return `${run} ${after} ${limit} ${only === undefined ? "" : JSON.stringify(only)}`;
}

function bytesOfEvents(events: readonly RunEvent[]): number {
  return events.reduce((sum, event) => sum + Buffer.byteLength(JSON.stringify(event.data)), 0);
}

function lengthOfVersion(row: VersionRow | null): number {
  return row === null ? 0 : row.definition.length + lengthOf(row.source, ANSWER_BYTES);
}

function budget(bytes: number): (spent: number) => void {
  let left = bytes;
  return (spent) => {
    left -= spent;
    if (left < 0) throw tooLarge();
  };
}

export function tooLarge(limit: number = ANSWER_BYTES): ApiError {
  const message = `this answer would hold more than ${limit} bytes: ask for fewer runs or versions at a time, and for \`events\` in pages`;
  return new ApiError("WOML_ANSWER_TOO_LARGE", message, { limit });
}
