import { SHARED, traceField } from "@woml/boot";
import type { Moved } from "@woml/prisma";
import { project, type RunState, timerChanges } from "@woml/run";
import { codeOf } from "./code-of.ts";
import type { Judgement } from "./judge.ts";
import { runTrace } from "./perform/traced.ts";
import type { Driven, Room } from "./room.ts";

/** What the store says of an append that it would refuse again, and of one that is to be judged again (prisma/error.ts). */
const SAYS: ReadonlyMap<string, "refused" | "outdated"> = new Map([
  ["WOML_EVENT_REJECTED", "refused"],
  ["APPEND_OUTDATED", "outdated"],
]);

interface Judged {
  readonly before: RunState;
  readonly judged: Judgement;
  readonly now: number;
}

/** Stores what was judged of a run, and rings whoever has something to do with it. null: reload. */
export async function submit(room: Room, run: Driven, { before, judged, now }: Judged): Promise<Moved | null | "refused" | "outdated"> {
  const { world, tenure, clock } = room;
  try {
    const moved = await world.store.append({
      tenant: run.tenant,
      run: run.run,
      owner: tenure.engine,
      epoch: run.epoch,
      expected: before.head,
      at: now,
      events: judged.events,
      projection: project(judged.after),
      ...timerChanges(before, judged.after),
      requests: judged.granted,
      admission: before.head === 0 ? run.admission : null,
      ...(judged.own === null ? {} : { own: judged.own }),
    });
    if (moved !== null) clock.raise(moved.now);
    if (moved !== null && judged.own?.start !== undefined) world.doorbell.ring(SHARED);
    if (moved?.ring !== undefined) world.doorbell.ring(moved.ring);
    return moved;
  } catch (error) {
    const said = SAYS.get(codeOf(error) ?? "");
    if (said !== undefined) return said;
    const who = { tenant: run.tenant, run: run.run, ...traceField(runTrace(before) ?? run.arrival?.trace) };
    world.log.warn({ ...who, code: codeOf(error) }, "append without an answer");
    return null;
  }
}
