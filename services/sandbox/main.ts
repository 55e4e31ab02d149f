// The supervisor as a process: `main.ts SOCKET [OPTIONS]`. It ends with SIGTERM, SIGINT or its parent (stdin closes).
import { openLog } from "@woml/boot";
import { serveParent } from "@woml/child";
import { poolOptions } from "./options.ts";
import { openSupervisor } from "./supervisor.ts";

process.umask(0o077);
const [socket = process.env["SANDBOX_SOCKET"], options = "{}"] = process.argv.slice(2);
const log = openLog("sandbox", "warn");

if (socket === undefined) {
  log.fatal("name the socket to listen on");
  process.exit(2);
}
const supervisor = await openSupervisor({ place: { socket }, pool: poolOptions(options), log, hopeless: () => end(1) });
const end: (code: number) => void = serveParent(() => supervisor.stop());
