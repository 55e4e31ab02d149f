import { SHARED } from "@woml/boot";
import type { DueTrigger, Firing, TriggerStore } from "@woml/prisma";
import type { TenantId } from "@woml/run";
import { BATCH, SWEEP_MS } from "../bounds.ts";
import { codeOf } from "../code-of.ts";
import type { World } from "../engine.ts";
import { fire } from "./fire.ts";

export type Clockwork = Pick<World, "alarm" | "doorbell" | "log" | "mint" | "digest">;
type Slots = Pick<TriggerStore, "due" | "fire">;

/**
 * Starts what schedules and intervals say: looks once a second, and at the very time at which the next slot comes. Any number of engines may do so at
 * once, and none needs to: what is not fired stays due. Without a store of triggers nothing comes.
 */
export function watchSlots(world: Clockwork, store: Slots | undefined, isAlive: () => boolean): () => void {
  if (store === undefined) return () => {};
  let isOn = true;
  let stop = (): void => {};
  const look = async (): Promise<number> => {
    if (!isAlive()) return SWEEP_MS;
    return await fireDue(world, store).catch((error: unknown) => {
      world.log.warn({ code: codeOf(error) }, "slots not looked at");
      return SWEEP_MS;
    });
  };
  const round = async (): Promise<void> => {
    const delayMs = await look();
    if (isOn) stop = world.alarm(delayMs, () => void round());
  };
  void round();
  return () => {
    isOn = false;
    stop();
  };
}

/** Fires what is due; answers when to look again, in milliseconds. Rejects when the store cannot be asked. */
async function fireDue(world: Clockwork, store: Slots): Promise<number> {
  const { now, next, due } = await store.due(BATCH);
  let [soonest, fired] = [next ?? Number.POSITIVE_INFINITY, 0];
  const taken = new Map<TenantId, number>();
  for (const trigger of due) {
    const before = taken.get(trigger.tenant) ?? 0;
    const room = trigger.room === null ? null : Math.max(0, trigger.room - before);
    const firing = await fireOne(world, store, { ...trigger, room }, now);
    if (firing === null) continue;
    fired += 1;
    taken.set(trigger.tenant, before + firing.occurrences.length);
    const following = firing.next ?? Number.POSITIVE_INFINITY;
    // One that is over is left for want of room.
    if (following > now) soonest = Math.min(soonest, following);
  }
  // What could not be fired is left for a second, so that nothing turns round and round.
  if (due.length === BATCH && fired > 0) return 0;
  return Math.min(SWEEP_MS, Math.max(0, soonest - now));
}

/** null: this one was another's, or stays due. One that cannot be fired does not keep the others. */
async function fireOne(world: Clockwork, store: Slots, due: DueTrigger, now: number): Promise<Firing | null> {
  const { tenant, workflow, trigger } = due;
  try {
    const firing = fire(due, now, world);
    if (firing === null || !(await store.fire(firing))) return null;
    const missed = firing.deliveries.reduce((sum, { count = 0 }) => sum + count, 0);
    if (missed > 0) world.log.warn({ tenant, workflow, trigger, missed }, "slots were missed");
    if (firing.occurrences.length > 0) world.doorbell.ring(SHARED);
    return firing;
  } catch (error) {
    world.log.warn({ tenant, workflow, trigger, code: codeOf(error) }, "a slot was not fired");
    return null;
  }
}
