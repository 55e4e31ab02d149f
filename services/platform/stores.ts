import { randomBytes } from "node:crypto";
import type { Log } from "@woml/boot";
import { type ControlStore, type EngineStore, openControlStore, openEngineStore, prepareRoles } from "@woml/prisma";
import { migrate } from "@woml/prisma/migrate";

export interface Stores {
  readonly control: ControlStore;
  readonly engine: EngineStore;
}

/**
 * Migrates with the owner's session, gives the services' roles new passwords that nobody keeps, and opens each store as its own role. The
 * owner's sessions are closed before this answers: no service holds one.
 */
export async function openStores(ownerUrl: string, log: Log): Promise<Stores> {
  const applied = await migrate(ownerUrl);
  if (applied.length > 0) log.info({ applied }, "migrated");
  const urls = await prepareRoles(ownerUrl, { control: password(), engine: password() });
  const control = await openControlStore(urls.control);
  try {
    return { control, engine: await openEngineStore(urls.engine, log) };
  } catch (error) {
    await control.close();
    throw error;
  }
}

const password = (): string => randomBytes(32).toString("base64url");
