import { setTimeout as sleep } from "node:timers/promises";
import type { ControlStore } from "@woml/prisma";
import type { FastifyInstance } from "fastify";

const PATIENCE_MS = 2_000;
/** No key has this id; looking for it asks the database one cheap question. */
const NOBODY = "--------";

/** `/health/live`: the process answers. `/health/ready`: it can serve; if not, 503 and the reason. Both need no key and say no more. */
export function addHealth(app: FastifyInstance, store: ControlStore, isStopping: () => boolean): void {
  app.get("/health/live", () => ({ live: true }));
  app.get("/health/ready", async (_, reply) => {
    const reason = isStopping() ? "it is stopping" : await databaseFault(store);
    return reply.code(reason === null ? 200 : 503).send(reason === null ? { ready: true } : { ready: false, reason });
  });
}

async function databaseFault(store: ControlStore): Promise<string | null> {
  const late = new AbortController();
  const asked = store.key(NOBODY).then(
    () => null,
    () => "the database refuses",
  );
  try {
    return await Promise.race([asked, sleep(PATIENCE_MS, "the database does not answer", { signal: late.signal, ref: false })]);
  } finally {
    late.abort();
  }
}
