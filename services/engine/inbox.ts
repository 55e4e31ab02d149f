import type { InboxRequest } from "@woml/prisma";
import { BATCH } from "./bounds.ts";
import type { Definitions, Prepared, Refused } from "./definitions.ts";
import type { World } from "./engine.ts";
import type { Asked } from "./judge.ts";
import type { Tenure } from "./lease.ts";
import { ENDED, type Roster } from "./roster.ts";

type Start = InboxRequest & { readonly body: { readonly kind: "start" } };
/** How long a read waits for the one before it to be decided; what takes longer is passed over until it is settled. */
const PATIENCE_MS = 100;

export interface Inbox {
  /** Reads until nothing is left that this engine may take. A call during a read makes it read once more. */
  read(): Promise<void>;
  settled(requests: readonly string[]): void;
}

/**
 * Turns requests into commands of runs. A request is consumed by the append that grants it, or answered with a reason; until then it is
 * read again, and passed over here while its run works on it.
 */
export function openInbox(world: World, tenure: Tenure, definitions: Definitions, roster: () => Roster): Inbox {
  const working = new Set<string>();
  let batch: { readonly left: Set<string>; readonly done: () => void } | null = null;
  let reading = false;
  let again = false;

  const settled = (requests: readonly string[]): void => {
    for (const id of requests) {
      working.delete(id);
      batch?.left.delete(id);
    }
    if (batch?.left.size === 0) batch.done();
  };
  const handOut = async (rows: readonly InboxRequest[]): Promise<void> => {
    const starts = rows.filter(isStart);
    const prepared = await definitions.load(starts.map(({ tenant, body }) => ({ tenant, version: body.version })));
    const byRun = Map.groupBy(
      rows.filter((row) => !isStart(row)),
      (row) => `${row.tenant} ${row.run}`,
    );
    starts.forEach((start, index) => {
      const definition = prepared[index] ?? { refused: "the version is not stored" };
      const name = `${start.tenant} ${start.run}`;
      const cancels = byRun.get(name) ?? [];
      byRun.delete(name);
      admit(world, roster(), { start, definition, cancels });
    });
    for (const cancel of [...byRun.values()].flat()) pass(world, roster(), cancel, settled);
  };
  const readOnce = async (): Promise<boolean> => {
    const free = roster().free;
    const limit = free > 0 ? Math.min(BATCH, free) : BATCH;
    const rows = await world.store.inbox(tenure.engine, limit, free > 0);
    const fresh = rows.filter(({ id }) => !working.has(id));
    if (fresh.length === 0 || !tenure.alive()) return false;
    const { promise, resolve } = Promise.withResolvers<void>();
    batch = { left: new Set(fresh.map(({ id }) => id)), done: resolve };
    for (const { id } of fresh) working.add(id);
    const stop = world.alarm(PATIENCE_MS, resolve);
    await handOut(fresh).catch((error: unknown) => {
      settled(fresh.map(({ id }) => id));
      throw error;
    });
    await promise;
    stop();
    return rows.length >= limit;
  };
  const read = async (): Promise<void> => {
    if (reading) {
      again = true;
      return;
    }
    reading = true;
    try {
      do again = (await readOnce()) || again;
      while (takeAgain() && tenure.alive());
    } finally {
      reading = false;
    }
  };
  const takeAgain = (): boolean => {
    const was = again;
    again = false;
    return was;
  };
  return { read, settled };
}

/** Admits a run, or refuses it where its definition may not run; a cancel that came before its start is decided right after it. */
function admit(
  world: World,
  roster: Roster,
  asked: { readonly start: Start; readonly definition: Prepared | Refused; readonly cancels: readonly InboxRequest[] },
): void {
  const { start, definition, cancels } = asked;
  const { tenant, run, body } = start;
  const { workflow, version, trigger, payload, labels } = body;
  const admission = { workflow, version, trigger, payload, labels, seed: world.seed() };
  const refused = "refused" in definition ? definition.refused : null;
  const command: Asked["command"] =
    refused === null
      ? { kind: "admit_run", ...admission }
      : {
          kind: "refuse_run",
          ...admission,
          failure: { code: "WOML_DEFINITION_HASH_MISMATCH", kind: "definition_refused", message: refused },
        };
  const prepared = "refused" in definition ? null : definition;
  roster.admit({ tenant, run, epoch: 1, prepared, admission: { workflow, version, labels }, held: null }, [
    { command, request: start.id },
    ...cancels.map(cancelOf),
  ]);
}

/** A cancel goes to its run, wherever that is. */
function pass(world: World, roster: Roster, cancel: InboxRequest, settled: Inbox["settled"]): void {
  const { tenant, id, status } = cancel;
  const done = (): void => settled([id]);
  if (status === null && !roster.drives(cancel)) done();
  else if (status !== null && ENDED.has(status)) world.store.answer([{ tenant, id, answer: "RUN_ALREADY_TERMINAL" }]).then(done, done);
  else roster.wake(cancel, [cancelOf(cancel)]);
}

function cancelOf({ id }: InboxRequest): Asked {
  return { command: { kind: "cancel_run", request: id }, request: id };
}

function isStart(request: InboxRequest): request is Start {
  return request.body.kind === "start";
}
