import { existsSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Folder } from "./folder.ts";
import { readPrivate, writePrivate } from "./folder.ts";
import { Refusal } from "./refusal.ts";

/** A connection that nobody holds is collected, and its lock ends with it. */
const held = new Set<DatabaseSync>();

/** Longer than anybody looks whether it is held. */
const PATIENCE_MS = 500;

/**
 * One platform a folder. The lock is the operating system's, taken through SQLite's exclusive transaction: it ends with the process however
 * that ends, so no stale lock has to be told from a live one.
 */
export function takeLock(folder: Folder): () => void {
  const lock = open(folder);
  const holder = `${folder.lock}.pid`;
  try {
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    throw refused(error, folder, readPrivate(holder));
  }
  held.add(lock);
  writePrivate(holder, process.pid);
  return () => {
    held.delete(lock);
    rmSync(holder, { force: true });
    lock.close();
  };
}

/** Closed to others: whoever may read the file may hold its lock too. */
function open(folder: Folder): DatabaseSync {
  try {
    writeFileSync(folder.lock, "", { flag: "a", mode: 0o600 });
    return new DatabaseSync(folder.lock, { timeout: PATIENCE_MS });
  } catch (error) {
    throw refused(error, folder, undefined);
  }
}

/** Whether a platform runs on the folder now; it need not be ready. */
export function isLocked(folder: Folder): boolean {
  if (!existsSync(folder.lock)) return false;
  const lock = new DatabaseSync(folder.lock, { readOnly: true, timeout: 0 });
  try {
    lock.prepare("SELECT count(*) FROM sqlite_schema").get();
    return false;
  } catch {
    return true;
  } finally {
    lock.close();
  }
}

function refused(error: unknown, folder: Folder, pid: unknown): Refusal {
  const why = error instanceof Error ? error.message : String(error);
  if (!why.includes("locked")) return new Refusal("WOML_DATA_FOLDER_UNUSABLE", `${folder.lock} cannot be locked (${why}).`);
  const who = typeof pid === "number" ? ` (pid ${pid})` : "";
  return new Refusal(
    "WOML_DATA_FOLDER_IN_USE",
    `A platform${who} already runs on ${folder.path}; stop it, or give another folder with --data.`,
  );
}
