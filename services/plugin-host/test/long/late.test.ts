import assert from "node:assert/strict";
import { createServer as createSecureServer } from "node:https";
import { connect, createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { dialTcp } from "../../broker/dial.ts";
import type { Dispatch, PluginHost } from "../../door.ts";
import { asking, ended, listening, manifest, open, serve, serveRaw } from "../broker-place.ts";
import { selfSigned } from "../certificate.ts";
import { openFar, openShop, startFar } from "../far.ts";
import { asked, openPlace, plugin, until } from "../place.ts";

test("broker 7: what is connected when its time is over does not leave, whatever its timer does", async (t) => {
  const { port, seen } = await serve(t, (_, response) => response.end());
  const clock = { ms: 0 };
  const broker = open(t, {
    privateHosts: [`127.0.0.1:${port}`],
    monotonic: () => clock.ms,
    dial: (address, at) =>
      dialTcp(address, at).once("connect", () => {
        clock.ms += 4_000;
      }),
  });
  const ask = (until: number, effect: "unsafe" | "pure" = "unsafe", more = {}) =>
    broker.request({
      ...asking(
        { method: effect === "pure" ? "GET" : "POST", url: `http://127.0.0.1:${port}/`, ...more },
        { effect, manifest: manifest(["*"], [port]) },
      ),
      until,
    });
  assert.equal(ended(await ask(5_000)), "answered 200");
  clock.ms = 0;
  assert.equal(ended(await ask(4_000)), "failed WOML_EGRESS_TIMEOUT", "nothing has left, so it is known that nothing happened");
  clock.ms = 0;
  assert.equal(ended(await ask(4_000, "pure")), "failed WOML_EGRESS_TIMEOUT");
  clock.ms = 0;
  assert.equal(ended(await ask(60_000, "unsafe", { timeoutMs: 3_000 })), "failed WOML_EGRESS_TIMEOUT", "a request's own time counts too");
  assert.equal(seen.length, 1);
});

test("broker 7: what was written and has not arrived when its time is over is taken back", async (t) => {
  const sockets: Socket[] = [];
  const ends: string[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.pause());
    socket.on("error", (error) => ends.push("code" in error ? String(error.code) : "?")).on("end", () => ends.push("an orderly end"));
    t.after(() => socket.destroy());
  });
  const port = await listening(t, server);
  const broker = open(t, { privateHosts: [`127.0.0.1:${port}`] });
  const asks = { method: "POST", url: `http://127.0.0.1:${port}/`, text: "x".repeat(1_000_000) };
  const answer = await broker.request(asking(asks, { manifest: manifest(["*"], [port]), timeoutMs: 1_000 }));
  assert.equal(ended(answer), "ambiguous WOML_EGRESS_TIMEOUT");
  await sleep(100);
  for (const socket of sockets) socket.resume();
  assert.ok(await until(() => ends.length > 0));
  assert.deepEqual(ends, ["ECONNRESET"]);
});

/** A TLS provider behind a wire that keeps what it says until it is let through; `said` resolves when it holds something. */
async function openSlowWire(t: TestContext) {
  const own = selfSigned("localhost");
  const seen: string[] = [];
  const provider = createSecureServer(own, (request, response) => {
    seen.push(`${request.method}`);
    response.end();
  });
  t.after(() => provider.closeAllConnections());
  const behind = await listening(t, provider);
  const said = Promise.withResolvers<void>();
  const through = Promise.withResolvers<void>();
  const wire = await serveRaw(t, (near) => {
    const far = connect(behind, "127.0.0.1").on("error", () => undefined);
    near.pipe(far);
    far.once("readable", () => {
      said.resolve();
      void through.promise.then(() => far.pipe(near));
    });
    t.after(() => far.destroy());
  });
  return { seen, cert: own.cert, port: wire, said: said.promise, letThrough: through.resolve };
}

