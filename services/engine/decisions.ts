import type { InboxRequest } from "@woml/prisma";
import { approvalDeadlines, type RunKey, type RunState } from "@woml/run";
import { draw, isDrawn } from "./builtin/draw.ts";
import type { Asked } from "./judge.ts";
import type { Room } from "./room.ts";

interface Drawing {
  readonly run: RunKey;
  readonly state: RunState;
  readonly now: number;
}

/** A decision out of the inbox, as a command. */
export function decisionOf({ id, body, createdAt }: InboxRequest): readonly Asked[] {
  return body.kind === "resolve_approval" ? [{ command: { ...body, askedAt: createdAt }, request: id }] : [];
}

/**
 * What the store has to say before these commands are judged; null: nothing. Answers null when it does not answer. Before it is said that nobody has
 * decided an approval in time, whatever came in time is judged: accepted means persisted, also where the inbox is read late.
 */
export function drawFor({ world, definitions }: Room, drawing: Drawing, asked: readonly Asked[]): Promise<readonly Asked[] | null> | null {
  const { run: key, state } = drawing;
  const isEnding = endsApproval(drawing, asked);
  if (!isEnding && !asked.some(isDrawn)) return null;
  const well = { store: world.store, digest: world.digest, mint: world.mint, definitions };
  const decided = isEnding ? world.store.decisions(key) : Promise.resolve([]);
  const drawn = decided.then((decisions) => draw(well, { key, state }, [...decisions.flatMap(decisionOf), ...asked]));
  return drawn.catch(() => null);
}

/** Whether these commands say of an approval that nobody has decided it in time. */
function endsApproval({ state, now }: Drawing, asked: readonly Asked[]): boolean {
  return asked.some(({ command }) => command.kind === "fire_timers") && approvalDeadlines(state).some(([, at]) => at <= now);
}
