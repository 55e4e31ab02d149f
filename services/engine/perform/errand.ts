import type { Fence, Named } from "@woml/plugin-host";
import type { Called, OperationState, RunKey } from "@woml/run";
import { HOST_RETRY_MS, STORE_RETRY_MS } from "../bounds.ts";
import type { Clock } from "../clock.ts";
import type { World } from "../engine.ts";
import type { Tenure } from "../lease.ts";
import type { Plugins } from "../plugins.ts";

/** What all operations of an engine share. */
export interface Desk {
  readonly world: Pick<World, "store" | "plugins" | "telemetry" | "alarm" | "unseal" | "derive">;
  readonly clock: Clock;
  readonly tenure: Tenure;
  readonly plugins: Plugins;
  readonly leaseMs: number;
  readonly clockBoundMs: number;
}
export interface Errand {
  readonly key: RunKey;
  readonly epoch: number;
  readonly operation: OperationState;
  /** The run's. */
  readonly seed: string;
  /** False once the driver has let go of it, or the log has moved past it. */
  readonly wanted: () => boolean;
  readonly stopping: () => boolean;
  /** From now on it only waits: for a host to come back, or for a lease to end. */
  readonly waits: () => void;
  /** A host has seen a higher epoch of the run: whose it is has to be looked up. */
  readonly fenced: () => void;
  /** What its spans follow from. */
  readonly trace?: () => string | null;
}

export function nameOf({ key, operation }: Pick<Errand, "key" | "operation">): Named {
  return { tenant: key.tenant, run: key.run, attempt: operation.attempt, key: operation.key, try: operation.try };
}

/** The host that its start names, if it names one. */
export function placeOf({ operation }: Pick<Errand, "operation">): { readonly host?: string } {
  return operation.host === null ? {} : { host: operation.host };
}

export function fenceOf({ clock, tenure }: Desk, { key, epoch }: Errand): Fence {
  return { engine: tenure.engine, run: key.run, epoch, now: clock.now(), notAfter: tenure.notAfter() };
}

export function calledOf({ operation }: Pick<Errand, "operation">): Called {
  if (operation.called === null) throw new Error(`${operation.capability}.${operation.operation} was refused, and is no errand`);
  return operation.called;
}

/** Asks the store until it answers. null: not wanted any more. */
export async function asking<T>(desk: Desk, { wanted }: Errand, question: () => Promise<T>): Promise<T | null> {
  while (wanted()) {
    const answer = await question().then(
      (value) => ({ value }),
      () => null,
    );
    if (answer !== null) return wanted() ? answer.value : null;
    await pause(desk, STORE_RETRY_MS);
  }
  return null;
}

/** The next pause between two questions to a host. */
export function longer(pauseMs: number): number {
  return Math.min(pauseMs * 2, HOST_RETRY_MS.most);
}

export function pause({ world }: Pick<Desk, "world">, ms: number): Promise<void> {
  return new Promise((resolve) => void world.alarm(ms, resolve));
}
