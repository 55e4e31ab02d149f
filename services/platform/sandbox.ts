import type { Log } from "@woml/boot";
import { openDoor, type Sandbox, startSupervisor } from "@woml/sandbox";
import type { Folder } from "./folder.ts";
import { type KeptDoor, openSupervised } from "./supervised.ts";

/** The process that runs scripts. `started` is told each supervisor's pid. Rejects with a Refusal. */
export function openSandbox(folder: Folder, log: Log, started: (pid: number) => void): Promise<KeptDoor<Sandbox>> {
  return openSupervised(folder, log, {
    house: "sandbox",
    unavailable: "WOML_SANDBOX_UNAVAILABLE",
    start: (socket) => startSupervisor({ socket }),
    connect: openDoor,
    started,
  });
}
