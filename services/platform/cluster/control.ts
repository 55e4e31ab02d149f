import { ConfigRefusal, type Settings } from "@woml/boot";
import { ensureAdminKey, isKey, startControl } from "@woml/control";
import { type ControlStore, openControlStore } from "@woml/prisma";
import { ensureOwnReleases } from "../plugins.ts";
import { openBell } from "./bell.ts";
import type { Around, RolePart } from "./part.ts";
import { untilDone, untilMigrated } from "./wait.ts";

/** GraphQL over the database of `woml_control`. Listens once the database has this build's migrations. */
export async function startPart(settings: Settings<"control">, around: Around): Promise<RolePart> {
  const { WOML_BOOTSTRAP_ADMIN_KEY: first } = settings;
  if (first !== undefined && !isKey(first))
    throw new ConfigRefusal("control", ["WOML_BOOTSTRAP_ADMIN_KEY is no key: `woml admin key` makes one"]);
  const options = { setRole: settings.WOML_DATABASE_SET_ROLE };
  const store = await untilDone("database", () => openControlStore(settings.WOML_DATABASE_URL, options), around);
  try {
    return await serve(store, settings, around);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function serve(store: ControlStore, settings: Settings<"control">, around: Around): Promise<RolePart> {
  const { log, telemetry } = around;
  await untilMigrated(store, around);
  await untilDone("the platform's own plugins", () => ensureOwnReleases(store, log), around);
  const first = settings.WOML_BOOTSTRAP_ADMIN_KEY;
  if (first !== undefined) {
    const taken = await untilDone("the administrator's key", () => ensureAdminKey(store, first), around);
    if (taken === "revoked") log.warn("WOML_BOOTSTRAP_ADMIN_KEY was revoked and opens nothing: it can be left out");
  }
  const doorbell = await openBell(settings, around);
  const { host, port } = settings.WOML_LISTEN;
  const { WOML_SEAL_PUBLIC_KEY: sealKey, WOML_PUBLIC_URL: publicUrl } = settings;
  const control = await startControl({ store, doorbell, log, telemetry, sealKey, publicUrl, host, port }).catch(async (error: unknown) => {
    await doorbell.close();
    throw error;
  });
  return {
    listen: control.url,
    fault: control.fault,
    stop: async (graceMs) => {
      await control.stop(graceMs);
      await doorbell.close();
      await store.close();
    },
  };
}
