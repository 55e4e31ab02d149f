import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Log } from "@woml/boot";
import { openDoor, type Sandbox, startSupervisor } from "@woml/sandbox";
import type { Folder } from "./folder.ts";
import { keep } from "./keep.ts";
import { forgetSandbox, rememberSandbox, SOCKET_FOLDER } from "./leftover.ts";

/** Shorter than what the path of a Unix socket may have on Linux (107 bytes) and macOS (103). */
const SOCKET_PATH_BYTES = 100;

export interface KeptSandbox {
  readonly door: Sandbox;
  stop(): Promise<void>;
}

/** A supervisor that is started again when it ends; the door reconnects by itself. `started` is told each one's pid. */
export async function openSandbox(folder: Folder, log: Log, started: (pid: number) => void): Promise<KeptSandbox> {
  const socket = socketIn(folder);
  const supervisor = await keep({
    name: "sandbox",
    start: () => startSupervisor({ socket }),
    log,
    started: ({ pid }) => {
      rememberSandbox(folder, pid, socket);
      started(pid);
    },
  });
  const door = await openDoor(socket);
  return {
    door,
    stop: async () => {
      await door.close();
      await supervisor.stop();
      forgetSandbox(folder, socket);
    },
  };
}

function socketIn(folder: Folder): string {
  if (Buffer.byteLength(folder.socket) <= SOCKET_PATH_BYTES) return folder.socket;
  return join(mkdtempSync(join(tmpdir(), SOCKET_FOLDER)), "door");
}
