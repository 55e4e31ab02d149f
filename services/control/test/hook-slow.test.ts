// Who sends slowly, or goes away, and need not be anybody, keeps nobody waiting who sends at once.
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { HOOK_BODIES, HOOK_BODY_MS } from "../limits.ts";
import { hooked, openGiving, setSecret } from "./hooked.ts";
import { chain, openForFile, publishText } from "./opened.ts";

const opened = await openForFile();
const giveDoors = await openGiving(opened);
const owner = await opened.tenant("patient");
const { origin, hostname, port } = new URL(opened.url);
const HOOK = `/t/${owner.id}/hooks/busy`;
const SIGNAL = `/t/${owner.id}/events/busy.signal`;
const BEARER = { authorization: "Bearer ear", "event-id": "1" };

before(async () => {
  await publishText(owner, hooked("busy"));
  const event = '<event id="heard" name="busy.signal" secret="{{secrets.EAR}}"/>';
  await publishText(owner, chain("ear", { a: "return 1;" }).replace('<manual id="go"/>', event));
  await setSecret(owner, "EAR", "ear");
  await giveDoors();
});

interface Slow {
  readonly place: string;
  /** Of the whole body, of which the end does not come. */
  readonly bytes: number;
}
/** Sends all of a request but the end of its body. */
function dawdle({ place, bytes }: Slow): Socket {
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  const heads = ["host: x", "content-type: application/json", `content-length: ${bytes}`];
  const bearer = Object.entries(BEARER).map(([name, value]) => `${name}: ${value}`);
  socket.write(`POST ${place} HTTP/1.1\r\n${[...heads, ...bearer].join("\r\n")}\r\n\r\n{`);
  after(() => socket.destroy());
  return socket;
}
const MANY = Array.from({ length: 2 * HOOK_BODIES.inside });
/** Rejects where it is not answered soon. */
async function statusOf(place: string, body = "{}"): Promise<number> {
  const signal = AbortSignal.timeout(HOOK_BODY_MS / 2);
  const headers = { "content-type": "application/json", ...BEARER };
  return (await fetch(`${origin}${place}`, { method: "POST", body, headers, signal })).status;
}

for (const [door, place] of [
  ["webhooks", HOOK],
  ["signals", SIGNAL],
] as const) {
  test(`${door}: one is taken while more than all places for bodies could be held by bodies that do not come`, async () => {
    const slow = MANY.map(() => dawdle({ place, bytes: 100 }));
    await sleep(500);
    assert.equal(await statusOf(place), 202);
    for (const socket of slow) socket.destroy();
  });
  test(`${door}: who goes away while waiting for a place has none`, async () => {
    const large = JSON.stringify({ text: "x".repeat(20_000) });
    const all = MANY.map(() => dawdle({ place, bytes: large.length }));
    await sleep(1_500);
    // Those that wait go first: whose turn comes then has gone long ago.
    for (const some of [all.slice(HOOK_BODIES.inside), all]) {
      for (const socket of some) socket.destroy();
      await sleep(500);
    }
    assert.equal(await statusOf(place, large), place === HOOK ? 202 : 400, "the same Event-ID with another payload");
  });
}
