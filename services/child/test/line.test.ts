import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Place, takesSocket } from "../index.ts";
import { call, far, openHouse, SECRET, tap, until } from "./house.ts";

function near(t: TestContext): Place & { readonly socket: string } {
  const folder = mkdtempSync(join(tmpdir(), "woml-line-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return { socket: join(folder, "s") };
}

for (const kind of ["a Unix socket", "TCP"]) {
  const placeOf = (t: TestContext): Place => (kind === "TCP" ? far(0, SECRET) : near(t));
  const found = (place: Place, port: number): Place => ("socket" in place ? place : { ...place, port });

  test(`${kind}: one that is to end says so; the one after it is not told of it`, async (t) => {
    const place = placeOf(t);
    const first = await openHouse(t, place);
    const at = found(place, first.port);
    const { line, events } = call(t, at);
    await line.opened();
    assert.deepEqual([line.isDraining, line.complaint], [false, null]);
    for (let n = 0; n < 2; n++) first.wires[0]?.send({ frame: "draining" });
    assert.ok(await until(() => line.isDraining));
    assert.ok(line.isOpen);
    first.close();
    assert.ok(await until(() => !line.isOpen));
    const second = await openHouse(t, at);
    assert.ok(await until(() => line.isOpen));
    assert.deepEqual([line.isDraining, events, second.wires.length], [false, ["met", "drains", "lost", "met"], 1]);
  });

  test(`${kind}: whoever finishes is heard to the end, also while it is being talked to`, async (t) => {
    const place = placeOf(t);
    const house = await openHouse(t, place);
    const { line, events } = call(t, found(place, house.port));
    await line.opened();
    const text = "x".repeat(100_000);
    for (let n = 0; n < 100; n++) line.send({ frame: "told", text });
    for (let n = 0; n < 200; n++) house.wires[0]?.send({ frame: "told", text: `${n} ${text}` });
    await house.wires[0]?.finish(10_000);
    assert.ok(await until(() => events.at(-1) === "lost"));
    assert.equal(events.length, 202);
    assert.ok(events[200]?.startsWith("199 "));
  });
}

test("whoever finishes does not wait for one that reads nothing longer than it said", async (t) => {
  const house = await openHouse(t, far(0, SECRET));
  const wire = await tap(t, house.port);
  await call(t, far(wire.port, SECRET)).line.opened();
  wire.cut();
  const began = performance.now();
  await house.wires[0]?.finish(300);
  const tookMs = performance.now() - began;
  assert.ok(tookMs > 250 && tookMs < 2_000, String(tookMs));
});

test("a line that is cut without a word is noticed on both sides within seven seconds, one that is only quiet is kept", async (t) => {
  const house = await openHouse(t, far(0, SECRET));
  const wire = await tap(t, house.port);
  const cut = call(t, far(wire.port, SECRET));
  const quiet = call(t, far(house.port, SECRET));
  await Promise.all([cut.line.opened(), quiet.line.opened()]);
  const began = performance.now();
  wire.cut();
  assert.ok(await until(() => !cut.line.isOpen && house.ended() === 1, 10_000));
  const tookMs = performance.now() - began;
  assert.ok(tookMs > 3_000 && tookMs < 7_500, String(tookMs));
  assert.deepEqual(cut.events, ["met", "lost"]);
  assert.ok(quiet.line.isOpen);
  assert.deepEqual(quiet.events, ["met"]);
});

test("an address where nobody accepts, or where nobody says hello, is asked again until somebody does", async (t) => {
  const house = await openHouse(t, far(0, SECRET));
  house.close();
  const at = far(house.port, SECRET);
  const { line, events } = call(t, at);
  assert.ok(await until(() => line.complaint?.includes("ECONNREFUSED") ?? false), String(line.complaint));
  await openHouse(t, at);
  assert.ok(await until(() => line.isOpen));
  assert.deepEqual(events, ["met"]);
});

test("another protocol is said in words, and refused to whoever waits", async (t) => {
  const house = await openHouse(t, far(0, SECRET), 9);
  const { line, events } = call(t, far(house.port, SECRET));
  const spread = call(t, far(house.port, SECRET));
  await assert.rejects(line.opened(), /speaks protocol 9, this engine 1/);
  assert.ok(await until(() => spread.line.complaint?.endsWith("speaks protocol 9, this engine 1") ?? false));
  assert.deepEqual([events, spread.line.isOpen], [[], false]);
});

test("a path for a socket is short and stands for no other", () => {
  assert.ok(takesSocket("/run/woml/s"));
  for (const path of [`/${"x".repeat(120)}`, "/run/*", "/run/\\"]) assert.ok(!takesSocket(path));
});
