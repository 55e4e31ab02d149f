import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { openLog } from "@woml/boot";
import { canonical } from "@woml/model";
import { openPluginHosts, type PluginHosts, type Release } from "@woml/plugin-host";

const SECRET = "a-secret-of-the-lines-of-these-tests-0002";
const HOST = `
import { openLog } from "@woml/boot";
import { hostOptions } from "@woml/plugin-host/options";
import { openSupervisor } from "@woml/plugin-host/supervisor";
const place = { host: "127.0.0.1", port: 0, secrets: [process.env.SECRET] };
const supervisor = await openSupervisor({ place, folder: process.env.FOLDER, options: hostOptions("{}"), log: openLog("test", "error") });
console.log(JSON.stringify({ host: supervisor.host, address: supervisor.address }));
process.stdin.once("end", () => process.exit(0)).resume();`;

const sha256 = (content: string): string => `sha256:${createHash("sha256").update(content).digest("hex")}`;
const described = { input: {}, output: {}, timeoutMs: 10_000, maxInputBytes: 1_000, maxOutputBytes: 1_000 };
const acting = { ...described, effect: "reattachable", status: { pendingMaxMs: 60_000 } };
const itself = { id: "test.contract", version: "1.0.0", publisher: "tests", permissions: {} };
const operations = { act: acting, look: { ...described, effect: "pure" } };
const artefact = `import { definePlugin } from "@woml/capability";
let count = 0;
const done = {};
const wait = (ms = 0) => new Promise((resolve) => setTimeout(resolve, ms));
const perform = async ({ ms, key }, call) => {
  if (key !== undefined) return { count: done[key] ?? 0 };
  done[call.key] = (done[call.key] ?? 0) + 1;
  await wait(ms);
  count += 1;
  return { count };
};
export default definePlugin({ ...${JSON.stringify(itself)}, operations: {
  act: { ...${JSON.stringify(acting)}, perform, reattach: async () => ({ status: "succeeded", result: "found" }) },
  look: { ...${JSON.stringify({ ...described, effect: "pure" })}, perform },
} });`;
const manifest = canonical({ manifestVersion: 1, contract: 1, ...itself, operations });

/** `act` counts its calls and answers `{ count }` after `input.ms`; `look` answers how often it was performed under `input.key`. */
export const RELEASE: Release = {
  digest: sha256(canonical({ artefact: sha256(artefact), manifest: sha256(manifest) })),
  manifest,
  artefact: Buffer.from(artefact),
};

/** A plugin host on the network, behind a wire that can be cut. */
export interface RealHost {
  readonly id: string;
  cut(): void;
  back(): void;
  /** kill -9. */
  end(): Promise<void>;
}

/** Hosts that are processes of their own, and a door to them. */
export async function openRealHosts(count: number): Promise<{
  readonly door: PluginHosts;
  readonly hosts: readonly RealHost[];
  /** Until the door has met so many, or as few. */
  readonly met: (many: number) => Promise<void>;
  readonly close: () => Promise<void>;
}> {
  const folder = mkdtempSync(join(tmpdir(), "woml-hosts-"));
  const all = await Promise.all(Array.from({ length: count }, () => startHost(folder)));
  const door = openPluginHosts({
    addresses: all.map(({ port }) => ({ host: "127.0.0.1", port })),
    ...{ secrets: [SECRET], log: openLog("test", "silent") },
    release: async (digest) => (digest === RELEASE.digest ? RELEASE : null),
  });
  const met = async (many: number): Promise<void> => {
    for (const until = performance.now() + 20_000; performance.now() < until; await sleep(20)) {
      const seen = new Set(Array.from({ length: 200 }, (_, n) => door.choose(`tenant ${n}`, "")));
      seen.delete(null);
      if (seen.size === many) return;
    }
    throw new Error(`The door does not know of ${many} hosts.`);
  };
  await met(count);
  const close = async (): Promise<void> => {
    await door.close();
    await Promise.all(all.map((host) => host.end()));
    rmSync(folder, { recursive: true, force: true });
  };
  return { door, hosts: all, met, close };
}

async function startHost(folder: string): Promise<RealHost & { readonly port: number }> {
  const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", HOST];
  const env = { SECRET, FOLDER: folder };
  const child = spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: ["pipe", "pipe", "inherit"], env });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  createInterface({ input: child.stdout }).once("line", resolve);
  void exited.then(() => reject(new Error("It did not start.")));
  const { host, address }: { host: string; address: string } = JSON.parse(await promise);
  const wire = await openWire(Number(address.split(":")[1]));
  const end = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
    wire.close();
  };
  return { id: host, ...wire, end };
}

async function openWire(port: number): Promise<{ readonly port: number; cut(): void; back(): void; close(): void }> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(port, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on("error", () => undefined).once("close", () => other.destroy());
      one.pipe(other);
    }
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const back = (): void => {
    isCut = false;
  };
  const close = (): void => {
    cut();
    server.close();
  };
  return { port: typeof address === "object" && address !== null ? address.port : 0, cut, back, close };
}
