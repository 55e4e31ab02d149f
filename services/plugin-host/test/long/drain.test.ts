import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { later, openFar, openShop, startFar } from "../far.ts";
import { asked, openPlace, plugin, pluginsOf, until } from "../place.ts";

const SLOW = plugin({ perform: "await new Promise((r) => setTimeout(r, input.ms)); return process.ppid;" });
const WARM = plugin({ perform: "return 1;" });
const within = async (exited: Promise<string>, ms: number) => Promise.race([exited, sleep(ms, "runs still", { ref: false })]);

test("a host that drains is chosen for nothing, performs what was chosen for it, and ends when all is heard", async (t) => {
  const [one, two] = await Promise.all([startFar(t), startFar(t)]);
  const door = await openFar(t, [one.port, two.port]);
  await door.perform({ ...asked(SLOW, { input: '{"ms":0}' }), host: one.host });
  const running = door.perform({ ...asked(SLOW, { input: '{"ms":2500}' }), host: one.host });
  const chosen = asked(SLOW, { input: '{"ms":100}' });
  one.kill("SIGTERM");
  assert.ok(await until(() => Array.from({ length: 32 }, (_, n) => door.choose(`t${n}`, SLOW)).every((host) => host === two.host)));
  assert.equal(door.fault(), null);
  const late = await door.perform({ ...chosen, host: one.host });
  assert.equal(late.status, "succeeded", JSON.stringify(late));
  assert.equal((await door.attach({ ...chosen, host: one.host }))?.status, "succeeded");
  assert.equal((await running).status, "succeeded");
  assert.equal(await within(one.exited, 10_000), "exit 0");
  assert.deepEqual(pluginsOf(one.folder), []);
  assert.deepEqual(await door.perform({ ...asked(SLOW), host: one.host }), { status: "gone" });
  two.kill("SIGTERM");
  assert.ok(await until(() => door.fault() !== null));
  assert.match(door.fault() ?? "", /^no plugin host answers/);
});

test("what was finished and nobody has heard is kept until an engine has asked for it", async (t) => {
  const host = await startFar(t);
  const first = await openFar(t, [host.port]);
  const sent = asked(SLOW, { input: '{"ms":1500}' });
  const other = asked(SLOW, { input: '{"ms":2000}' });
  await first.perform({ ...asked(SLOW, { input: '{"ms":0}' }), host: host.host });
  for (const one of [sent, other]) void first.perform({ ...one, host: host.host });
  // On one line what was sent before it has come before it.
  const last = asked(SLOW, { input: '{"ms":0}' });
  await first.perform({ ...last, host: host.host });
  await first.close();
  host.kill("SIGTERM");
  assert.equal(await within(host.exited, 4_000), "runs still");
  const second = await openFar(t, [host.port]);
  assert.equal(second.choose("a", SLOW), null, "an engine that comes later hears of it too");
  for (const one of [last, sent]) assert.equal((await second.attach({ ...later(one), host: host.host }))?.status, "succeeded");
  assert.equal(await within(host.exited, 2_500), "runs still");
  assert.equal((await second.attach({ ...later(other), host: host.host }))?.status, "succeeded");
  assert.equal(await within(host.exited, 10_000), "exit 0");
});

test("when the grace is over what runs is ended and judged, the engine is told, and what comes then was never taken", async (t) => {
  const shop = await openShop(t, 60_000);
  const host = await startFar(t, { ...shop, graceMs: 1_500 });
  const door = await openFar(t, [host.port]);
  await door.perform({ ...asked(WARM), host: host.host });
  const sent = door.perform({ ...asked(shop.release), host: host.host });
  const waiting = door.perform({ ...asked(SLOW, { input: '{"ms":60000}', timeoutMs: 90_000 }), host: host.host });
  assert.ok(await until(() => shop.counts.size === 1, 20_000));
  host.kill("SIGTERM");
  const draining = performance.now();
  const outcomes: string[] = [];
  const stream = (async () => {
    for (;;) {
      const performed = await door.perform({ ...asked(WARM), host: host.host });
      const word = performed.status === "refused" ? performed.reason : performed.status;
      if (outcomes.at(-1) !== word) outcomes.push(word);
      if (word === "gone") return;
      await sleep(5);
    }
  })();
  const [left, nothing] = await Promise.all([sent, waiting]);
  assert.equal(left.status, "ambiguous", JSON.stringify(left));
  assert.ok(nothing.status === "failed" && nothing.code === "WOML_PLUGIN_CRASHED", JSON.stringify(nothing));
  await stream;
  assert.ok(performance.now() - draining >= 1_500);
  assert.deepEqual(
    outcomes.filter((word) => word !== "unavailable"),
    ["succeeded", "gone"],
    "none is lost between what was performed and what was not taken",
  );
  assert.equal(await within(host.exited, 5_000), "exit 0");
});

test("one machine: what a host that ends did not take is refused, so that the next one may be given it", async (t) => {
  const { door, host } = await openPlace(t);
  await door.perform(asked(WARM));
  const performing: ReturnType<typeof door.perform>[] = [];
  process.kill(host.pid, "SIGTERM");
  for (let n = 0; n < 400; n++) {
    performing.push(door.perform(asked(WARM)));
    await sleep(2);
  }
  const words = (await Promise.all(performing)).map((said) => (said.status === "refused" ? said.reason : said.status));
  assert.equal(words.at(-1), "unavailable");
  assert.deepEqual(
    words.filter((word) => word !== "succeeded" && word !== "unavailable"),
    [],
  );
});
