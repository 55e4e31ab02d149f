import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { unavailable } from "./error.ts";
import { isGone } from "./fault.ts";

const CONNECT_MS = 5_000;
const PAUSE_MS = 500;

/** Resolves once the database answers; what waiting does not mend, and a database that stays away, is WOML_DATABASE_UNAVAILABLE. */
export async function reach(url: string, patienceMs: number): Promise<void> {
  const until = performance.now() + patienceMs;
  for (;;) {
    try {
      return await once(url, async () => undefined);
    } catch (error) {
      if (!isGone(error) || performance.now() + PAUSE_MS >= until) throw unavailable(error);
    }
    await sleep(PAUSE_MS);
  }
}

/** One session for one piece of work. */
export async function once<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS, application_name: "woml-migrate" });
  // Said to whoever asks next.
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    client.end().catch(() => {});
  }
}
