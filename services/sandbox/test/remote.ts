// A sandbox on the network as a process: `remote.ts OPTIONS`. Prints where it listens, drains with SIGTERM, ends when stdin closes.
import { openLog } from "@woml/boot";
import { poolOptions } from "../options.ts";
import { openSupervisor } from "../supervisor.ts";

const { host, port, secrets, folder, graceMs, pool } = JSON.parse(process.argv[2] ?? "");
const supervisor = await openSupervisor({
  ...{ place: { host, port, secrets }, folder, pool: poolOptions(JSON.stringify(pool)) },
  log: openLog("sandbox", "silent"),
  hopeless: () => process.exit(1),
});
process.once("SIGTERM", () => void supervisor.drain(graceMs).then(() => process.exit(0)));
process.stdin.once("end", () => void supervisor.stop().then(() => process.exit(0))).resume();
process.stdout.write(`${supervisor.at}\n`);
