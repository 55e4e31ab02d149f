import { setTimeout as sleep } from "node:timers/promises";
import { Client, DatabaseError } from "pg";
import { StoreError } from "./error.ts";
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

/** As it is when it has a code of ours; else in words that quote no address with a password in it. */
export function unavailable(error: unknown): StoreError {
  return error instanceof StoreError
    ? error
    : new StoreError("WOML_DATABASE_UNAVAILABLE", `The database cannot be used: ${wordsOf(error)}.`, error);
}

function wordsOf(error: unknown): string {
  if (error instanceof DatabaseError) return `${error.code}: ${error.message}`;
  if (!(error instanceof Error)) return "it says nothing";
  const code = "code" in error ? String(error.code) : "";
  const said = error.message.replaceAll(/\b[a-z+]+:\/\/\S+/gi, "…");
  return said === "" || said.includes(code) ? said || code : `${code}: ${said}`;
}
