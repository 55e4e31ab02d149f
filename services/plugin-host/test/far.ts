import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { openLog } from "@woml/boot";
import type { Dispatch } from "../door.ts";
import { openPluginHosts, type PluginHosts, type PluginHostsOptions } from "../hosts.ts";
import type { HostOptions } from "../options.ts";
import { serve, serveRaw } from "./broker-place.ts";
import { plugin, releasesOf, until } from "./place.ts";

export const SECRET = "a-secret-of-the-lines-of-these-tests-0001";
const log = openLog("test", "silent");

/** A host on the network, a process of its own. */
export interface Far {
  readonly pid: number;
  readonly host: string;
  readonly port: number;
  /** The folder of its releases: its plugins' command lines name it. */
  readonly folder: string;
  kill(signal: NodeJS.Signals): void;
  readonly exited: Promise<string>;
}
interface Given {
  readonly port?: number;
  readonly secrets?: readonly string[];
  readonly graceMs?: number;
  readonly options?: Partial<HostOptions>;
}

/** Gone when the test ends. */
export async function startFar(t: TestContext, { port = 0, secrets = [SECRET], graceMs = 20_000, options = {} }: Given = {}): Promise<Far> {
  const folder = mkdtempSync(join(tmpdir(), "woml-far-"));
  const entry = join(import.meta.dirname, "far-host.ts");
  const args = ["--disable-warning=ExperimentalWarning", entry, String(port), folder, String(graceMs), JSON.stringify(options)];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"], env: { WOML_LINE_SECRET: secrets.join(",") } });
  const exited = new Promise<string>((resolve) => child.once("exit", (code, signal) => resolve(signal ?? `exit ${code}`)));
  t.after(async () => {
    child.kill("SIGKILL");
    await exited;
    rmSync(folder, { recursive: true, force: true });
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  createInterface({ input: child.stdout }).once("line", resolve);
  void exited.then(() => reject(new Error("It did not start.")));
  const said: { host: string; address: string } = JSON.parse(await promise);
  const bound = Number(said.address.split(":")[1]);
  return { pid: child.pid ?? 0, host: said.host, port: bound, folder, exited, kill: (signal) => void child.kill(signal) };
}

/** A door to these ports of this machine; resolves when as many as `met` are there. */
export async function openFar(
  t: TestContext,
  ports: readonly number[],
  { met = ports.length, ...more }: Partial<PluginHostsOptions> & { readonly met?: number } = {},
): Promise<PluginHosts> {
  const addresses = ports.map((port) => ({ host: "127.0.0.1", port }));
  const there = new Set<string>();
  const listening = Object.create(log, { info: { value: ({ host }: { host: string }) => there.add(host) } });
  const door = openPluginHosts({ addresses, secrets: [SECRET], ...releasesOf(), log: listening, ...more });
  t.after(() => door.close());
  if (!(await until(() => there.size >= met, 20_000))) throw new Error(`Only ${there.size} hosts were met.`);
  return door;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  server.close();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** A provider that counts the requests of each key, and a release whose operation makes one after `input.beforeMs`; `outside` stands before its plugin. */
export interface Shop {
  readonly counts: ReadonlyMap<string, number>;
  readonly release: string;
  readonly options: Partial<HostOptions>;
}
export async function openShop(t: TestContext, answerAfterMs = 0, outside = ""): Promise<Shop> {
  const counts = new Map<string, number>();
  const { port } = await serve(t, ({ body }, response) => {
    counts.set(body, (counts.get(body) ?? 0) + 1);
    setTimeout(() => response.end(String(counts.get(body))), answerAfterMs);
  });
  const network = [{ host: "127.0.0.1", ports: [port], methods: ["POST"], reason: "test" }];
  const release = plugin({
    outside,
    perform: `await new Promise((r) => setTimeout(r, input.beforeMs ?? 0));
      return (await call.http.request({ method: "POST", url: "http://127.0.0.1:${port}/", text: call.key })).status;`,
    manifest: { permissions: { network } },
    operation: { effect: "keyed", idempotency: { header: "idempotency-key", windowHours: 24 } },
  });
  return { counts, release, options: { privateHosts: [`127.0.0.1:${port}`] } };
}

/** The same dispatch as another engine would ask for it, with a higher epoch. */
export const later = (dispatch: Dispatch, epoch = dispatch.epoch + 1): Dispatch => ({ ...dispatch, engine: "e2", epoch, now: Date.now() });

/** A wire to a port that can be cut; what goes through it goes on to be what it is. */
export async function openCable(t: TestContext, port: number): Promise<{ readonly port: number; cut(): void }> {
  const sockets = new Set<Socket>();
  const near = await serveRaw(t, (socket) => {
    const far = connect(port, "127.0.0.1").on("error", () => undefined);
    for (const one of [socket, far]) {
      sockets.add(one);
      one.once("close", () => {
        socket.destroy();
        far.destroy();
      });
    }
    socket.pipe(far).pipe(socket);
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return { port: near, cut };
}
