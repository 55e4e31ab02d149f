import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Performed } from "../../door.ts";
import { freePort, later, openCable, openFar, openShop, SECRET, startFar } from "../far.ts";
import { asked, plugin, pluginsOf, until } from "../place.ts";

const WHERE = plugin({ perform: "return process.ppid;", operation: { output: { type: "number" } } });
const SLOW = plugin({ perform: "await new Promise((r) => setTimeout(r, input.ms)); return process.ppid;" });
const result = (performed: { readonly status: string; readonly result?: string } | null): number => Number(performed?.result ?? 0);
const gone = { status: "gone" };

test("a dispatch goes to the one host that it names; the choice stays with one while it is there, and spreads", async (t) => {
  const [one, two] = await Promise.all([startFar(t), startFar(t)]);
  const door = await openFar(t, [one.port, two.port]);
  assert.equal(door.fault(), null);
  for (const { host, pid } of [one, two]) assert.equal(result(await door.perform({ ...asked(WHERE), host })), pid);
  const chosen = Array.from({ length: 64 }, (_, n) => door.choose(`tenant-${n}`, WHERE));
  assert.deepEqual(
    chosen,
    Array.from({ length: 64 }, (_, n) => door.choose(`tenant-${n}`, WHERE)),
  );
  const ofOne = chosen.filter((host) => host === one.host).length;
  assert.ok(ofOne > 16 && ofOne < 48 && chosen.filter((host) => host === two.host).length === 64 - ofOne, `${ofOne} of 64`);
  for (const host of ["", "00000000-0000-0000-0000-000000000000", undefined]) {
    const named = host === undefined ? {} : { host };
    assert.deepEqual(await door.perform({ ...asked(WHERE), ...named }), gone);
    assert.deepEqual(await door.attach({ ...asked(WHERE), ...named }), gone);
  }
  const invalid = await door.perform({ ...asked(WHERE, { timeoutMs: 0 }), host: one.host });
  assert.ok(invalid.status === "failed" && invalid.code === "WOML_PLUGIN_DISPATCH_INVALID");
});

test("without a host the door opens, says why nothing can be performed, and hands nothing over later", async (t) => {
  const port = await freePort();
  const { counts, release, options } = await openShop(t);
  const door = await openFar(t, [port], { met: 0 });
  assert.match(door.fault() ?? "", /^no plugin host answers: the plugin host at 127\.0\.0\.1:\d+/);
  assert.equal(door.choose("a", release), null);
  const early = asked(release);
  assert.deepEqual(await door.perform({ ...early, host: "" }), gone);
  const found = await door.reattach(asked(release, { effect: "reattachable" }));
  assert.ok(found.status === "refused" && found.reason === "unavailable");
  const host = await startFar(t, { port, options });
  assert.ok(await until(() => door.choose("a", release) === host.host, 10_000));
  assert.equal(door.fault(), null);
  assert.equal((await door.perform({ ...asked(release), host: host.host })).status, "succeeded");
  assert.equal(counts.get(early.key), undefined);
});

