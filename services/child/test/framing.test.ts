import assert from "node:assert/strict";
import { test } from "node:test";
import { encode, FrameReader } from "../framing.ts";
import { FrameFault } from "../strict.ts";

const MAX = 16 * 1024 * 1024;
const FRAMES = [
  { frame: "hello", protocol: 1 },
  { frame: "line", text: "ä€😀\u2028" },
  { frame: "x", nested: { a: [1, null, "…"] } },
];
const BYTES = Buffer.concat(FRAMES.map((frame) => encode(frame, MAX)));

test("a stream split at every byte gives the same frames", () => {
  for (let cut = 0; cut <= BYTES.length; cut++) {
    const reader = new FrameReader(MAX);
    assert.deepEqual([...reader.push(BYTES.subarray(0, cut)), ...reader.push(BYTES.subarray(cut))], FRAMES, `cut at ${cut}`);
  }
});

test("a stream that comes byte by byte, or in pieces of every size, gives the same frames", () => {
  for (let size = 1; size <= BYTES.length; size++) {
    const reader = new FrameReader(MAX);
    const found: unknown[] = [];
    for (let at = 0; at < BYTES.length; at += size) found.push(...reader.push(BYTES.subarray(at, at + size)));
    assert.deepEqual(found, FRAMES, `pieces of ${size}`);
  }
});

test("several frames in one read come together and in order", () => {
  assert.deepEqual(new FrameReader(MAX).push(BYTES), FRAMES);
});

test("a header over the bound is refused before any byte of its frame is kept", () => {
  const reader = new FrameReader(1_000);
  const header = Buffer.alloc(4);
  header.writeUInt32BE(1_001);
  assert.throws(() => reader.push(header), FrameFault);
  header.writeUInt32BE(0xffff_ffff);
  assert.throws(() => new FrameReader(MAX).push(header), FrameFault);
});

test("a frame of exactly the bound is read", () => {
  const bytes = encode({ text: "x".repeat(100) }, MAX);
  assert.equal(new FrameReader(bytes.length - 4).push(bytes).length, 1);
  assert.throws(() => new FrameReader(bytes.length - 5).push(bytes), FrameFault);
});

test("bad UTF-8, bad JSON, a byte order mark and an empty frame are refused", () => {
  const bodies = [
    Buffer.from([0x22, 0xc3, 0x28, 0x22]),
    Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
    Buffer.from([0x22, 0xf0, 0x9f, 0x98, 0x22]),
    Buffer.from("{"),
    Buffer.from("\ufeff{}"),
    Buffer.alloc(0),
  ];
  for (const body of bodies) {
    const header = Buffer.alloc(4);
    header.writeUInt32BE(body.length);
    assert.throws(() => new FrameReader(MAX).push(Buffer.concat([header, body])), FrameFault, body.toString("hex"));
  }
});

test("noise never does anything but give values or a fault", () => {
  let state = 7;
  const next = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 16;
  };
  for (let round = 0; round < 2_000; round++) {
    const bytes = Buffer.from(BYTES);
    for (let n = 0; n < 1 + (next() % 4); n++) bytes[next() % bytes.length] = next() % 256;
    try {
      assert.ok(Array.isArray(new FrameReader(MAX).push(bytes)));
    } catch (error) {
      assert.ok(error instanceof FrameFault);
    }
  }
});

test("where beats are taken an empty frame is one, between frames and split anywhere, and no value", () => {
  const beat = Buffer.alloc(4);
  const bytes = Buffer.concat([beat, ...FRAMES.flatMap((frame) => [encode(frame, MAX), beat, beat])]);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const reader = new FrameReader(MAX, true);
    assert.deepEqual([...reader.push(bytes.subarray(0, cut)), ...reader.push(bytes.subarray(cut))], FRAMES, `cut at ${cut}`);
  }
});
