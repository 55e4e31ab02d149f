// A plugin host on the network, for tests: `far-host.ts PORT FOLDER GRACE_MS OPTIONS`, secrets in WOML_LINE_SECRET. SIGTERM drains it.
import { openLog } from "@woml/boot";
import { hostOptions } from "../options.ts";
import { openSupervisor } from "../supervisor.ts";

const [port, folder = "", graceMs, options = "{}"] = process.argv.slice(2);
const secrets = (process.env["WOML_LINE_SECRET"] ?? "").split(",");
const supervisor = await openSupervisor({
  place: { host: "127.0.0.1", port: Number(port), secrets },
  folder,
  options: hostOptions(options),
  log: openLog("plugin-host", "error"),
});
process.stdout.write(`${JSON.stringify({ host: supervisor.host, address: supervisor.address })}\n`);
process.once("SIGTERM", () => void supervisor.drain(Number(graceMs)).then(() => process.exit(0)));
// Whoever started it has gone.
process.stdin.once("end", () => process.exit(0)).resume();
