// The supervisor as a process: `main.ts SOCKET [OPTIONS]`. It ends with SIGTERM, SIGINT or its parent (stdin closes).
import { noTelemetry, openLog, type Telemetry } from "@woml/boot";
import { serveParent } from "@woml/child";
import { hostOptions } from "./options.ts";
import { openSupervisor } from "./supervisor.ts";

process.umask(0o077);
const [socket = process.env["PLUGIN_HOST_SOCKET"], text = "{}"] = process.argv.slice(2);
const options = hostOptions(text);
const log = openLog("plugin-host", options.logLevel);

if (socket === undefined) {
  log.fatal("name the socket to listen on");
  process.exit(2);
}
const telemetry = await openTraces(process.env["OTEL_EXPORTER_OTLP_ENDPOINT"], process.env["OTEL_EXPORTER_OTLP_HEADERS"]);
const supervisor = await openSupervisor({ place: { socket }, options, log, telemetry });
serveParent(async () => {
  await supervisor.stop();
  await telemetry.close();
});

/** Loaded only where somebody listens. */
async function openTraces(endpoint = "", headers = ""): Promise<Telemetry> {
  if (endpoint === "") return noTelemetry;
  const { openTelemetry } = await import("@woml/boot/otel");
  return openTelemetry({ service: "woml-plugin-host", log, otlp: headers === "" ? { endpoint } : { endpoint, headers } });
}
