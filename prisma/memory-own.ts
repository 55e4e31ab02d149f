// What the memory's double of the store has of the engine's own operations, as append-own.sql does it.
import type { Json } from "@woml/model";
import { STATE_LIMITS } from "@woml/model/laws";
import type { RunKey, TenantId } from "@woml/run";
import type { EngineStore, InboxRequest, Own, StateEntry, StateWrite, StoredChild } from "./engine-store.ts";
import { AppendOutdated } from "./error.ts";
import type { MemoryStarts } from "./memory-usage.ts";
import type { Announcement, NewDelivery, Subscriber } from "./trigger.ts";

interface Total {
  readonly keys: number;
  readonly bytes: number;
  readonly floor: number;
}
interface Row {
  readonly text: string;
  readonly version: number;
  readonly bytes: number;
}
/** A run's request, and the last event of its log once it has ended. */
interface Asked {
  readonly body: InboxRequest["body"];
  readonly consumed: boolean;
  readonly answer: string | null;
}
export interface Around {
  readonly request: (asked: RunKey & { readonly id: string; readonly body: InboxRequest["body"]; readonly digest?: string }) => void;
  readonly startOf: (key: RunKey) => (Asked & { readonly digest?: string }) | null;
  readonly endOf: (key: RunKey) => StoredChild["ended"];
  readonly isAdmitted: (key: RunKey) => boolean;
  readonly ownerOf: (key: RunKey) => string | null;
  readonly starts: MemoryStarts;
}
export interface MemoryOwn {
  readonly draws: Pick<EngineStore, "state" | "active" | "child" | "subscribers" | "allowance">;
  activate(tenant: TenantId, workflow: string, version: string): void;
  /** Signals of the platform that were stored. */
  readonly announced: readonly (Announcement & { readonly tenant: TenantId })[];
  /** What became of signals at triggers that listen to them. */
  readonly delivered: readonly (NewDelivery & { readonly tenant: TenantId })[];
  /** It starts with a signal of this name. */
  subscribe(signal: string, subscriber: Subscriber): void;
  /** Throws AppendOutdated, before anything is written. */
  check(tenant: TenantId, workflow: string, own: Own | undefined): void;
  /** Answers whose engine is to be rung. */
  apply(key: RunKey, workflow: string, own: Own | undefined): { readonly ring?: string };
}

const NOTHING: Total = { keys: 0, bytes: 0, floor: 0 };

export function memoryOwn(around: Around): MemoryOwn {
  const totals = new Map<string, Total>();
  const rows = new Map<string, Row>();
  const actives = new Map<string, string>();
  const listeners = new Map<string, Subscriber>();
  const announced: (Announcement & { readonly tenant: TenantId })[] = [];
  const delivered: (NewDelivery & { readonly tenant: TenantId })[] = [];
  const hears = (tenant: TenantId, signal: string): readonly Subscriber[] =>
    [...listeners].flatMap(([key, one]) => (key.startsWith(`${tenant} ${signal} `) ? [one] : [])).toSorted(byPlace);
  const totalOf = (scope: string): Total => totals.get(scope) ?? NOTHING;

  const entryOf = (tenant: TenantId, workflow: string, key: string): StateEntry => {
    const { keys, bytes: totalBytes, floor } = totalOf(`${tenant} ${workflow}`);
    const row = rows.get(`${tenant} ${workflow} ${key}`);
    const value: Json = row === undefined ? null : JSON.parse(row.text);
    return { value, version: row?.version ?? 0, bytes: row?.bytes ?? 0, keys, totalBytes, floor };
  };
  const change = (scope: string, write: StateWrite): void => {
    const { keys, bytes, floor } = totalOf(scope);
    const deleted = write.value === null ? write.expected : 0;
    totals.set(scope, { keys: keys + keysOf(write), bytes: bytes + write.added, floor: Math.max(floor, deleted) });
    if (write.value === null) rows.delete(`${scope} ${write.key}`);
    else rows.set(`${scope} ${write.key}`, { text: write.value, version: write.version, bytes: write.bytes });
  };
  return {
    draws: {
      state: async (tenant, workflow, key) => entryOf(tenant, workflow, key),
      active: async (tenant, workflow) => actives.get(`${tenant} ${workflow}`) ?? null,
      subscribers: async (tenant, signal) => hears(tenant, signal),
      allowance: async (tenant) => around.starts.allowance(tenant),
      child: async (key) => {
        const start = around.startOf(key);
        if (start?.body.kind !== "start") return null;
        const isRefused = start.consumed && start.answer !== null && !around.isAdmitted(key);
        return { digest: start.digest ?? "", version: start.body.version, ended: isRefused ? "refused" : around.endOf(key) };
      },
    },
    activate: (tenant, workflow, version) => void actives.set(`${tenant} ${workflow}`, version),
    announced,
    delivered,
    subscribe: (signal, one) => void listeners.set(`${one.tenant} ${signal} ${one.workflow} ${one.trigger}`, one),
    check: (tenant, workflow, own) => {
      if (own?.write && !stands(own.write, entryOf(tenant, workflow, own.write.key))) throw new AppendOutdated();
      if (!around.starts.fits(tenant, own?.starts?.length ?? 0)) throw new AppendOutdated();
    },
    apply: ({ tenant, run }, workflow, own) => {
      if (own?.write) change(`${tenant} ${workflow}`, own.write);
      const { starts = [], signals = [], deliveries = [], tells } = own ?? {};
      around.starts.take(tenant, starts.length);
      delivered.push(...deliveries.map((one) => ({ ...one, tenant })));
      const isNew = ({ name, key }: Announcement): boolean =>
        !announced.some((one) => one.tenant === tenant && one.name === name && one.key === key);
      announced.push(...signals.filter((one) => hears(tenant, one.name).length > 0 && isNew(one)).map((one) => ({ ...one, tenant })));
      for (const { run: asked, digest, body } of starts)
        if (around.startOf({ tenant, run: asked }) === null) around.request({ tenant, run: asked, id: asked, digest, body });
      if (tells === undefined) return {};
      around.request({ tenant, run: tells, id: `child ${run}`, body: { kind: "child_settled", child: run } });
      const ring = around.ownerOf({ tenant, run: tells });
      return ring === null ? {} : { ring };
    },
  };
}

const byPlace = (a: Subscriber, b: Subscriber): number => (`${a.workflow} ${a.trigger}` < `${b.workflow} ${b.trigger}` ? -1 : 1);

function stands(write: StateWrite, { version, keys, totalBytes, floor }: StateEntry): boolean {
  if (version !== write.expected || (write.expected === 0 && floor !== write.floor)) return false;
  const more = keysOf(write);
  return (more <= 0 || keys + more <= STATE_LIMITS.keys) && (write.added <= 0 || totalBytes + write.added <= STATE_LIMITS.bytes);
}

function keysOf({ value, expected }: StateWrite): number {
  if (value === null) return -1;
  return expected === 0 ? 1 : 0;
}
