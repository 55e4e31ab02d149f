import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { redisDoorbell } from "../../bell/redis.ts";
import { type Doorbell, SHARED } from "../../index.ts";
import { IS_REQUIRED, RedisServer, skip } from "../../testing.ts";
import { Ear, until } from "../doorbell-contract.ts";

const PREFIX = "{woml}";
const lines: string[] = [];
const log = pino({ level: "debug" }, { write: (line) => void lines.push(line) });
const warned = (): readonly string[] => lines.filter((line) => JSON.parse(line).level >= 40);

const servers: RedisServer[] = [];
const bells: Doorbell[] = [];
const processes: ChildProcess[] = [];
async function redis(...options: readonly string[]): Promise<RedisServer> {
  const server = await RedisServer.start(...options);
  servers.push(server);
  return server;
}
function bellOf(url: string): { readonly bell: Doorbell; readonly lost: () => number } {
  let lost = 0;
  const bell = redisDoorbell({ url, prefix: PREFIX, log, lost: () => void lost++ });
  bells.push(bell);
  return { bell, lost: () => lost };
}
/** A bell that listens to the shared queue, in a process of its own; says "heard" for each ring. */
async function listener(
  url: string,
  how: "well" | "hangs" | "rings",
  env: NodeJS.ProcessEnv = {},
): Promise<{ readonly process: ChildProcess; said(word: string): number }> {
  const program = join(import.meta.dirname, "..", "doorbell-process.ts");
  const args = ["--disable-warning=ExperimentalWarning", program, url, PREFIX, how];
  const started = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...env } });
  processes.push(started);
  let text = "";
  started.stdout.on("data", (chunk) => {
    text += String(chunk);
  });
  const said = (word: string): number => text.split("\n").filter((line) => line === word).length;
  await until("the listener is there", () => said("listens") > 0, 20_000);
  return { process: started, said };
}
/** Rings until it is heard, as those do who ring for each request; answers how long that took. */
async function msUntilHeard(bell: Doorbell, ear: Ear): Promise<number> {
  const [began, before] = [performance.now(), ear.heard];
  const ringing = setInterval(() => bell.ring(SHARED), 20);
  try {
    await until("it is heard again", () => ear.heard > before, 15_000);
  } finally {
    clearInterval(ringing);
  }
  return performance.now() - began;
}

afterEach(async () => {
  for (const one of processes.splice(0)) one.kill("SIGKILL");
  for (const server of servers) server.resume();
  await Promise.all(bells.splice(0).map((bell) => bell.close()));
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});
after(() => lines.splice(0));

