// The supervisor as a process: `main.ts SOCKET [OPTIONS]`. It ends with SIGTERM, SIGINT or its parent (stdin closes).
import { openLog } from "@woml/boot";
import { poolOptions } from "./options.ts";
import { openSupervisor } from "./supervisor.ts";

const LAST_MS = 2_000;

process.umask(0o077);
const [socket = process.env["SANDBOX_SOCKET"], options = "{}"] = process.argv.slice(2);
const log = openLog("sandbox", "warn");

if (socket === undefined) {
  log.fatal("name the socket to listen on");
  process.exit(2);
}
const supervisor = await openSupervisor({ socket, pool: poolOptions(options), log, hopeless: () => end(1) });
process.once("SIGTERM", () => end(0));
process.once("SIGINT", () => end(0));
process.stdin
  .once("end", () => end(0))
  .once("error", () => end(0))
  .resume();
process.stdout.on("error", () => undefined).write(`${JSON.stringify({ ready: true, socket })}\n`);

/** After its workers, so that none is left to whoever takes orphans in; a killed process that the machine does not let go is not waited for. */
function end(code: number): void {
  setTimeout(() => process.exit(code), LAST_MS).unref();
  void supervisor.stop().then(() => process.exit(code));
}
