// INVARIANTS
// K1 The other half of a door's key is made here, stays here and ends with the process: what is sealed for this door opens nowhere else, ever.
// K2 The store is asked at each verification which sealed text stands: a value that was replaced or taken away opens nothing from then on. Kept is only
//    what a sealed text has been opened to.
import { randomUUID } from "node:crypto";
import { doorSealing, type Log, makeSealKeys, unseal } from "@woml/boot";
import type { ControlStore, TenantScope } from "@woml/prisma";
import type { KnownSecret } from "./hook-verify/came.ts";

/** A door that is not held any more is cleared away after that; it says every third of it that it is there. */
const HELD_MS = 30_000;
const RETRY_MS = 1_000;
/** Opened secrets that are kept, of all tenants. */
const KEPT = 1_000;

export interface DoorSecrets {
  /** The door's id. */
  readonly id: string;
  /** Those of these names that this door has been given; others are on their way, or there is no such secret. */
  known(scope: TenantScope, names: readonly string[]): Promise<readonly KnownSecret[]>;
  /** Never rejects. */
  close(): Promise<void>;
}

/** Holds the door until it is closed; a database that does not answer is asked again. */
export function openDoorSecrets(store: Pick<ControlStore, "holdDoor" | "closeDoor">, log: Log): DoorSecrets {
  const { publicKey, privateKey } = makeSealKeys();
  const id = randomUUID();
  const opened = new Map<string, string>();
  let isOpen = true;
  let next: NodeJS.Timeout | undefined;
  const hold = async (): Promise<void> => {
    const isHeld = await store.holdDoor({ id, publicKey }, HELD_MS).then(
      () => true,
      () => false,
    );
    if (!isHeld) log.warn({ door: id }, "the door could not be held; it is tried again");
    if (isOpen) next = setTimeout(() => (holding = hold()), isHeld ? HELD_MS / 3 : RETRY_MS).unref();
  };
  let holding = hold();
  const open = (tenant: string, name: string, sealed: Uint8Array): string => {
    const text = `${tenant} ${name} ${Buffer.from(sealed).toString("base64")}`;
    const value = opened.get(text) ?? unseal(privateKey, doorSealing({ tenant, name }, id), sealed);
    opened.delete(text);
    opened.set(text, value);
    for (const oldest of opened.keys()) if (opened.size > KEPT) opened.delete(oldest);
    return value;
  };
  return {
    id,
    known: async (scope, names) => {
      const given = await scope.doorSecrets(id, names);
      return given.map(({ name, sealed }) => ({ name, value: open(scope.tenant, name, sealed) }));
    },
    close: async () => {
      isOpen = false;
      clearTimeout(next);
      await holding;
      await store.closeDoor(id).catch(() => {});
    },
  };
}
