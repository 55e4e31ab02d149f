// What the memory's double of the store has of lanes, as append.sql and line.ts do it.
import type { RunKey, TenantId } from "@woml/run";
import type { Append, InboxRequest } from "./engine-store.ts";
import { NoRoom } from "./error.ts";
import type { LaneKey, LaneLimits } from "./lane.ts";

export interface MemoryLane extends LaneKey, LaneLimits {
  active: number;
  /** Of first execution starts, in their order. */
  readonly starts: number[];
}
/** What of a run's row says whether it takes up a place. */
interface Standing {
  readonly workflow: string;
  readonly holds: boolean;
}

export class MemoryLanes {
  readonly #lanes = new Map<string, MemoryLane>();

  /** Of runs that there are already `active` hold a place. */
  set(key: LaneKey, limits: LaneLimits, active: number): void {
    const lane = this.#lanes.get(nameOf(key));
    this.#lanes.set(nameOf(key), { ...key, ...limits, active: lane?.active ?? active, starts: lane?.starts ?? [] });
  }
  get all(): readonly MemoryLane[] {
    return [...this.#lanes.values()];
  }
  of(tenant: TenantId, workflow: string): readonly MemoryLane[] {
    return [
      { tenant, kind: "tenant" as const, name: "" },
      { tenant, kind: "workflow" as const, name: workflow },
    ].flatMap((key) => this.#lanes.get(nameOf(key)) ?? []);
  }

  /** Throws NoRoom, before anything is written. */
  check({ tenant, at, projection, admission }: Append, { workflow, holds }: Standing): void {
    const takes = projection.holds && !holds;
    for (const lane of this.of(tenant, workflow)) {
      if (takes && lane.most !== null && lane.active >= lane.most) throw new NoRoom();
      if (admission?.begins && (opensAt(lane) ?? 0) > at) throw new NoRoom();
    }
  }
  /** Answers whether it has left its place to others. */
  shift({ tenant, at, projection, admission }: Append, { workflow, holds }: Standing, now: number): boolean {
    const lanes = this.of(tenant, workflow);
    for (const lane of lanes) {
      lane.active += Number(projection.holds) - Number(holds);
      if (admission?.begins && lane.kind === "workflow") lane.starts.push(Math.max(at, now));
    }
    return lanes.length > 0 && holds && !projection.holds;
  }
  leave(tenant: TenantId, { workflow, holds }: Standing): void {
    if (holds) for (const lane of this.of(tenant, workflow)) lane.active -= 1;
  }

  /** Of starts in the order of the inbox those that there is room for, by turns of the tenants; `lined`: runs that go first. */
  offer<T extends InboxRequest>(starts: readonly T[], lined: readonly (RunKey & Standing)[], now: number): readonly T[] {
    const taken = new Map<MemoryLane, number>();
    for (const run of this.next(lined)) for (const lane of this.of(run.tenant, run.workflow)) add(taken, lane);
    const turns = new Map<TenantId, number>();
    return starts
      .flatMap((start): { start: T; turn: number }[] => {
        const lanes = start.body.kind === "start" ? this.of(start.tenant, start.body.workflow) : [];
        if (lanes.some((lane) => roomOf(lane, now) <= (taken.get(lane) ?? 0))) return [];
        for (const lane of lanes) add(taken, lane);
        const turn = (turns.get(start.tenant) ?? 0) + 1;
        turns.set(start.tenant, turn);
        const isRated = lanes.some(({ rate }) => rate !== null);
        return [{ start: isRated ? { ...start, isRated } : start, turn }];
      })
      .toSorted((a, b) => a.turn - b.turn)
      .map(({ start }) => start);
  }
  /** Of runs that stand in line those that there is room for. */
  next<T extends RunKey & Standing>(lined: readonly T[]): readonly T[] {
    const taken = new Map<MemoryLane, number>();
    return lined.filter(({ tenant, workflow }) => {
      const lanes = this.of(tenant, workflow);
      if (lanes.some((lane) => lane.most !== null && lane.active + (taken.get(lane) ?? 0) >= lane.most)) return false;
      for (const lane of lanes) add(taken, lane);
      return true;
    });
  }
  opens(starts: readonly InboxRequest[]): number | null {
    const times = starts.flatMap(({ tenant, body }) =>
      body.kind === "start" ? this.of(tenant, body.workflow).flatMap((lane) => opensAt(lane) ?? []) : [],
    );
    return times.length === 0 ? null : Math.min(...times);
  }
}

const nameOf = ({ tenant, kind, name }: LaneKey): string => `${tenant} ${kind} ${name}`;

function add(taken: Map<MemoryLane, number>, lane: MemoryLane): void {
  taken.set(lane, (taken.get(lane) ?? 0) + 1);
}

/** When the next start may go by the rate alone; null where that is now, or always. */
function opensAt({ rate, starts }: MemoryLane): number | null {
  const older = rate === null ? undefined : starts[starts.length - rate.count];
  return rate === null || older === undefined ? null : older + rate.windowMs;
}

function roomOf({ most, active, rate, starts }: MemoryLane, now: number): number {
  const places = most === null ? Infinity : most - active;
  if (rate === null) return places;
  return Math.min(places, rate.count - starts.filter((at) => at + rate.windowMs > now).length);
}
