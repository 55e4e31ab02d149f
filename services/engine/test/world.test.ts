import assert from "node:assert/strict";
import { it } from "node:test";
import { realWorld } from "../index.ts";

it("mints UUIDs of version 7, later ones after earlier ones", async () => {
  const before = Date.now();
  const first = realWorld.mint();
  await new Promise((resolve) => void realWorld.alarm(3, () => resolve(undefined)));
  const second = realWorld.mint();
  for (const id of [first, second]) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.ok(second > first);
  const ms = Number.parseInt(first.replace("-", "").slice(0, 12), 16);
  assert.ok(ms >= before && ms <= Date.now());
});

it("names digests by their algorithm, and makes seeds of 32 bytes", () => {
  assert.equal(realWorld.digest("abc"), "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  assert.match(realWorld.seed(), /^[0-9a-f]{64}$/);
});

it("rings no alarm that was stopped", async () => {
  let rings = 0;
  const stop = realWorld.alarm(1, () => {
    rings += 1;
  });
  stop();
  await new Promise((resolve) => void realWorld.alarm(10, () => resolve(undefined)));
  assert.equal(rings, 0);
});
