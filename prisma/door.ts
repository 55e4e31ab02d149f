import type { TenantId } from "@woml/run";
import type { Subscriber } from "./trigger.ts";

/** A secret as it is sealed for one door; of no value that was replaced since, or taken away. */
export interface DoorSecret {
  readonly name: string;
  readonly sealed: Uint8Array;
}
/** A process that takes deliveries: `publicKey` is what engines seal secrets with for it alone, and its other half is nowhere but there. */
interface DoorKey {
  /** A UUID, new at each start of the process. */
  readonly id: string;
  readonly publicKey: string;
}

/** What a tenant's doors ask of its own. */
export interface DoorScope {
  /** Those of these names that this door has been given. */
  doorSecrets(door: string, names: readonly string[]): Promise<readonly DoorSecret[]>;
  /** Names of the secrets by which a signal of this name may be emitted from outside: nothing else of who listens is read for whoever comes. */
  signalSecrets(signal: string): Promise<readonly string[]>;
  /** Who starts with a signal of this name and has one of these secrets, by workflow and id, at most 1,000. */
  subscribersBy(signal: string, secrets: readonly string[]): Promise<readonly Subscriber[]>;
}
export interface DoorStore {
  /** Only the row of that name can be seen by it. */
  tenantNamed(name: string): Promise<TenantId | null>;
  isTenant(id: TenantId): Promise<boolean>;
  /** The door is there for so long from now on, unless this comes again. What others have let go of is cleared away. */
  holdDoor(door: DoorKey, ms: number): Promise<void>;
  closeDoor(id: string): Promise<void>;
}
