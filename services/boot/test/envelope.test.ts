import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { doorSealing, makeSealKeys, publicOf, seal, unseal } from "../envelope.ts";

const keys = makeSealKeys();
const of = { tenant: "019a0000-0000-7000-8000-00000000000a", name: "API_KEY" };

test("what is sealed is opened with the private key alone (V1)", () => {
  for (const text of ["", "s3cret", "ß\u0000😀\n", "x".repeat(65_536)]) {
    assert.equal(unseal(keys.privateKey, of, seal(keys.publicKey, of, text)), text);
  }
  assert.throws(() => unseal(keys.publicKey, of, seal(keys.publicKey, of, "x")));
  assert.equal(publicOf(keys.privateKey), keys.publicKey);
});

test("another tenant, name or key opens nothing (V2)", () => {
  const sealed = seal(keys.publicKey, of, "s3cret");
  for (const other of [
    { ...of, name: "API_KEY2" },
    { ...of, name: "" },
    { ...of, tenant: of.tenant.replace("a0", "b0") },
    { tenant: of.name, name: of.tenant },
  ])
    assert.throws(() => unseal(keys.privateKey, other, sealed), JSON.stringify(other));
  assert.throws(() => unseal(makeSealKeys().privateKey, of, sealed));
});

test("no bit can be changed, nothing cut off or added (V2)", () => {
  const sealed = seal(keys.publicKey, of, "s3cret");
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const changed = Uint8Array.from(sealed);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.throws(() => unseal(keys.privateKey, of, changed), `bit ${bit}`);
  }
  for (let length = 0; length < sealed.length; length++) assert.throws(() => unseal(keys.privateKey, of, sealed.subarray(0, length)));
  assert.throws(() => unseal(keys.privateKey, of, Uint8Array.of(...sealed, 0)));
});

test("two seals of one text share nothing, and none holds the text (V3)", () => {
  const [one, two] = [seal(keys.publicKey, of, "s3cret".repeat(4)), seal(keys.publicKey, of, "s3cret".repeat(4))];
  const runs = (bytes: Uint8Array) => new Set(Array.from({ length: bytes.length - 4 }, (_, i) => bytes.slice(1 + i, 5 + i).join()));
  assert.deepEqual(
    [...runs(one)].filter((run) => runs(two).has(run)),
    [],
  );
  assert.ok(!Buffer.from(one).includes("s3cret"));
});

test("only X25519 keys are taken, and no point that makes every secret the same", () => {
  const other = generateKeyPairSync("ed25519");
  const text = other.publicKey.export({ format: "der", type: "spki" }).toString("base64");
  assert.throws(() => seal(text, of, "x"), /X25519/);
  assert.throws(() => publicOf(other.privateKey.export({ format: "der", type: "pkcs8" }).toString("base64")), /X25519/);
  assert.throws(() => seal("", of, "x"));
  const sealed = seal(keys.publicKey, of, "x").fill(0, 1, 33);
  assert.throws(() => unseal(keys.privateKey, of, sealed));
});

test("what is sealed for one door opens as nothing else (V2)", () => {
  const sealed = seal(keys.publicKey, doorSealing(of, "d1"), "s3cret");
  assert.equal(unseal(keys.privateKey, doorSealing(of, "d1"), sealed), "s3cret");
  for (const other of [of, doorSealing(of, "d2"), doorSealing({ ...of, name: "OTHER" }, "d1"), { ...of, name: "d1" }])
    assert.throws(() => unseal(keys.privateKey, other, sealed), JSON.stringify(other));
});
