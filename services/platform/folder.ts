import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
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
  /** Doors of the supervisors, where their paths are short enough for a socket. */
  readonly sockets: { readonly sandbox: string; readonly plugins: string };
  /** The pair of keys under which secrets are sealed. */
  readonly seal: string;
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
    sockets: { sandbox: at("sandbox.sock"), plugins: at("plugins.sock") },
    seal: at("seal.json"),
  };
}

const OURS = /^(postgres|lock|keys|connection|processes|sandbox|plugins|seal|example|install)\b/;

/** Makes it where it is missing. Mode 0700, unless other things lie in it: then it is not ours to close, and no other user may write there. */
export function openFolder(path: string): Folder {
  try {
    make(path);
    const real = realpathSync(path);
    close(real);
    return folderAt(real);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw unusable(path, error instanceof Error ? error.message : String(error));
  }
}

/** Node's own recursive mkdir does not end where a name cannot be made although its parent is there, as under /proc. */
function make(path: string): void {
  if (/\p{Cc}/u.test(path)) throw unusable(JSON.stringify(path), "its name holds a control character");
  if (existsSync(path)) return;
  make(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another start may have made it meanwhile; else what follows says what is wrong with it.
    if (!existsSync(path)) throw error;
  }
}

function close(path: string): void {
  const { mode, uid } = statSync(path);
  const self = process.getuid?.() ?? uid;
  if (self !== uid && self !== 0) throw unusable(path, "it belongs to another user");
  if (readdirSync(path).every((name) => OURS.test(name))) chmodSync(path, 0o700);
  else if ((mode & 0o002) !== 0) throw unusable(path, "other things lie in it, and every user may write there");
}

function unusable(path: string, why: string): Refusal {
  return new Refusal("WOML_DATA_FOLDER_UNUSABLE", `${path} cannot be used as a data folder (${why}).`);
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
