import type { Settings } from "@woml/boot";
import { poolOptions } from "@woml/sandbox/options";
import { openSupervisor } from "@woml/sandbox/supervisor";
import type { Around, RolePart } from "./part.ts";
import { assertWritable } from "./state.ts";

/** Runs scripts for whoever holds the secret of its lines. Nothing here knows a database, a key or a way out. */
export async function startPart(settings: Settings<"sandbox">, { log, telemetry }: Around): Promise<RolePart> {
  assertWritable("sandbox", settings.WOML_STATE_DIR);
  const { WOML_SANDBOX_WORKERS: workers, WOML_SANDBOX_WORKERS_PER_TENANT: workersPerTenant } = settings;
  const { promise: ended, resolve: hopeless } = Promise.withResolvers<string>();
  const given = { ...(workers === undefined ? {} : { workers }), ...(workersPerTenant === undefined ? {} : { workersPerTenant }) };
  const supervisor = await openSupervisor({
    place: { ...settings.WOML_LISTEN, secrets: settings.WOML_SANDBOX_LINE_SECRET },
    folder: settings.WOML_STATE_DIR,
    pool: poolOptions(JSON.stringify(given)),
    log,
    hopeless,
  });
  telemetry.gauge("woml_sandbox_workers", () => supervisor.workers().length);
  telemetry.gauge("woml_sandbox_queue", () => supervisor.queued());
  return { listen: supervisor.at, fault: supervisor.fault, stop: supervisor.drain, ended };
}
