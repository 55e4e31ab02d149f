// One engine with its lease on a store of its kind, and whoever takes over from it.
import { randomUUID } from "node:crypto";
import type { EngineStore, Lease } from "../engine-store.ts";
import type { Opened } from "./opened.ts";

export const LEASE_MS = 15_000;

export interface Scene {
  readonly opened: Opened;
  readonly store: EngineStore;
  readonly engine: string;
  readonly lease: Lease;
  readonly at: number;
}
export type Play = (scene: Scene) => Promise<void>;
export type Case = (title: string, scene: Play) => void;

/** Another engine on a handle of its own, which takes over what the dead one left. */
export async function successor({ opened }: Scene): Promise<{ readonly store: EngineStore; readonly engine: string }> {
  const store = await opened.handle();
  const engine = randomUUID();
  await store.openLease(engine, LEASE_MS);
  return { store, engine };
}
