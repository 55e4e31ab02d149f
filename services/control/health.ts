import { setTimeout as sleep } from "node:timers/promises";
import type { Doorbell } from "@woml/boot";
import type { ControlStore } from "@woml/prisma";
import type { FastifyInstance } from "fastify";

const PATIENCE_MS = 2_000;

export interface Watched {
  readonly store: Pick<ControlStore, "pendingMigrations">;
  readonly doorbell: Doorbell;
  readonly isStopping: () => boolean;
}

/**
 * Says why control cannot serve, in one sentence; null when it can. A doorbell that was never heard of keeps it from beginning; one that falls
 * silent later does not end it, for lost rings cost latency only, and without control nobody could ask for anything.
 */
export function openFault({ store, doorbell, isStopping }: Watched): () => Promise<string | null> {
  let hasRung = false;
  let asked: Promise<string | null> | null = null;
  return async () => {
    if (isStopping()) return "it is stopping";
    // However many look at once, the database is asked once.
    asked ??= databaseFault(store).finally(() => {
      asked = null;
    });
    const [database, silence] = [await asked, doorbell.fault()];
    hasRung ||= silence === null;
    return database ?? (hasRung || silence === null ? null : `the doorbell: ${silence}`);
  };
}

/** `/health/live`: the process answers. `/health/ready`: it can serve; if not, 503 and the reason. Both need no key and say no more. */
export function addHealth(app: FastifyInstance, fault: () => Promise<string | null>): void {
  app.get("/health/live", () => ({ live: true }));
  app.get("/health/ready", async (_, reply) => {
    const reason = await fault();
    return reply.code(reason === null ? 200 : 503).send(reason === null ? { ready: true } : { ready: false, reason });
  });
}

async function databaseFault(store: Watched["store"]): Promise<string | null> {
  const late = new AbortController();
  const asked = store.pendingMigrations().then(
    (pending) => (pending.length === 0 ? null : `the database lacks the migrations ${pending.join(", ")}: run \`woml migrate\``),
    () => "the database refuses",
  );
  try {
    return await Promise.race([asked, sleep(PATIENCE_MS, "the database does not answer", { signal: late.signal, ref: false })]);
  } finally {
    late.abort();
  }
}