test("a host that was stopped while it connected sends nothing of a call whose time is over: the world wakes it before its timers", async (t) => {
  const { seen, cert, port, said, letThrough } = await openSlowWire(t);
  const sends = plugin({
    perform: `if (input.warm) return 0;
      return (await call.http.request({ method: "POST", url: "https://localhost:${port}/", text: call.key })).status;`,
    manifest: { permissions: { network: [{ host: "localhost", ports: [port], methods: ["POST"], reason: "test" }] } },
  });
  const { door, host } = await openPlace(t, { privateHosts: [`localhost:${port}`], authorities: [cert] });
  await door.perform(asked(sends, { input: '{"warm":true}' }));
  const performing = door.perform(asked(sends, { timeoutMs: 8_000 }));
  await Promise.race([said, performing]);
  process.kill(host.pid, "SIGSTOP");
  letThrough();
  await sleep(8_500);
  process.kill(host.pid, "SIGCONT");
  const performed = await performing;
  assert.ok(performed.status === "failed" && performed.code === "WOML_PLUGIN_TIMEOUT" && performed.retryable, JSON.stringify(performed));
  await sleep(300);
  assert.deepEqual(seen, []);
  assert.equal((await door.perform(asked(sends))).status, "succeeded");
  assert.deepEqual(seen, ["POST"]);
});

test("a host that was stopped asks for nothing more in a call whose time is over", async (t) => {
  const shop = await openShop(t);
  const { door, host } = await openPlace(t, shop.options);
  await door.perform(asked(shop.release));
  const calls = [3_000, 3_500, 4_000].map((beforeMs) => asked(shop.release, { input: JSON.stringify({ beforeMs }), timeoutMs: 5_000 }));
  const performing = calls.map((call) => door.perform(call));
  await sleep(1_500);
  process.kill(host.pid, "SIGSTOP");
  await sleep(5_000);
  process.kill(host.pid, "SIGCONT");
  for (const performed of await Promise.all(performing)) {
    assert.ok(performed.status === "failed" && performed.code === "WOML_PLUGIN_TIMEOUT", JSON.stringify(performed));
    assert.equal(performed.evidence, "It asked for nothing.");
  }
  await sleep(300);
  assert.equal(shop.counts.size, 1);
});

test("a host that was stopped while a plugin started gives it no dispatch whose lease is over", async (t) => {
  const shop = await openShop(t, 0, "for (const until = Date.now() + 1_500; Date.now() < until; );");
  const { door, host } = await openPlace(t, shop.options);
  await door.perform(asked(plugin({ perform: "return 1;" })));
  const sent = asked(shop.release, { timeoutMs: 60_000 });
  const performing = door.perform({ ...sent, notAfter: sent.now + 2_000 });
  await sleep(20);
  process.kill(host.pid, "SIGSTOP");
  const unread = asked(shop.release, { timeoutMs: 60_000 });
  const reading = door.perform({ ...unread, notAfter: unread.now + 2_000 });
  await sleep(3_000);
  process.kill(host.pid, "SIGCONT");
  for (const performed of await Promise.all([performing, reading])) {
    assert.ok(performed.status === "refused" && performed.reason === "late", JSON.stringify(performed));
  }
  assert.equal(shop.counts.size, 0);
});

test("a host that has just started judges lateness from its first word on, and by what others were asked", async (t) => {
  const shop = await openShop(t);
  const [one, two] = await Promise.all([startFar(t, shop), startFar(t, shop)]);
  const stale = (): Dispatch => ({ ...asked(shop.release), now: Date.now() - 20_000, notAfter: Date.now() - 5_000 });
  const reason = async (performing: ReturnType<PluginHost["perform"]>) => {
    const performed = await performing;
    return performed.status === "refused" ? performed.reason : performed.status;
  };
  const knowing = await openFar(t, [one.port], { now: () => Date.now() });
  assert.equal(await reason(knowing.perform({ ...stale(), host: one.host })), "late");
  const learning = await openFar(t, [one.port, two.port]);
  assert.equal(await reason(learning.perform({ ...asked(shop.release), host: one.host })), "succeeded");
  await sleep(3_000);
  assert.equal(await reason(learning.perform({ ...stale(), host: two.host })), "late");
  assert.equal(shop.counts.size, 1);
});
