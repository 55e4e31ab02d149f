import type { Lease } from "./engine-store.ts";

/** A lease as the memory's double of the store has it. */
export interface EngineRow {
  expiresAt: number;
  fenced: boolean;
  locked: boolean;
  readonly lose: () => void;
}
interface Leases {
  readonly clock: () => number;
  readonly engines: Map<string, EngineRow>;
}

export function openLease(tables: Leases, engine: string, leaseMs: number): { readonly lease: Lease; readonly at: number } {
  const lost = Promise.withResolvers<void>();
  const row: EngineRow = { expiresAt: tables.clock() + leaseMs, fenced: false, locked: true, lose: () => lost.resolve() };
  tables.engines.set(engine, row);
  const renew = async (): Promise<number | null> => {
    if (row.fenced || !row.locked) {
      row.lose();
      return null;
    }
    row.expiresAt = tables.clock() + leaseMs;
    return tables.clock();
  };
  const release = async (): Promise<void> => {
    if (!row.fenced) row.expiresAt = 0;
    row.fenced = true;
    row.locked = false;
  };
  return { lease: { engine, lost: lost.promise, renew, release }, at: tables.clock() };
}

/** Answers whom it has fenced. */
export function fence(tables: Leases, engine: string): readonly string[] {
  const dead = [...tables.engines].filter(([id, row]) => id !== engine && !row.fenced && (!row.locked || row.expiresAt < tables.clock()));
  for (const [, row] of dead) row.fenced = true;
  return dead.map(([id]) => id);
}
