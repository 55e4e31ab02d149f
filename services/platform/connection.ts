import { rmSync } from "node:fs";
import { type Folder, folderAt, readPrivate, writePrivate } from "./folder.ts";
import { isLocked } from "./lock.ts";

export type Pids = Readonly<Partial<Record<"platform" | "postgres" | "sandbox" | "plugins", number>>>;
/** The content of connection.json. `url` is the database owner's. */
interface Connection {
  readonly url: string;
  readonly graphql: string;
  readonly pids: Pids;
}

/** Where a running platform can be found: connection.json, there from the moment it is ready, kept true when a part is started again. */
export interface Card {
  pids(): Pids;
  set(part: keyof Pids, pid: number): void;
  show(place: Omit<Connection, "pids">): void;
  remove(): void;
}

export function openCard(folder: Folder): Card {
  let pids: Pids = { platform: process.pid };
  let place: Omit<Connection, "pids"> | null = null;
  const write = (): void => {
    if (place) writePrivate(folder.connection, { ...place, pids } satisfies Connection);
  };
  return {
    pids: () => pids,
    set: (part, pid) => {
      pids = { ...pids, [part]: pid };
      write();
    },
    show: (found) => {
      place = found;
      write();
    },
    remove: () => {
      place = null;
      rmSync(folder.connection, { force: true });
    },
  };
}

/** The GraphQL address of the platform that runs over a data folder; null when none does, or it is not ready. */
export function runningAt(data: string): string | null {
  return shownAt(data, "graphql");
}

/** Likewise the URL of its database, as the owner. */
export function databaseAt(data: string): string | null {
  return shownAt(data, "url");
}

function shownAt(data: string, name: "graphql" | "url"): string | null {
  const folder = folderAt(data);
  const found = readPrivate(folder.connection);
  if (typeof found !== "object" || found === null || !isLocked(folder)) return null;
  const value = Object.entries(found).find(([member]) => member === name)?.[1];
  return typeof value === "string" ? value : null;
}
