import type { EngineStore } from "@woml/prisma";
import type { MemoryStore } from "@woml/prisma/memory";
import type { RunKey, TenantId } from "@woml/run";
import type { Chance } from "./chance.ts";
import type { Tally } from "./tally.ts";

interface Parts {
  readonly store: MemoryStore;
  readonly chance: Chance;
  readonly tenants: readonly TenantId[];
  readonly workflows: readonly string[];
}

/** Some stories have lanes, and so few places that their runs get in each other's way. */
export function planLanes({ store, chance, tenants, workflows }: Parts): void {
  for (const tenant of tenants) {
    if (chance.hit(0.25)) store.setLane({ tenant, kind: "tenant", name: "" }, { most: chance.between(1, 3), rate: null, queue: null });
    for (const name of workflows) {
      const rate = { count: chance.between(1, 3), windowMs: chance.pick([200, 2_000, 10_000]) };
      const limits = { most: chance.hit(0.7) ? chance.between(1, 2) : null, rate: chance.hit(0.5) ? rate : null, queue: null };
      if (chance.hit(0.4)) store.setLane({ tenant, kind: "workflow", name }, limits);
    }
  }
}

/** A store that is looked at after each append: no lane above its limit, and each counts exactly the runs that hold a place there. */
export function watched(
  memory: MemoryStore,
  { runs, tally, broken }: { readonly runs: () => readonly RunKey[]; readonly tally: Tally; readonly broken: string[] },
): EngineStore {
  const store = memory.open();
  const look = (): void => {
    const rows = runs().flatMap((key) => memory.run(key) ?? []);
    for (const { tenant, kind, name, active, most, rate, starts } of memory.lanes()) {
      const holders = rows.filter((row) => row.tenant === tenant && row.holds && (kind === "tenant" || row.workflow === name));
      if (active !== holders.length) broken.push(`lane ${kind} ${name} counts ${active}, and ${holders.length} hold a place`);
      if (most !== null && active > most) broken.push(`lane ${kind} ${name} has ${active} of ${most} places taken`);
      const last = starts.length - 1;
      const [older, newer] = [starts[last - (rate?.count ?? 0)], starts[last]];
      if (rate !== null && older !== undefined && newer !== undefined && newer - older < rate.windowMs)
        broken.push(`${rate.count + 1} runs of ${name} began within ${newer - older} ms`);
    }
  };
  const append: EngineStore["append"] = async (wanted) => {
    try {
      const moved = await store.append(wanted);
      if (moved?.isPlaceFree) tally.hit("a place was left to others");
      look();
      return moved;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "APPEND_NO_ROOM")
        tally.hit(wanted.admission === null ? "no room to go on" : "no room to begin");
      throw error;
    }
  };
  const claim: EngineStore["claim"] = async (engine, limit) => {
    const claimed = await store.claim(engine, limit);
    if (claimed.some(({ isLined }) => isLined)) tally.hit("taken out of the line");
    return claimed;
  };
  const claimHeld: EngineStore["claimHeld"] = async (engine, key) => {
    const taken = await store.claimHeld(engine, key);
    if (taken?.isLined) tally.hit("cancel of a run in line");
    return taken;
  };
  return { ...store, append, claim, claimHeld };
}