describe("the doorbell and a Redis that", { skip }, () => {
  it("is not there yet: it is rung in vain and counted, nothing waits, and once Redis comes it rings", async () => {
    const server = await RedisServer.prepare();
    servers.push(server);
    const { bell, lost } = bellOf(server.url);
    const ear = new Ear();
    bell.listen(SHARED, ear.hear);
    for (let n = 0; n < 100; n++) bell.ring(SHARED);
    assert.equal(lost(), 100);
    await until("it says why", () => bell.fault() === "Redis does not answer: ECONNREFUSED");
    await server.start();
    await until("no fault", () => bell.fault() === null);
    assert.ok((await msUntilHeard(bell, ear)) < 1_000);
  });

  it("is killed and comes back: rings are lost, counted, and heard again, and nothing has piled up", async () => {
    const server = await redis();
    const { bell, lost } = bellOf(server.url);
    const ear = new Ear();
    bell.listen(SHARED, ear.hear);
    await msUntilHeard(bell, ear);
    await server.stop("SIGKILL");
    await until("it says so", () => bell.fault() !== null);
    await sleep(50);
    const before = lost();
    for (let n = 0; n < 1_000; n++) bell.ring(SHARED);
    assert.equal(lost() - before, 1_000);
    await sleep(1_500);
    await server.start();
    await until("it is back", () => bell.fault() === null);
    assert.ok((await msUntilHeard(bell, ear)) < 2_000);
    const heard = ear.heard;
    await sleep(300);
    assert.ok(ear.heard <= heard + 2, "what was rung in vain does not come later");
  });

  it("stops answering: within seconds it says so, one ring at most is on its way, and it goes on by itself", async () => {
    const server = await redis();
    const { bell, lost } = bellOf(server.url);
    const ear = new Ear();
    bell.listen(SHARED, ear.hear);
    await msUntilHeard(bell, ear);
    server.pause();
    for (let n = 0; n < 1_000; n++) bell.ring(SHARED);
    await until("it says so", () => bell.fault() !== null, 6_000);
    assert.ok(lost() >= 1);
    await sleep(3_000);
    server.resume();
    await until("it is back", () => bell.fault() === null, 8_000);
    assert.ok((await msUntilHeard(bell, ear)) < 2_000);
  });

  it("is flushed while it rings, scripts and all: it rings again within two seconds", async () => {
    const server = await redis();
    const { bell } = bellOf(server.url);
    const ear = new Ear();
    bell.listen(SHARED, ear.hear);
    for (let round = 0; round < 10; round++) {
      bell.ring(SHARED);
      await sleep(round * 3);
      await Promise.all([server.ask("FLUSHALL"), round % 2 === 0 ? server.ask("SCRIPT", "FLUSH") : null]);
      assert.ok((await msUntilHeard(bell, ear)) < 2_000, `round ${round}`);
    }
    assert.equal(bell.fault(), null);
  });

  it("refuses to write: rings are lost, it says why, no listener spins, and once it writes again all is well", async () => {
    const server = await redis();
    const { bell, lost } = bellOf(server.url);
    const ear = new Ear();
    bell.listen(SHARED, ear.hear);
    await msUntilHeard(bell, ear);
    // What was rung last until one was heard may still be on its way, and would be lost too.
    await sleep(500);
    await server.ask("REPLICAOF", "127.0.0.1", "1");
    bell.ring(SHARED);
    await until("it says so", () => bell.fault() === "Redis takes no rings: READONLY");
    assert.equal(lost(), 1);
    const asked = async (): Promise<number> =>
      Number(/total_commands_processed:(\d+)/.exec(String(await server.ask("INFO", "stats")))?.[1]);
    const before = await asked();
    await sleep(1_000);
    assert.ok((await asked()) - before < 60);
    await server.ask("REPLICAOF", "NO", "ONE");
    await until("it says so by itself", () => bell.fault() === null);
    assert.ok((await msUntilHeard(bell, ear)) < 2_000);
  });

  it("holds a ring that a killed listener had taken: who listens besides hears again within a few seconds", async () => {
    const server = await redis();
    const dying = await listener(server.url, "hangs");
    const { bell } = bellOf(server.url);
    await until("reached", () => bell.fault() === null);
    bell.ring(SHARED);
    await until("it has taken the ring", () => dying.said("taken") > 0);
    const ear = new Ear();
    bell.listen(SHARED, ear.hear);
    await sleep(300);
    const before = ear.heard;
    dying.process.kill("SIGKILL");
    bell.ring(SHARED);
    await until("heard all the same", () => ear.heard > before, 4_000);
    assert.ok((await msUntilHeard(bell, ear)) < 500, "and as quick as ever after that");
  });

  it("rings twice, late, or what nobody asked for: it is heard, no more, and goes away", async () => {
    const server = await redis();
    const { bell } = bellOf(server.url);
    await until("reached", () => bell.fault() === null);
    bell.ring(SHARED);
    await sleep(500);
    for (const stray of ["no such job", "another"]) await server.ask("LPUSH", `${PREFIX}:${SHARED}:wait`, stray);
    const ear = new Ear();
    bell.listen(SHARED, ear.hear);
    await until("heard", () => ear.heard > 0);
    await sleep(2_000);
    const heard = ear.heard;
    assert.ok(heard <= 5, `heard ${heard} times`);
    await sleep(1_500);
    assert.equal(ear.heard, heard);
    assert.ok((await msUntilHeard(bell, ear)) < 500);
  });
});

