// Control as a process of its own, for a test that ends one: the database's URL in WOML_DATABASE_URL; says where it listens on stdout.
import { interruption, makeSealKeys, memoryDoorbell, noTelemetry, openLog } from "@woml/boot";
import { openControlStore } from "@woml/prisma";
import { startControl } from "../index.ts";

const signal = interruption();
const store = await openControlStore(process.env["WOML_DATABASE_URL"] ?? "");
const around = { doorbell: memoryDoorbell(), log: openLog("control-test", "error"), telemetry: noTelemetry };
const control = await startControl({ store, ...around, sealKey: makeSealKeys().publicKey, host: "127.0.0.1", port: 0 });
process.stdout.write(`${control.url}\n`);
await new Promise((resolve) => signal.addEventListener("abort", resolve));
await control.stop();
await store.close();
process.exit(0);
