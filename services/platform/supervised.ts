import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Log } from "@woml/boot";
import { takesSocket } from "@woml/sandbox";
import type { Folder } from "./folder.ts";
import { keep, type Part } from "./keep.ts";
import { forget, type House, remember, SOCKET_FOLDER } from "./leftover.ts";
import { Refusal, type RefusalCode } from "./refusal.ts";

interface Supervisor extends Part {
  readonly pid: number;
}
/** A process of its own behind a socket: how it is started, and how its door is opened. */
export interface Supervised<Door> {
  readonly house: House;
  readonly unavailable: RefusalCode;
  readonly start: (socket: string) => Promise<Supervisor>;
  readonly connect: (socket: string) => Promise<Door>;
  /** Told each one's pid. */
  readonly started: (pid: number) => void;
}
export interface KeptDoor<Door> {
  readonly door: Door;
  stop(): Promise<void>;
}

/** A supervisor that is started again when it ends; its door reconnects by itself. Rejects with a Refusal. */
export async function openSupervised<Door extends { close(): Promise<void> }>(
  folder: Folder,
  log: Log,
  { house, unavailable, start, connect, started }: Supervised<Door>,
): Promise<KeptDoor<Door>> {
  const refuse = (error: unknown): never => {
    const why = error instanceof Error ? error.message : String(error);
    throw new Refusal(unavailable, `The ${house} process does not start: ${why}`);
  };
  const socket = socketIn(folder, house, refuse);
  const known = ({ pid }: Supervisor): void => {
    remember(folder, house, { pid, socket });
    started(pid);
  };
  const supervisor = await keep({ name: house, start: () => start(socket), log, started: known }).catch((error: unknown) => {
    forget(folder, house, socket);
    return refuse(error);
  });
  const leave = async (): Promise<void> => {
    await supervisor.stop();
    forget(folder, house, socket);
  };
  try {
    const door = await connect(socket);
    return { door, stop: () => door.close().then(leave) };
  } catch (error) {
    await leave();
    return refuse(error);
  }
}

function socketIn(folder: Folder, house: House, refuse: (error: unknown) => never): string {
  if (takesSocket(folder.sockets[house])) return folder.sockets[house];
  try {
    return join(mkdtempSync(join(tmpdir(), SOCKET_FOLDER)), "door");
  } catch (error) {
    return refuse(error);
  }
}
