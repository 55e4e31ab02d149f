import assert from "node:assert/strict";
import { hash, randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "node:tls";
import { listenAt } from "@woml/child";
import { encode, FrameReader } from "@woml/child/framing";
import { PROTOCOL } from "../../frames.ts";
import { openFar, openShop, SECRET, startFar } from "../far.ts";
import { asked, plugin, until } from "../place.ts";

const MOST = 1_000_000;
const WHERE = plugin({ perform: "return process.ppid;", operation: { output: { type: "number" } } });
const hello = (host: string): object => ({ frame: "hello", protocol: PROTOCOL, layers: [], host });
type Frame = { readonly frame: string; readonly id: number };

/** Whoever holds the secret and is no plugin host: says what `says` makes of each frame, as bytes. */
async function openRogue(t: TestContext, says: (frame: Frame, stream: Duplex) => readonly Buffer[]): Promise<number> {
  const open = new Set<Duplex>();
  const place = { host: "127.0.0.1", port: 0, secrets: [SECRET] };
  const took = (stream: Duplex): void => {
    open.add(stream);
    const reader = new FrameReader(MOST, true);
    stream
      .on("error", () => undefined)
      .on("data", (chunk: Buffer) => {
        for (const frame of reader.push(chunk)) for (const bytes of says(frame as Frame, stream)) stream.write(bytes);
      });
  };
  const listening = await listenAt(place, { took, refused: () => undefined });
  t.after(() => {
    listening.close();
    for (const stream of open) stream.destroy();
  });
  return Number(listening.at.split(":")[1]);
}

test("hosts that talk garbage are cut off, met again less and less often, and harm nobody else's dispatches", async (t) => {
  const honest = await startFar(t);
  const garbage: readonly (readonly Buffer[])[] = [
    [encode({ ...hello("me"), more: 1 }, MOST)],
    [encode(hello("not a uuid"), MOST)],
    [encode({ frame: "performed", id: 1, performed: { status: "succeeded", result: "1", evidence: "" } }, MOST)],
    [encode(hello(randomUUID()), MOST), Buffer.from([0xff, 0xff, 0xff, 0xff])],
    [encode(hello(randomUUID()), MOST), encode({ frame: "draining", now: true }, MOST)],
    [encode({ ...hello(randomUUID()), protocol: PROTOCOL + 1 }, MOST)],
    [Buffer.from("GET / HTTP/1.1\r\n\r\n")],
  ];
  const ports = await Promise.all(garbage.map((bytes) => openRogue(t, ({ frame }) => (frame === "hello" ? bytes : []))));
  const door = await openFar(t, [...ports, honest.port], { met: 1 });
  await until(() => door.choose("a", WHERE) === honest.host);
  const said = await Promise.all(Array.from({ length: 20 }, () => door.perform({ ...asked(WHERE), host: honest.host })));
  for (const one of said) assert.equal("result" in one && one.result, String(honest.pid));
});

test("a host that answers what another was asked, or something else than it was asked, is not believed", async (t) => {
  const honest = await startFar(t);
  const liar = randomUUID();
  const answers = (id: number): readonly Buffer[] => [
    encode({ frame: "performed", id, performed: { status: "succeeded", result: "666", evidence: "" } }, MOST),
    encode({ frame: "attached", id, performed: { status: "succeeded", result: "666", evidence: "" } }, MOST),
    encode({ frame: "found", id, found: { status: "succeeded", result: "666" } }, MOST),
  ];
  const port = await openRogue(t, ({ frame }) => {
    if (frame === "hello") return [encode(hello(liar), MOST)];
    return Array.from({ length: 100 }, (_, n) => answers(n + 1)).flat();
  });
  const door = await openFar(t, [port, honest.port]);
  const slow = plugin({ perform: "await new Promise((r) => setTimeout(r, 1500)); return process.ppid;" });
  const performing = [1, 2, 3].map(() => door.perform({ ...asked(slow), host: honest.host }));
  await sleep(200);
  door.cancel({ ...asked(slow), host: liar });
  const found = door.reattach(asked(slow, { tenant: "b", effect: "reattachable" }));
  for (const one of await Promise.all(performing)) assert.equal("result" in one && one.result, String(honest.pid));
  await found;
});

test("a host's last word: what it never had is gone; what it had before the line broke is in doubt; nothing is believed to be both", async (t) => {
  const [id, performed, attached]: [string, string[], string[]] = [randomUUID(), [], []];
  const closing = encode({ frame: "closing" }, MOST);
  const port = await openRogue(t, ({ frame }, stream) => {
    if (frame === "hello") return [encode(hello(id), MOST)];
    if (frame === "perform") performed.push(frame);
    if (frame === "attach") attached.push(frame);
    if (frame === "perform" && performed.length === 1) stream.destroy();
    else if (frame === "perform" || frame === "attach") return [closing];
    return [];
  });
  const door = await openFar(t, [port]);
  const doubtful = await door.perform({ ...asked(WHERE), host: id });
  assert.ok(doubtful.status === "ambiguous" && doubtful.code === "WOML_PLUGIN_HOST_LOST", JSON.stringify(doubtful));
  assert.deepEqual([performed.length, attached.length], [1, 1]);
  const never = door.perform({ ...asked(WHERE), host: id });
  assert.deepEqual(await door.perform({ ...asked(WHERE), host: id }), { status: "gone" }, "after its last word nothing is sent");
  assert.deepEqual(await never, { status: "gone" });
});

test("3: whoever is met at the same address in time, and is another process, is not asked", async (t) => {
  const ids = [randomUUID(), randomUUID()];
  const heard: string[] = [];
  const port = await openRogue(t, ({ frame }, stream) => {
    heard.push(frame);
    if (frame === "perform") stream.destroy();
    return frame === "hello" ? [encode(hello(ids[heard.includes("perform") ? 1 : 0] ?? ""), MOST)] : [];
  });
  const door = await openFar(t, [port], { outOfReachMs: 1_500 });
  const performing = door.perform({ ...asked(WHERE), host: ids[0] ?? "" });
  assert.ok(await until(() => door.choose("a", WHERE) === ids[1]));
  assert.deepEqual(await Promise.race([performing, sleep(4_000, "waits still")]), { status: "out_of_reach" });
  assert.ok(!heard.includes("attach"));
});

/** As an engine dials: TLS 1.2 with a key that the secret gives, and a name for that key. */
function dial(port: number): Duplex {
  const psk = hash("sha256", `woml line v1 ${SECRET}`, "buffer");
  const identity = `woml:${hash("sha256", `woml line id ${SECRET}`).slice(0, 16)}`;
  const terms = { ciphers: "ECDHE-PSK-CHACHA20-POLY1305", minVersion: "TLSv1.2", maxVersion: "TLSv1.2" } as const;
  return connect({ host: "127.0.0.1", port, ...terms, pskCallback: () => ({ psk, identity }), checkServerIdentity: () => undefined });
}

test("an engine that holds the secret and talks garbage is cut off; the host goes on for the others", async (t) => {
  const shop = await openShop(t);
  const host = await startFar(t, shop);
  const door = await openFar(t, [host.port]);
  const greeting = encode({ frame: "hello", protocol: PROTOCOL }, MOST);
  const sent = asked(shop.release);
  const noise: readonly Buffer[] = [
    encode({ frame: "perform", id: 1, dispatch: sent }, MOST),
    Buffer.concat([greeting, encode({ frame: "perform", id: 1, dispatch: { ...sent, host: host.host } }, MOST)]),
    Buffer.concat([greeting, encode({ frame: "perform", id: 1, dispatch: { ...sent, trace: "00-secret" } }, MOST)]),
    Buffer.concat([greeting, encode({ frame: "clock", now: "soon" }, MOST)]),
    Buffer.concat([greeting, encode({ frame: "heard", id: 0 }, MOST)]),
    Buffer.concat([greeting, encode({ frame: "draining" }, MOST)]),
    Buffer.from([0x7f, 0xff, 0xff, 0xff]),
  ];
  for (const bytes of noise) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stream = dial(host.port);
    stream.on("data", () => undefined).once("close", () => resolve());
    stream.on("error", () => undefined).write(bytes);
    await promise;
  }
  const stranger = dial(host.port);
  t.after(() => stranger.destroy());
  stranger.on("error", () => undefined).write(Buffer.concat([greeting, ...[1, 2, 999].map((id) => encode({ frame: "heard", id }, MOST))]));
  assert.equal((await door.perform({ ...asked(shop.release), host: host.host })).status, "succeeded");
  assert.equal(shop.counts.get(sent.key), undefined);
});