test("a wrong secret opens nothing; either of two does while one is replaced", async (t) => {
  const other = "another-secret-of-the-lines-of-these-tests";
  const both = await startFar(t, { secrets: [SECRET, other] });
  const wrong = await openFar(t, [both.port], { secrets: [`${SECRET}x`], met: 0 });
  const doors = await Promise.all([SECRET, other].map((secret) => openFar(t, [both.port], { secrets: [secret] })));
  for (const door of doors) assert.equal(door.choose("a", WHERE), both.host);
  await sleep(300);
  assert.equal(wrong.choose("a", WHERE), null);
  assert.match(wrong.fault() ?? "", /does not take this process's secret/);
  assert.deepEqual(await wrong.perform({ ...asked(WHERE), host: both.host }), gone);
});

test("3: kill -9 under a dispatch: out of reach, and whoever is at that address later is another", async (t) => {
  const shop = await openShop(t, 60_000);
  const [one, two] = await Promise.all([startFar(t, shop), startFar(t, shop)]);
  const door = await openFar(t, [one.port, two.port], { outOfReachMs: 1_000 });
  const sent = asked(shop.release);
  const unsafe = door.perform({ ...sent, host: one.host });
  const other = door.perform({ ...asked(SLOW, { input: '{"ms":3000}' }), host: two.host });
  assert.ok(await until(() => shop.counts.size === 1, 20_000));
  const pure = door.perform({ ...asked(SLOW, { effect: "pure", input: '{"ms":60000}' }), host: one.host });
  const attached = door.attach({ ...sent, host: one.host });
  await sleep(100);
  one.kill("SIGKILL");
  const killedAt = performance.now();
  assert.deepEqual(await attached, gone);
  const reading = await pure;
  assert.ok(reading.status === "refused" && reading.reason === "unavailable");
  assert.ok(performance.now() - killedAt < 900);
  assert.deepEqual(await unsafe, { status: "out_of_reach" });
  const next = await startFar(t, { port: one.port, ...shop });
  assert.ok(await until(() => Array.from({ length: 64 }, (_, n) => door.choose(`t${n}`, SLOW)).includes(next.host), 10_000));
  assert.deepEqual(await door.attach({ ...sent, host: one.host }), gone);
  assert.deepEqual(await door.perform({ ...asked(WHERE), host: one.host }), gone);
  assert.equal(await door.attach({ ...sent, host: next.host }), null);
  assert.equal(result(await other), two.pid, "nobody else's dispatch felt it");
  assert.equal(shop.counts.get(sent.key), 1);
  assert.ok(await until(() => pluginsOf(one.folder).length === 0));
});

test("3: a host that was stopped for eight seconds and is back answers what it was given", async (t) => {
  const shop = await openShop(t, 1_500);
  const [one, two] = await Promise.all([startFar(t, shop), startFar(t, shop)]);
  const door = await openFar(t, [one.port, two.port]);
  const sent = asked(shop.release, { timeoutMs: 30_000 });
  const performing = door.perform({ ...sent, host: one.host });
  assert.ok(await until(() => shop.counts.size === 1, 20_000));
  const running = door.perform({ ...asked(SLOW, { input: '{"ms":3000}', timeoutMs: 60_000 }), host: one.host });
  await sleep(500);
  one.kill("SIGSTOP");
  const lost = until(() => door.choose("a", WHERE) === two.host && door.choose("b", WHERE) === two.host, 8_000);
  await sleep(8_000);
  one.kill("SIGCONT");
  assert.ok(await lost, "that nothing comes from it is noticed");
  assert.equal(result(await performing), 200);
  assert.equal(result(await running), one.pid);
  assert.equal(shop.counts.get(sent.key), 1);
});

test("a second engine raises the epoch where the dispatch was given; the first has no effect there any more, and elsewhere only its own names", async (t) => {
  const shop = await openShop(t);
  const [one, two] = await Promise.all([startFar(t, shop), startFar(t, shop)]);
  const first = await openFar(t, [one.port, two.port]);
  const second = await openFar(t, [one.port, two.port]);
  const sent = asked(shop.release);
  assert.equal(await second.attach({ ...later(sent), host: one.host }), null);
  const reason = async (performing: ReturnType<typeof first.perform>) => {
    const performed = await performing;
    return performed.status === "refused" ? performed.reason : performed.status;
  };
  assert.equal(await reason(first.perform({ ...sent, host: one.host })), "fenced");
  assert.equal(await reason(first.perform({ ...sent, try: 2, host: one.host })), "fenced");
  assert.equal(await reason(second.perform({ ...later(sent), try: 2, host: two.host })), "succeeded");
  assert.equal(await reason(first.perform({ ...sent, try: 3, host: two.host })), "fenced");
  const joined: Performed | { status: string } | null = await first.attach({ ...sent, try: 2, host: two.host });
  assert.equal(joined?.status, "refused");
  assert.equal(shop.counts.get(sent.key), 1);
});

test("one process that is found at two addresses is one host: what one line loses the other asks for at once", async (t) => {
  const host = await startFar(t);
  const cable = await openCable(t, host.port);
  const [first, direct] = [await openFar(t, [cable.port]), await openFar(t, [cable.port, host.port], { outOfReachMs: 200, met: 1 })];
  assert.equal(first.choose("a", SLOW), host.host);
  await sleep(300);
  await direct.perform({ ...asked(WHERE), host: host.host });
  const performing = direct.perform({ ...asked(SLOW, { input: '{"ms":1500}' }), host: host.host });
  const attached = asked(SLOW, { input: '{"ms":1500}' });
  void direct.perform({ ...attached, host: host.host });
  const attaching = direct.attach({ ...attached, host: host.host });
  await sleep(300);
  cable.cut();
  assert.equal(direct.choose("a", SLOW), host.host);
  assert.equal(result(await performing), host.pid);
  const joined = await attaching;
  assert.equal(joined?.status, "succeeded", JSON.stringify(joined));
});

test("a name stands for hosts that come and go: new ones are met, what one had when its name was taken away it still answers", async (t) => {
  const [one, two] = await Promise.all([startFar(t), startFar(t)]);
  const cables = await Promise.all([one, two].map((host) => openCable(t, host.port)));
  const found = { ports: [] as readonly number[] };
  const names = cables.map(({ port }) => ({ host: `host-${port}`, port }));
  const lookup = async (name: string) => {
    if (found.ports.some((port) => name === `host-${port}`)) return ["127.0.0.1"];
    throw new Error("no such name");
  };
  const door = await openFar(t, [], { met: 0, addresses: names, lookup });
  assert.equal(door.fault(), "no plugin host is found by its name");
  found.ports = [cables[0]?.port ?? 0];
  assert.ok(await until(() => door.choose("a", SLOW) === one.host, 8_000));
  const performing = door.perform({ ...asked(SLOW, { input: '{"ms":4000}' }), host: one.host });
  found.ports = [cables[1]?.port ?? 0];
  assert.ok(await until(() => Array.from({ length: 64 }, (_, n) => door.choose(`t${n}`, SLOW)).includes(two.host), 8_000));
  assert.equal(result(await performing), one.pid);
});
