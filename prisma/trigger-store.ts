import { Pool } from "pg";
import { signals } from "./announce.ts";
import { doorWants } from "./door-want.ts";
import type { Ask } from "./load.ts";
import { assertService } from "./role.ts";
import { engineSession, placed, type SessionOptions } from "./session.ts";
import { slots } from "./slot.ts";
import type { TriggerStore } from "./trigger.ts";

/** Beside the engine's own sessions, so that nothing of a run stands behind what is due. */
const CONNECTIONS = 2;

/** What an engine does for triggers, on PostgreSQL. Rejects with WOML_DATABASE_ROLE_TOO_POWERFUL for a role that row-level security does not bind. */
export async function openTriggerStore(url: string, options: SessionOptions = {}): Promise<TriggerStore> {
  const pool = new Pool({ ...engineSession(placed(url, "engine", options)), max: CONNECTIONS });
  pool.on("error", () => {});
  try {
    await assertService(async (sql) => (await pool.query(sql)).rows, url, "engine");
  } catch (error) {
    await pool.end();
    throw error;
  }
  const ask: Ask = (statement) => pool.query(statement);
  return { ...doorWants(ask), ...signals(ask), ...slots(ask), close: () => pool.end() };
}
