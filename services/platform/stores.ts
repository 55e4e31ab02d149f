import { randomBytes } from "node:crypto";
import type { Log, Telemetry } from "@woml/boot";
import { appendFigures } from "@woml/engine";
import { type ControlStore, type EngineStore, openControlStore, openEngineStore, openTriggerStore, prepareRoles } from "@woml/prisma";
import { migrate } from "@woml/prisma/migrate";
import { Refusal } from "./refusal.ts";

export interface Stores {
  readonly control: ControlStore;
  readonly engine: EngineStore;
  readonly triggers: Awaited<ReturnType<typeof openTriggerStore>>;
}

/**
 * Migrates with the owner's session, gives the services' roles new passwords that nobody keeps, and opens each store as its own role. The
 * owner's sessions are closed before this answers: no service holds one. Rejects with a coded error.
 */
export async function openStores(ownerUrl: string, log: Log, telemetry: Telemetry): Promise<Stores> {
  try {
    const applied = await migrate(ownerUrl);
    if (applied.length > 0) log.info({ applied }, "migrated");
    return await openAsServices(await prepareRoles(ownerUrl, { control: password(), engine: password() }), log, telemetry);
  } catch (error) {
    if (error instanceof Error && "code" in error && String(error.code).startsWith("WOML_")) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new Refusal("WOML_DATABASE_UNAVAILABLE", `The database cannot be used: ${why}`);
  }
}

type Urls = { readonly control: string; readonly engine: string };

async function openAsServices(urls: Urls, log: Log, telemetry: Telemetry): Promise<Stores> {
  const opened: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(store: T): T => {
    opened.push(store);
    return store;
  };
  try {
    const control = keep(await openControlStore(urls.control));
    const triggers = keep(await openTriggerStore(urls.engine));
    return { control, triggers, engine: await openEngineStore(urls.engine, log, { appended: appendFigures(telemetry) }) };
  } catch (error) {
    await Promise.all(opened.map((store) => store.close()));
    throw error;
  }
}

const password = (): string => randomBytes(32).toString("base64url");
