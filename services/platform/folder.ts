import { chmodSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "./refusal.ts";

/** The data folder of one platform: closed to others, and where each thing lies in it. */
export interface Folder {
  readonly path: string;
  /** PostgreSQL's data; its log and its owner's password lie beside it. */
  readonly postgres: string;
  readonly lock: string;
  /** Tenant, key and admin key, remembered between starts. */
  readonly keys: string;
  /** Where the running platform is found. */
  readonly connection: string;
  /** Marks of the processes of the running platform, or of the last one. */
  readonly processes: string;
  /** The sandbox's door, where its path is short enough for a socket. */
  readonly socket: string;
}

export function folderAt(path: string): Folder {
  const at = (name: string): string => join(path, name);
  return {
    path,
    postgres: at("postgres"),
    lock: at("lock"),
    keys: at("keys.json"),
    connection: at("connection.json"),
    processes: at("processes.json"),
    socket: at("sandbox.sock"),
  };
}

/** Makes it where it is missing; mode 0700 either way. */
export function openFolder(path: string): Folder {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const real = realpathSync(path);
    chmodSync(real, 0o700);
    return folderAt(real);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Refusal("WOML_DATA_FOLDER_UNUSABLE", `${path} cannot be used as a data folder (${why}).`);
  }
}

/** Mode 0600, and whole or not there: a reader never sees half a file. */
export function writePrivate(path: string, value: unknown): void {
  const fresh = `${path}.new`;
  rmSync(fresh, { force: true });
  writeFileSync(fresh, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(fresh, path);
}

/** undefined when it is missing or is not JSON. */
export function readPrivate(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
