import type { Settings } from "@woml/boot";
import { hostOptions } from "@woml/plugin-host/options";
import { openSupervisor } from "@woml/plugin-host/supervisor";
import type { Around, RolePart } from "./part.ts";
import { assertWritable } from "./state.ts";

/** Runs plugins for whoever holds the secret of its lines, which no sandbox does; its broker is their only way out. */
export async function startPart(settings: Settings<"plugin-host">, { log, telemetry }: Around): Promise<RolePart> {
  assertWritable("plugin-host", settings.WOML_STATE_DIR);
  const supervisor = await openSupervisor({
    place: { ...settings.WOML_LISTEN, secrets: settings.WOML_PLUGIN_HOST_LINE_SECRET },
    folder: settings.WOML_STATE_DIR,
    options: hostOptions(
      JSON.stringify({
        processes: settings.WOML_PLUGIN_PROCESSES,
        privateHosts: settings.WOML_PRIVATE_HOSTS ?? [],
        ownHosts: settings.WOML_OWN_HOSTS ?? [],
        logLevel: log.isLevelEnabled("debug") ? "debug" : "warn",
      }),
    ),
    log,
    telemetry,
  });
  telemetry.gauge("woml_plugin_operations", () => supervisor.running());
  return { listen: supervisor.address, fault: () => null, stop: supervisor.drain };
}
