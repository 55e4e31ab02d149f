// A double of what engines do for slots, for a virtual clock: one shared state, no chance. It passes the same contract suite as PostgreSQL (slot.ts); nothing
// but tests opens it.
import type { Json } from "@woml/model";
import type { TenantId } from "@woml/run";
import { MemoryStarts } from "./memory-usage.ts";
import type { DueTrigger, NewDelivery, NewTrigger, Occurrence, TriggerStore } from "./trigger.ts";

interface MemoryTriggerKey {
  readonly tenant: TenantId;
  readonly workflow: string;
  readonly trigger: string;
}
export interface MemoryTriggers {
  readonly store: Pick<TriggerStore, "due" | "fire">;
  /** Makes a trigger one of the active version, from the clock's time on. */
  bind(tenant: TenantId, workflow: string, version: string, trigger: NewTrigger): void;
  unbind(key: MemoryTriggerKey): void;
  set(key: MemoryTriggerKey, setting: Json): void;
  /** Starts a second. */
  setStarts(tenant: TenantId, limit: number | null): void;
  setOnAmbiguous(tenant: TenantId, value: "fail" | null): void;
  nextAt(key: MemoryTriggerKey): number | null;
  /** Starts that were stored, in that order, and deliveries. */
  starts(): readonly (Occurrence & { readonly tenant: TenantId })[];
  deliveries(): readonly (NewDelivery & { readonly tenant: TenantId })[];
}
interface Row extends Omit<DueTrigger, "nextAt" | "setting" | "onAmbiguous" | "room"> {
  readonly nextAt: number | null;
}

/** `clock` is PostgreSQL's, epoch ms; `request` puts a start into the inbox. */
export function memoryTriggers(clock: () => number, request: (start: Occurrence & { readonly tenant: TenantId }) => void): MemoryTriggers {
  const [rows, settings] = [new Map<string, Row>(), new Map<string, Json>()];
  const [starts, deliveries] = [
    new Map<string, Occurrence & { readonly tenant: TenantId }>(),
    [] as (NewDelivery & { readonly tenant: TenantId })[],
  ];
  const rates = new MemoryStarts(clock);
  const ambiguous = new Map<TenantId, "fail" | null>();
  const settingOf = (key: MemoryTriggerKey): Json => settings.get(nameOf(key)) ?? null;
  const store: MemoryTriggers["store"] = {
    due: async (limit) => {
      const now = clock();
      const timed = [...rows.values()].flatMap((row) => (row.nextAt === null ? [] : { ...row, nextAt: row.nextAt }));
      const due = timed
        .filter(({ nextAt }) => nextAt <= now)
        .map((row): DueTrigger => {
          const room = rates.allowance(row.tenant).starts?.left ?? null;
          return { ...row, setting: settingOf(row), onAmbiguous: ambiguous.get(row.tenant) ?? null, room };
        });
      const later = timed.flatMap(({ nextAt }) => (nextAt > now ? nextAt : []));
      return {
        now,
        next: later.length === 0 ? null : Math.min(...later),
        due: inTurn(due.filter(({ room }) => room !== 0)).slice(0, limit),
      };
    },
    fire: async ({ due, next, occurrences, deliveries: told }) => {
      const row = rows.get(nameOf(due));
      const isSame = JSON.stringify(settingOf(due)) === JSON.stringify(due.setting);
      if (row?.version !== due.version || row.nextAt !== due.nextAt || !isSame) return false;
      if (!rates.fits(due.tenant, occurrences.length)) return false;
      rates.take(due.tenant, occurrences.length);
      rows.set(nameOf(due), { ...row, nextAt: next });
      for (const one of occurrences) {
        const name = `${due.tenant} ${one.scope} ${one.key}`;
        if (starts.has(name)) continue;
        const start = { ...one, tenant: due.tenant };
        starts.set(name, start);
        request(start);
      }
      deliveries.push(...told.map((one) => ({ ...one, tenant: due.tenant })));
      return true;
    },
  };
  return {
    store,
    bind: (tenant, workflow, version, trigger) => {
      const key = { tenant, workflow, trigger: trigger.trigger };
      rows.set(nameOf(key), { ...trigger, ...key, version, since: clock() });
    },
    unbind: (key) => void rows.delete(nameOf(key)),
    set: (key, setting) => void settings.set(nameOf(key), setting),
    setStarts: (tenant, limit) => rates.limit(tenant, limit),
    setOnAmbiguous: (tenant, value) => void ambiguous.set(tenant, value),
    nextAt: (key) => rows.get(nameOf(key))?.nextAt ?? null,
    starts: () => [...starts.values()],
    deliveries: () => deliveries,
  };
}

const nameOf = ({ tenant, workflow, trigger }: MemoryTriggerKey): string => `${tenant} ${workflow} ${trigger}`;

/** The first of each tenant, then the second of each. */
function inTurn(due: readonly DueTrigger[]): readonly DueTrigger[] {
  const sorted = due.toSorted((a, b) => a.nextAt - b.nextAt || (nameOf(a) < nameOf(b) ? -1 : 1));
  const turns = new Map<TenantId, number>();
  const placed = sorted.map((one) => {
    const turn = (turns.get(one.tenant) ?? 0) + 1;
    turns.set(one.tenant, turn);
    return { one, turn };
  });
  return placed.toSorted((a, b) => a.turn - b.turn).map(({ one }) => one);
}
