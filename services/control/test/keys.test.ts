import assert from "node:assert/strict";
import { test } from "node:test";
import { keyId, mintKey, proves } from "../keys.ts";

test("a minted key has its form, and says its id", () => {
  const { text, id, digest } = mintKey();
  assert.match(text, /^woml_[a-z2-7]{8}_[A-Za-z0-9_-]{43}_[0-9a-f]{8}$/);
  assert.equal(keyId(text), id);
  assert.equal(digest.length, 32);
  assert.ok(proves(text, digest));
});

test("no two keys are alike", () => {
  const keys = Array.from({ length: 1_000 }, mintKey);
  assert.equal(new Set(keys.map(({ text }) => text)).size, 1_000);
  assert.ok(new Set(keys.map(({ id }) => id)).size >= 999);
});

test("one changed character anywhere is seen by the checksum, before any database is asked", () => {
  const { text, digest } = mintKey();
  for (let at = 5; at < text.length; at++) {
    const changed = text.slice(0, at) + (text[at] === "a" ? "b" : "a") + text.slice(at + 1);
    assert.equal(keyId(changed), null, changed);
    assert.equal(proves(changed, digest), false);
  }
});

test("texts that are no keys have no id", () => {
  for (const text of ["", "woml_", "woml_abcdefgh", `x${mintKey().text}`, `${mintKey().text}\n`, "woml_\0"])
    assert.equal(keyId(text), null);
});

test("a digest of another length proves nothing and does not throw", () => {
  assert.equal(proves(mintKey().text, new Uint8Array(31)), false);
});
