import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Performed } from "../../door.ts";
import type { PluginHosts } from "../../hosts.ts";
import { type Far, freePort, openFar, openShop, startFar } from "../far.ts";
import { asked, until } from "../place.ts";

const PER_WAVE = 12;
const EVERY_MS = 60;

/** As an engine does: a host is chosen, the start names it, and what was never handed over is started anew elsewhere. */
async function charge(
  door: PluginHosts,
  release: string,
  effect: "keyed" | "unsafe",
): Promise<{ readonly key: string; readonly said: Performed }> {
  const first = asked(release, { effect, timeoutMs: 20_000, input: JSON.stringify({ beforeMs: Math.floor(Math.random() * 800) }) });
  for (let nth = 1; ; ) {
    const host = door.choose(first.tenant, release);
    // The append of the start takes a moment.
    await sleep(Math.random() * 30);
    if (host === null) continue;
    for (;;) {
      const now = Date.now();
      const said = await door.perform({ ...first, try: nth, now, notAfter: now + 15_000, host: host ?? "" });
      if (said.status === "gone") break;
      assert.ok(said.status !== "out_of_reach", "an orderly end leaves nobody in doubt");
      if (said.status !== "refused") return { key: first.key, said };
      assert.equal(said.reason, "unavailable", said.message);
      await sleep(50);
    }
    nth += 1;
  }
}

test("both hosts are replaced, one after the other, under keyed and unsafe dispatches: none is lost, none is doubled, none is in doubt", async (t) => {
  const shop = await openShop(t, 100);
  const ports = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const start = (port = 0): Promise<Far> => startFar(t, { ...shop, port, options: { ...shop.options, processesPerTenant: 4 } });
  const old = await Promise.all(ports.slice(0, 2).map(start));
  const doors = await Promise.all([1, 2].map(() => openFar(t, ports, { met: 2 })));
  const charges: ReturnType<typeof charge>[] = [];
  let isOver = false;
  const stream = (async () => {
    for (let n = 0; !isOver; n++) {
      const [door = doors[0]] = [doors[n % 2]];
      if (door !== undefined) charges.push(charge(door, shop.release, n % 4 < 2 ? "unsafe" : "keyed"));
      await sleep(EVERY_MS);
    }
  })();
  for (const [n, host] of old.entries()) {
    await sleep(PER_WAVE * EVERY_MS);
    const next = await start(ports[n + 2]);
    assert.ok(
      await until(() => doors.every((door) => Array.from({ length: 64 }, (_, m) => door.choose(`t${m}`, "")).includes(next.host)), 10_000),
    );
    host.kill("SIGTERM");
    assert.equal(await host.exited, "exit 0");
  }
  await sleep(PER_WAVE * EVERY_MS);
  isOver = true;
  await stream;
  const all = await Promise.all(charges);
  assert.ok(all.length > 4 * PER_WAVE, `${all.length}`);
  for (const { key, said } of all) {
    assert.equal(said.status, "succeeded", JSON.stringify(said));
    assert.equal(shop.counts.get(key), 1);
  }
  assert.equal(shop.counts.size, all.length);
});
