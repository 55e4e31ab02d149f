import type { MemoryStore } from "@woml/prisma/memory";
import type { TenantId } from "@woml/run";
import type { Chance } from "./chance.ts";
import type { Market } from "./market.ts";
import { SECRET } from "./program.ts";
import type { Tally } from "./tally.ts";
import type { Time } from "./time.ts";
import { CAPABILITY, MANIFEST, RELEASE } from "./wares.ts";

interface World {
  readonly time: Time;
  readonly chance: Chance;
  readonly tally: Tally;
  readonly market: Market;
  readonly vault: MemoryStore["vault"];
  readonly tenants: readonly TenantId[];
  /** Soon, and mostly when it hurts. */
  readonly when: (isRipe: () => boolean, what: () => void) => void;
  readonly soon: () => number;
  /** Some engines lose their leases. */
  readonly breakSessions: () => void;
}

/** What befalls releases, grants, secrets and plugin hosts in a story. */
export function planWorld(world: World): void {
  const { chance, market, vault, tenants, when } = world;
  const isBusy = (): boolean => market.isBusy;
  vault.store({ digest: RELEASE, manifest: MANIFEST, artefact: new Uint8Array(), capability: CAPABILITY });
  for (const tenant of tenants) {
    vault.grant(tenant, CAPABILITY);
    const set = (): void => vault.setSecret({ tenant, name: SECRET }, Buffer.from("value"));
    if (chance.hit(0.7)) set();
    else if (chance.hit(0.6)) world.time.after(world.soon(), set);
    if (chance.hit(0.5)) when(isBusy, () => withdraw(world, tenant));
  }
  for (let n = chance.between(0, 3); n > 0; n--) when(isBusy, () => market.restart());
  if (chance.hit(0.4)) when(isBusy, () => market.crowd(chance.pick([100, 8_000, 12_000])));
  if (market.isSpread) planHosts(world);
  if (chance.hit(0.03)) when(isBusy, () => vault.revoke(RELEASE));
}

function planHosts({ chance, market, when, breakSessions }: World): void {
  const isBusy = (): boolean => market.isBusy;
  for (let n = chance.between(0, 2); n > 0; n--)
    when(isBusy, () => market.partition(chance.pick([[0], [1], [0, 1]]), chance.pick([500, 4_000, 12_000, 30_000])));
  if (chance.hit(0.4)) when(isBusy, () => market.drain());
  // The engine that has just dispatched is taken over by one that cannot reach the host that has it.
  if (chance.hit(0.4))
    when(isBusy, () => {
      market.partition(chance.pick([[0], [1], [0, 1]]), chance.pick([12_000, 30_000]));
      breakSessions();
    });
}

function withdraw({ chance, tally, vault, time }: World, tenant: TenantId): void {
  tally.hit("grant withdrawn");
  vault.revokeGrant(tenant, CAPABILITY);
  time.after(chance.between(500, 4_000), () => vault.grant(tenant, CAPABILITY));
}
