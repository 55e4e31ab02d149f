// INVARIANTS
// D1 A secret's value leaves for the door that lacks it alone, sealed with that door's key and bound to tenant, door and name: for another door, tenant or
//    name it opens nothing.
// D2 Of one that cannot be opened or sealed the others do not wait.
import { doorSealing, seal } from "@woml/boot";
import type { DoorWant, TriggerStore } from "@woml/prisma";
import { SWEEP_MS } from "../bounds.ts";
import { codeOf } from "../code-of.ts";
import type { World } from "../engine.ts";

/** Of one look: what is left is there at the next one. */
const WANTS = 500;

export interface Giving {
  readonly world: Pick<World, "unseal" | "log">;
  readonly store: Pick<TriggerStore, "wanting" | "give">;
}

/** Gives once a second, while the engine has its lease, until told to stop. Without a store of triggers there are no doors. */
export function watchDoors(world: World, isAlive: () => boolean): () => void {
  const { triggers: store } = world;
  if (store === undefined) return () => {};
  let isOn = true;
  let stop = (): void => {};
  const round = async (): Promise<void> => {
    const complain = (error: unknown): void => world.log.warn({ code: codeOf(error) }, "doors were not given their secrets");
    if (isAlive()) await giveDoors({ world, store }).catch(complain);
    if (isOn) stop = world.alarm(SWEEP_MS, () => void round());
  };
  void round();
  return () => {
    isOn = false;
    stop();
  };
}

/** Gives doors what they lack of the secrets that their triggers name. Rejects when the store cannot be asked. */
export async function giveDoors({ world, store }: Giving): Promise<void> {
  for (const want of await store.wanting(WANTS)) {
    const sealed = sealedFor(world, want);
    if (sealed !== null) await store.give(want, sealed);
  }
}

function sealedFor({ unseal, log }: Giving["world"], { tenant, name, door, publicKey, sealed }: DoorWant): Uint8Array | null {
  try {
    return seal(publicKey, doorSealing({ tenant, name }, door), unseal({ tenant, name }, sealed));
  } catch (error) {
    log.warn({ tenant, name, door, code: codeOf(error) }, "a secret could not be given to a door");
    return null;
  }
}
