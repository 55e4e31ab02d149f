import assert from "node:assert/strict";
import { createCipheriv } from "node:crypto";
import { test } from "node:test";
import { asked, placeForFile } from "./place.ts";

const place = placeForFile();

const CRYPTO = "00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef";

test("crypto is the key stream of ChaCha20, Math.random is drawn from a seed of its own; both begin anew alike", async () => {
  const { door } = place;
  const run = async (text: string, math = "1".repeat(64), crypto = CRYPTO) =>
    JSON.parse((await door.invoke(asked(text, { chance: { math, crypto } }))).result ?? "null");
  const stream = createCipheriv("chacha20", Buffer.from(CRYPTO, "hex"), Buffer.alloc(16)).update(Buffer.alloc(300));
  const drawn = await run("return [...crypto.getRandomValues(new Uint8Array(70)), ...crypto.getRandomValues(new Uint8Array(230))]");
  assert.deepEqual(drawn, [...stream]);
  const words = new Uint16Array(stream.buffer.slice(stream.byteOffset, stream.byteOffset + 6));
  assert.deepEqual(await run("return [...crypto.getRandomValues(new Uint16Array(4).subarray(1))]"), [...words]);
  const uuid = await run("return crypto.randomUUID()");
  assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(uuid.slice(0, 8), stream.toString("hex", 0, 4));
  const math = "return Array.from({ length: 2000 }, () => Math.random())";
  const first: number[] = await run(math);
  assert.deepEqual(await run(`crypto.randomUUID(); ${math}`), first, "one is not drawn from the other");
  assert.notDeepEqual(await run(math, "2".repeat(64)), first);
  assert.notEqual(await run("return crypto.randomUUID()", undefined, "9".repeat(64)), uuid);
  assert.ok(first.every((n) => n >= 0 && n < 1) && new Set(first).size === 2_000);
  const mean = first.reduce((sum, n) => sum + n, 0) / 2_000;
  assert.ok(Math.abs(mean - 0.5) < 0.03, String(mean));
  const tenths = Array.from({ length: 10 }, (_, tenth) => first.filter((n) => Math.floor(n * 10) === tenth).length);
  assert.ok(
    tenths.every((count) => count > 140 && count < 260),
    tenths.join(),
  );
});

test("what crypto is asked wrongly it refuses; it is frozen", async () => {
  const { door } = place;
  const run = async (text: string) => {
    const { result, failure } = await door.invoke(asked(text));
    return result === undefined ? failure?.name : JSON.parse(result);
  };
  for (const wrong of ["new Float64Array(1)", "[1]", "'x'", "null", "new ArrayBuffer(8)", "{ length: 4 }"])
    assert.equal(await run(`crypto.getRandomValues(${wrong}); return 1`), "TypeError", wrong);
  assert.equal(await run("crypto.getRandomValues(new Uint8Array(65537)); return 1"), "RangeError");
  assert.equal(await run("return crypto.getRandomValues(new BigUint64Array(2)).length"), 2);
  assert.equal(await run("crypto.randomUUID = () => 'mine'; return 1"), "TypeError");
});

test("texts, bytes and copies", async () => {
  const { door } = place;
  const run = async (text: string) => {
    const { result, failure, detail } = await door.invoke(asked(`return ${text}`));
    return result === undefined ? (failure?.name ?? detail) : JSON.parse(result);
  };
  const bad = [0x61, 0xc3, 0x28, 0xe2, 0x82, 0xf0, 0x9f, 0x98, 0xed, 0xa0, 0x80, 0xc0, 0x80, 0xf5, 0xf4, 0x90, 0x80, 0x62, 0xff];
  assert.equal(await run(`new TextDecoder().decode(new Uint8Array([${bad}]))`), new TextDecoder().decode(Uint8Array.from(bad)));
  assert.equal(await run(`new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([${bad}]))`), "TypeError");
  assert.deepEqual(await run("[...new TextEncoder().encode('aä€😀\\ud800')]"), [...new TextEncoder().encode("aä€😀\ud800")]);
  const way = "new TextDecoder().decode(new TextEncoder().encode(s).buffer) === s";
  assert.equal(await run(`((s) => ${way})('ä€😀 '.repeat(2000))`), true);
  assert.deepEqual(await run("['\\ufeffa', 'a'].map((s) => new TextDecoder().decode(new TextEncoder().encode(s)).length)"), [1, 1]);
  assert.equal(await run("new TextDecoder('latin1')"), "RangeError");
  const all = String.fromCharCode(...Array.from({ length: 256 }, (_, n) => n));
  const json = JSON.stringify(all).replaceAll("\\u0000", "\\0");
  assert.equal(await run(`btoa(${json})`), btoa(all));
  assert.equal(await run(`atob(btoa(${json})) === ${json}`), true);
  assert.equal(await run("atob(' aG\\nk ')"), "hi");
  for (const wrong of ["btoa('€')", "atob('a')", "atob('a%')"]) assert.equal(await run(wrong), "InvalidCharacterError", wrong);
  assert.deepEqual(await run("((o) => [structuredClone(o), structuredClone(o) !== o, structuredClone(1)])({ a: [1, null] })"), [
    { a: [1, null] },
    ...[true, 1],
  ]);
  for (const wrong of ["() => 1", "Symbol()", "new Map()"]) assert.equal(await run(`structuredClone(${wrong})`), "DataCloneError", wrong);
});
