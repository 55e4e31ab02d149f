import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { PoolOptions } from "../options.ts";
import { openSandboxes, type Sandboxes, type SandboxesOptions } from "../sandboxes.ts";
import { asked } from "./place.ts";

export const SECRET = "s".repeat(32);
type Ending = Pick<TestContext, "after">;
export interface Remote {
  readonly pid: number;
  readonly port: number;
  /** Where its preload stands: what names its workers' processes. */
  readonly folder: string;
  readonly exited: Promise<string>;
  signal(signal: NodeJS.Signals): void;
}
interface RemoteOptions {
  readonly host?: string;
  readonly port?: number;
  readonly secrets?: readonly string[];
  readonly graceMs?: number;
  readonly pool?: Partial<PoolOptions>;
}

/** A sandbox that listens on TCP, in a process of its own; gone, with its folder, when the test ends. */
export async function startRemote(t: Ending, options: RemoteOptions = {}): Promise<Remote> {
  const { host = "127.0.0.1", port = 0, secrets = [SECRET], graceMs = 20_000, pool = {} } = options;
  const folder = mkdtempSync(join(tmpdir(), "woml-remote-"));
  const argv = ["--disable-warning=ExperimentalWarning", join(import.meta.dirname, "remote.ts")];
  const child: ChildProcess = spawn(process.execPath, [...argv, JSON.stringify({ host, port, secrets, graceMs, folder, pool })], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = new Promise<string>((resolve) => child.once("exit", (code, signal) => resolve(signal ?? `exit ${code}`)));
  t.after(async () => {
    child.kill("SIGCONT");
    child.stdin?.end();
    await exited;
    rmSync(folder, { recursive: true, force: true });
  });
  const at = await new Promise<string>((resolve, reject) => {
    if (child.stdout !== null) createInterface({ input: child.stdout }).once("line", resolve);
    void exited.then((how) => reject(new Error(`The sandbox did not start (${how}).`)));
  });
  return {
    ...{ pid: child.pid ?? 0, port: Number(at.split(":").at(-1)), folder, exited },
    signal: (signal) => void child.kill(signal),
  };
}

export function spread(t: Ending, ports: readonly number[], more: Partial<SandboxesOptions> = {}): Sandboxes {
  const addresses = ports.map((port) => ({ host: "127.0.0.1", port }));
  const sandboxes = openSandboxes({ addresses, secrets: [SECRET], ...more });
  t.after(() => sandboxes.close());
  return sandboxes;
}
/** Two sandboxes and an engine's way to both, when both are there. */
export async function openTwo(
  t: Ending,
  options: RemoteOptions = {},
): Promise<{ readonly remotes: readonly Remote[]; readonly door: Sandboxes }> {
  const remotes = await Promise.all([startRemote(t, options), startRemote(t, options)]);
  const door = spread(
    t,
    remotes.map(({ port }) => port),
  );
  for (const remote of remotes) await tenantOf(door, remote);
  return { remotes, door };
}

/** A tenant whose scripts go to that sandbox while none is busy. */
export async function tenantOf(door: Sandboxes, remote: Remote): Promise<string> {
  for (let n = 0; n < 200; n++) {
    const tenant = `tenant ${n}`;
    const { workerPid, retryAfterMs } = await door.invoke(asked("return 1", { tenant }));
    if (workerPid !== undefined && ranOn(remote, workerPid)) return tenant;
    if (retryAfterMs !== undefined) await sleep(50);
  }
  throw new Error(`No tenant's scripts go to that sandbox: ${door.fault()}`);
}
export const ranOn = (remote: Remote, workerPid = 0): boolean => parentOf(workerPid) === remote.pid;
function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