describe("the doorbell on Redis", { skip }, () => {
  it("one of three processes hears a ring, and not always the same", async () => {
    const server = await redis();
    const all = await Promise.all(["well", "well", "well"].map(() => listener(server.url, "well")));
    const { bell } = bellOf(server.url);
    await until("reached", () => bell.fault() === null);
    await sleep(300);
    const heard = (): readonly number[] => all.map(({ said }) => said("heard"));
    const before = heard().reduce((a, b) => a + b);
    for (let n = 0; n < 60; n++) {
      bell.ring(SHARED);
      await sleep(25);
    }
    await sleep(200);
    const total = heard().reduce((a, b) => a + b) - before;
    assert.ok(total >= 55 && total <= 65, `60 rings, heard ${total} times`);
    assert.ok(heard().filter((count) => count > 3).length >= 2, heard().join());
  });

  it("leaves nothing of a queue that is forgotten, and what is rung after that goes by itself", async () => {
    const server = await redis();
    const { bell } = bellOf(server.url);
    const ear = new Ear();
    const stop = bell.listen("an-engine", ear.hear);
    await until("reached", () => bell.fault() === null);
    bell.ring("an-engine");
    await until("heard", () => ear.heard > 0);
    stop();
    await sleep(200);
    bell.ring("an-engine");
    await sleep(200);
    bell.forget("an-engine");
    await sleep(1_000);
    assert.deepEqual(await server.ask("KEYS", "*an-engine*"), []);
    bell.ring("an-engine");
    await sleep(200);
    const left = (await server.ask("KEYS", "*an-engine*")) as readonly string[];
    assert.ok(left.length > 0);
    for (const key of left) {
      assert.ok(key.startsWith(`${PREFIX}:`), key);
      assert.ok(Number(await server.ask("PTTL", key)) > 0, key);
    }
  });

  it("says at its start when Redis evicts, once, and nothing when it does not", async () => {
    const evicting = await redis("--maxmemory-policy", "allkeys-lru");
    const keeping = await redis("--maxmemory-policy", "noeviction");
    const before = warned().length;
    for (const { url } of [keeping, evicting]) {
      const { bell } = bellOf(url);
      await until("reached", () => bell.fault() === null);
    }
    await sleep(100);
    const said = warned().slice(before);
    assert.equal(said.length, 1);
    assert.match(said[0] ?? "", /noeviction.*/);
  });

  it("opens with its password, and says it to nobody: not in a fault, not in a line of the log, not when Redis quotes it", async () => {
    const password = "pass%3Aword-7f3a";
    const server = await redis("--requirepass", "pass:word-7f3a");
    const { bell } = bellOf(`redis://:${password}@127.0.0.1:${server.port}/0`);
    await until("reached", () => bell.fault() === null);
    const wrong = bellOf(`redis://:wrong-7f3a@127.0.0.1:${server.port}`);
    const none = bellOf(server.url);
    await until("refused", () => wrong.bell.fault() !== null && none.bell.fault() !== null);
    await until("why", () => wrong.bell.fault() === "Redis does not answer: WRONGPASS", 3_000);
    assert.equal(none.bell.fault(), "Redis does not answer: NOAUTH");
    const rude = createServer((socket) => socket.on("data", (sent) => socket.write(`-ERR unknown command, with args: ${String(sent)}`)));
    rude.listen(0, "127.0.0.1");
    await once(rude, "listening");
    const address = rude.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const quoted = bellOf(`redis://:wrong-7f3a@127.0.0.1:${port}`);
    await sleep(500);
    rude.close();
    assert.doesNotMatch(`${lines.join("")} ${quoted.bell.fault()}`, /7f3a/);
  });

  it("speaks TLS to a rediss: URL, and to nobody whose certificate it cannot trust", async (test) => {
    const folder = await mkdtemp(join(tmpdir(), "woml-bell-"));
    test.after(() => rm(folder, { recursive: true }));
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const asked = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=redis", "-addext"];
    const made = spawnSync("openssl", [...asked, "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert]);
    if (made.status !== 0 && !IS_REQUIRED) return test.skip("openssl is not in PATH: apt-get install openssl");
    const secure = ["--tls-cert-file", cert, "--tls-key-file", key, "--tls-ca-cert-file", cert, "--tls-auth-clients", "no"];
    const tls = await redis("--port", "0", "--tls-port", "PORT", ...secure);
    const trusting = await listener(tls.url, "rings", { NODE_EXTRA_CA_CERTS: cert });
    await until("heard", () => trusting.said("heard") > 0);
    const { bell } = bellOf(tls.url);
    await until("refused", () => bell.fault() === "Redis does not answer: DEPTH_ZERO_SELF_SIGNED_CERT");
  });

  it("closed, it holds no process", async () => {
    const server = await redis();
    const closing = await listener(server.url, "well");
    const ended = once(closing.process, "exit");
    closing.process.kill("SIGTERM");
    const late = setTimeout(() => closing.process.kill("SIGKILL"), 5_000);
    assert.deepEqual(await ended, [0, null]);
    clearTimeout(late);
    const absent = await RedisServer.prepare();
    const { bell } = bellOf(absent.url);
    bell.listen(SHARED, () => undefined);
    await sleep(100);
    const began = performance.now();
    await bell.close();
    assert.ok(performance.now() - began < 1_000, "neither where Redis is not there");
  });
});
