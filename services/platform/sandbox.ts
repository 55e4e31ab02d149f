import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Log } from "@woml/boot";
import { openDoor, type Sandbox, type SupervisorProcess, startSupervisor, takesSocket } from "@woml/sandbox";
import type { Folder } from "./folder.ts";
import { keep } from "./keep.ts";
import { forgetSandbox, rememberSandbox, SOCKET_FOLDER } from "./leftover.ts";
import { Refusal } from "./refusal.ts";

export interface KeptSandbox {
  readonly door: Sandbox;
  stop(): Promise<void>;
}

/** A supervisor that is started again when it ends; the door reconnects by itself. `started` is told each one's pid. Rejects with a Refusal. */
export async function openSandbox(folder: Folder, log: Log, started: (pid: number) => void): Promise<KeptSandbox> {
  const socket = socketIn(folder);
  const remember = ({ pid }: SupervisorProcess): void => {
    rememberSandbox(folder, pid, socket);
    started(pid);
  };
  const start = (): Promise<SupervisorProcess> => startSupervisor({ socket });
  const supervisor = await keep({ name: "sandbox", start, log, started: remember }).catch((error: unknown) => {
    forgetSandbox(folder, socket);
    return refuse(error);
  });
  const leave = async (): Promise<void> => {
    await supervisor.stop();
    forgetSandbox(folder, socket);
  };
  try {
    const door = await openDoor(socket);
    return { door, stop: () => door.close().then(leave) };
  } catch (error) {
    await leave();
    return refuse(error);
  }
}

function refuse(error: unknown): never {
  const why = error instanceof Error ? error.message : String(error);
  throw new Refusal("WOML_SANDBOX_UNAVAILABLE", `The sandbox does not start: ${why}`);
}

function socketIn(folder: Folder): string {
  if (takesSocket(folder.socket)) return folder.socket;
  try {
    return join(mkdtempSync(join(tmpdir(), SOCKET_FOLDER)), "door");
  } catch (error) {
    return refuse(error);
  }
}
