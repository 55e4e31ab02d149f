import { SHARED, traceField } from "@woml/boot";
import type { Append, Moved } from "@woml/prisma";
import { project, type RunState, timerChanges } from "@woml/run";
import { codeOf } from "./code-of.ts";
import type { Judgement } from "./judge.ts";
import { runTrace } from "./perform/traced.ts";
import type { Driven, Room } from "./room.ts";

type Said = "refused" | "outdated" | "no_room";
/** What the store says of an append that it would refuse again, of one that is to be judged again, and of one that there is no place for (prisma/error.ts). */
const SAYS: ReadonlyMap<string, Said> = new Map<string, Said>([
  ["WOML_EVENT_REJECTED", "refused"],
  ["APPEND_OUTDATED", "outdated"],
  ["APPEND_NO_ROOM", "no_room"],
]);

interface Judged {
  readonly before: RunState;
  readonly judged: Judgement;
  readonly now: number;
}

/** Stores what was judged of a run, and rings whoever has something to do with it. null: reload. */
export async function submit(room: Room, run: Driven, { before, judged, now }: Judged): Promise<Moved | null | Said> {
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
      admission: before.head === 0 ? admissionOf(run, judged.after) : null,
      ...(judged.own === null ? {} : { own: judged.own }),
    });
    if (moved !== null) clock.raise(moved.now);
    if (moved !== null && judged.own?.starts !== undefined) world.doorbell.ring(SHARED);
    if (moved?.ring !== undefined) world.doorbell.ring(moved.ring);
    if (moved?.isPlaceFree) room.placeFree();
    return moved;
  } catch (error) {
    const said = SAYS.get(codeOf(error) ?? "");
    if (said === "no_room") room.noPlace();
    if (said !== undefined) return said;
    const who = { tenant: run.tenant, run: run.run, ...traceField(runTrace(before) ?? run.arrival?.trace) };
    world.log.warn({ ...who, code: codeOf(error) }, "append without an answer");
    return null;
  }
}

/** A run that is over before it has begun (refused, cancelled) is no start under a rate limit. */
function admissionOf({ admission }: Driven, { startedAt, stop, outcome }: RunState): Append["admission"] {
  return admission && { ...admission, begins: startedAt !== null && stop === null && outcome === null };
}
