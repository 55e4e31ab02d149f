import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { dialTcp } from "../broker/dial.ts";
import { asking, ended, listening, manifest, open, serve } from "./broker-place.ts";
import { openShop } from "./far.ts";
import { asked, openPlace, plugin, until } from "./place.ts";

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
  const answer = await broker.request(asking(asks, { manifest: manifest(["*"], [port]), timeoutMs: 300 }));
  assert.equal(ended(answer), "ambiguous WOML_EGRESS_TIMEOUT");
  await sleep(100);
  for (const socket of sockets) socket.resume();
  assert.ok(await until(() => ends.length > 0));
  assert.deepEqual(ends, ["ECONNRESET"]);
});

test("a host that was stopped sends no request of a call whose time is over, whatever woke up first", async (t) => {
  const shop = await openShop(t);
  const { door, host } = await openPlace(t, shop.options);
  await door.perform(asked(shop.release));
  const before = shop.counts.size;
  const calls = [800, 1_000, 1_200].map((beforeMs) => asked(shop.release, { input: JSON.stringify({ beforeMs }), timeoutMs: 1_500 }));
  const performing = calls.map((call) => door.perform(call));
  await sleep(500);
  process.kill(host.pid, "SIGSTOP");
  await sleep(2_500);
  process.kill(host.pid, "SIGCONT");
  for (const performed of await Promise.all(performing)) {
    assert.ok(performed.status === "failed" && performed.code === "WOML_PLUGIN_TIMEOUT", JSON.stringify(performed));
  }
  await sleep(300);
  assert.equal(shop.counts.size, before);
});

test("a host that was stopped while a plugin started gives it no dispatch whose lease is over", async (t) => {
  const shop = await openShop(t);
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
