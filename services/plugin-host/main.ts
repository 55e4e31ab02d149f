// The supervisor as a process: `main.ts SOCKET [OPTIONS]`. It ends with SIGTERM, SIGINT or its parent (stdin closes).
import { openLog } from "@woml/boot";
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
const supervisor = await openSupervisor({ socket, options, log });
serveParent(() => supervisor.stop());
