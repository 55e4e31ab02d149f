import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Refusal } from "./refusal.ts";
import { owner, spawnUnprivileged } from "./unprivileged.ts";

const INITDB = ["-U", "woml", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--data-checksums"];

/** The owner's password lies beside the data, readable by us only. */
const secretFile = (folder: string): string => `${folder}.password`;

export const readSecret = (folder: string): string => readFileSync(secretFile(folder), "utf8");

/**
 * Makes PostgreSQL's data folder on first use. It is made beside its place and then renamed: an initdb that was cut short is never repaired,
 * it is thrown away.
 */
export async function createCluster(initdb: string, folder: string): Promise<void> {
  if (existsSync(join(folder, "PG_VERSION"))) return;
  const fresh = `${folder}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true, mode: 0o700 });
  if (owner !== null) chownSync(fresh, owner, owner);
  const secret = secretFile(folder);
  rmSync(secret, { force: true });
  writeFileSync(secret, randomBytes(24).toString("hex"), { mode: 0o600 });
  await run(initdb, [...INITDB, "-D", fresh, `--pwfile=${secret}`]);
  renameSync(fresh, folder);
}

async function run(initdb: string, flags: readonly string[]): Promise<void> {
  const child = spawnUnprivileged({ command: initdb, flags, deathSignal: "KILL", options: { stdio: ["ignore", "ignore", "pipe"] } });
  const [said, failure] = await Promise.all([child.stderr ? text(child.stderr) : "", ended(child)]);
  if (failure === null) return;
  const reason = said.trim().split("\n").at(-1) || failure;
  throw new Refusal("WOML_POSTGRES_UNAVAILABLE", `PostgreSQL's data folder could not be made: ${reason}.`);
}

async function ended(child: ChildProcess): Promise<string | null> {
  try {
    const [code, signal] = await once(child, "close");
    return code === 0 ? null : `initdb ended with ${code ?? signal}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
