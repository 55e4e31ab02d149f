import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { type ConnectionOptions, connect as connectSecurely } from "node:tls";
import { listenAt } from "../index.ts";
import { keyOf, TERMS } from "../secure.ts";
import { call, far, OTHER, openHouse, SECRET, tap, until } from "./house.ts";

test("under one secret frames go both ways, and nothing of them is to be read on the way", async (t) => {
  const house = await openHouse(t, far(0, SECRET));
  const wire = await tap(t, house.port);
  const { line, events } = call(t, far(wire.port, SECRET));
  await line.opened();
  line.send({ frame: "told", text: "the payload" });
  assert.ok(await until(() => house.heard.length === 1));
  house.wires[0]?.send({ frame: "told", text: "the result" });
  assert.ok(await until(() => events.length === 2));
  assert.deepEqual([house.heard, events, house.refused], [[{ frame: "told", text: "the payload" }], ["met", "the result"], []]);
  const passed = wire.passed().toString("latin1");
  for (const word of ["payload", "result", "hello", SECRET]) assert.ok(!passed.includes(word), word);
  assert.ok(passed.includes("woml:"), "the name of the secret is sent in the clear");
});

test("another secret is turned away on both sides, in words that hold neither", async (t) => {
  const house = await openHouse(t, far(0, SECRET));
  const { line, events } = call(t, far(house.port, OTHER));
  assert.ok(await until(() => line.complaint?.includes("secret") ?? false), String(line.complaint));
  assert.match(line.complaint ?? "", /^the house at 127\.0\.0\.1:\d+ does not take this process's secret \(E[A-Z_]+\)$/);
  assert.match(house.refused[0] ?? "", /^1 ERR_SSL_PSK_IDENTITY_NOT_FOUND$/);
  assert.deepEqual([events, house.wires.length, line.isOpen], [[], 0, false]);
});

test("whoever knows the name of a secret and not the secret gets nothing", async (t) => {
  const house = await openHouse(t, far(0, SECRET));
  const key = { identity: keyOf(SECRET).identity, psk: keyOf(OTHER).psk };
  assert.equal(await knock(t, house.port, { ...TERMS, pskCallback: () => key }), "closed");
  assert.equal(house.wires.length, 0);
});

test("nobody is listened to or called without a secret", async (t) => {
  await assert.rejects(listenAt(far(0), { took: () => undefined, refused: () => undefined }), /has to hold a secret/);
  assert.throws(() => call(t, far(1)), /needs a secret/);
});

test("while secrets are changed all that are listed are taken, and the first is used", async (t) => {
  const third = "c".repeat(32);
  const house = await openHouse(t, far(0, SECRET, OTHER));
  const callers = [[SECRET], [OTHER], [OTHER, third], [third, SECRET]].map((secrets) => call(t, far(house.port, ...secrets)).line);
  assert.ok(await until(() => callers.slice(0, 3).every(({ isOpen }) => isOpen)));
  assert.ok(await until(() => callers[3]?.complaint?.includes("secret") ?? false));
});

test("plain text, other TLS and other suites are turned away; the rest goes on", async (t) => {
  const house = await openHouse(t, far(0, SECRET));
  const { line } = call(t, far(house.port, SECRET));
  await line.opened();
  for (const text of ["GET / HTTP/1.1\r\n\r\n", '\0\0\0\x1e{"frame":"hello","protocol":1}', "\x16\x03\x01\xff\xff", "\xff".repeat(20_000)])
    assert.equal(await plain(t, house.port, text), "closed", JSON.stringify(text.slice(0, 20)));
  const pskCallback = (): ReturnType<typeof keyOf> => keyOf(SECRET);
  const other: readonly ConnectionOptions[] = [
    { rejectUnauthorized: false },
    { pskCallback, minVersion: "TLSv1.3", maxVersion: "TLSv1.3" },
    { pskCallback, ...TERMS, ciphers: "PSK-CHACHA20-POLY1305" },
    { pskCallback, ...TERMS, ciphers: "DHE-PSK-CHACHA20-POLY1305" },
  ];
  for (const options of other) assert.equal(await knock(t, house.port, options), "closed", JSON.stringify(options));
  assert.equal(house.wires.length, 1);
  assert.ok(line.isOpen);
});

test("who does not prove itself is cut off, and many of them keep nobody out", async (t) => {
  const house = await openHouse(t, far(0, SECRET));
  const began = performance.now();
  const slow = Array.from({ length: 80 }, () => connect(house.port, "127.0.0.1"));
  const closed = slow.map((socket) => new Promise<void>((resolve) => socket.on("error", () => undefined).once("close", () => resolve())));
  let at = 0;
  const dribble = setInterval(() => {
    for (const socket of slow) socket.write(HELLO.subarray(at, at + 1));
    at += 1;
  }, 100);
  t.after(() => {
    clearInterval(dribble);
    for (const socket of slow) socket.destroy();
  });
  await call(t, far(house.port, SECRET)).line.opened();
  assert.ok(performance.now() - began < 2_000, "an honest one waited for slow ones");
  assert.ok(await until(() => slow.filter(({ destroyed }) => destroyed).length >= 16), "the oldest made no room");
  await Promise.all(closed);
  const tookMs = performance.now() - began;
  assert.ok(tookMs > 4_000 && tookMs < 8_000, String(tookMs));
  assert.equal(house.wires.length, 1);
});

/** How a ClientHello of 508 bytes begins. */
const HELLO: Buffer = Buffer.concat([Buffer.from("1603010200010001fc0303", "hex"), Buffer.alloc(500)]);

/** What becomes of a connection that begins so: the code or `closed`, whatever it gets. */
function plain(t: TestContext, port: number, text: string): Promise<string> {
  return ended(
    t,
    connect(port, "127.0.0.1", function (this: Socket) {
      this.write(Buffer.from(text, "latin1"));
    }),
  );
}
function knock(t: TestContext, port: number, options: ConnectionOptions): Promise<string> {
  return ended(t, connectSecurely({ host: "127.0.0.1", port, checkServerIdentity: () => undefined, ...options }));
}
function ended(t: TestContext, socket: Socket): Promise<string> {
  t.after(() => socket.destroy());
  return new Promise((resolve) => {
    socket.on("secureConnect", () => resolve("taken")).on("error", () => undefined);
    socket.once("close", () => resolve("closed")).resume();
  });
}
