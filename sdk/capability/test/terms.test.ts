import assert from "node:assert/strict";
import { test } from "node:test";
import { idempotencyOf, type OperationManifest, termsOf } from "../index.ts";

const HOUR_MS = 3_600_000;
const manifest = (part: Partial<OperationManifest>): OperationManifest => ({
  effect: "unsafe",
  input: {},
  output: {},
  timeoutMs: 1,
  maxInputBytes: 1,
  maxOutputBytes: 1,
  ...part,
});
const none = { windowMs: null, conclusiveNotFoundAfterMs: null, pendingMaxMs: null };
const table = manifest({
  effect: {
    table: [
      { when: { pointer: "/method", in: ["GET", "HEAD"] }, effect: "pure" },
      { when: { pointer: "/method", present: false }, effect: "pure" },
      { when: { pointer: "/idempotency", present: true }, effect: "keyed" },
      { when: { pointer: "/status~1url", present: true }, effect: "reattachable" },
    ],
    default: "unsafe",
  },
  idempotency: { header: { pointer: "/idempotency/header" }, value: { pointer: "/idempotency/value" }, windowHours: 24 },
  status: { conclusiveNotFoundAfterMs: 0, pendingMaxMs: 5_000 },
});

test("the first line that holds counts, else the default", () => {
  const keyed = { ...none, class: "keyed", windowMs: 24 * HOUR_MS };
  const reattachable = { class: "reattachable", windowMs: null, conclusiveNotFoundAfterMs: 0, pendingMaxMs: 5_000 };
  const header = { idempotency: { header: "Idempotency-Key" } };
  assert.deepEqual(termsOf(table, { method: "GET", ...header }), { ...none, class: "pure" });
  assert.deepEqual(termsOf(table, {}), { ...none, class: "pure" });
  assert.deepEqual(termsOf(table, { method: "POST", ...header }), keyed);
  assert.deepEqual(termsOf(table, { method: "POST", "status/url": "x" }), reattachable);
  assert.deepEqual(termsOf(table, { method: "get" }), { ...none, class: "unsafe" });
});

test("a line looks at own members only, and at scalars as they are", () => {
  const of = (when: { pointer: string; in: (string | number | null)[] } | { pointer: string; present: boolean }, input: unknown) =>
    termsOf(manifest({ effect: { table: [{ when, effect: "pure" }], default: "unsafe" } }), input).class;
  assert.equal(of({ pointer: "/constructor", present: true }, {}), "unsafe");
  assert.equal(of({ pointer: "/a/length", present: true }, { a: [1] }), "unsafe");
  assert.equal(of({ pointer: "/a/0", in: [1] }, { a: [1] }), "pure");
  assert.equal(of({ pointer: "/a/00", in: [1] }, { a: [1] }), "unsafe");
  assert.equal(of({ pointer: "/a", in: ["1"] }, { a: 1 }), "unsafe");
  assert.equal(of({ pointer: "/a", in: [null] }, { a: null }), "pure");
  assert.equal(of({ pointer: "/a", in: [null] }, {}), "unsafe");
  assert.equal(of({ pointer: "/a", present: true }, { a: null }), "pure");
  assert.equal(of({ pointer: "", present: true }, 5), "pure");
  assert.equal(of({ pointer: "/~01", in: [1] }, { "~1": 1 }), "pure");
  assert.equal(of({ pointer: "/a/b", present: false }, null), "pure");
});

test("keyed without a header that the provider reads has no window: it is never performed again", () => {
  const both = manifest({ effect: "keyed", idempotency: { header: { pointer: "/header" }, windowHours: 0.5 } });
  assert.equal(termsOf(both, { header: "X-Key" }).windowMs, HOUR_MS / 2);
  for (const input of [{}, { header: "" }, { header: 1 }, null]) assert.equal(termsOf(both, input).windowMs, null);
});

test("reattachable with idempotency has a window too, a pure call nothing", () => {
  const idempotency = { header: "Idempotency-Key", windowHours: 1 };
  const status = { pendingMaxMs: 7 };
  assert.deepEqual(termsOf(manifest({ effect: "reattachable", idempotency, status }), {}), {
    class: "reattachable",
    windowMs: HOUR_MS,
    conclusiveNotFoundAfterMs: null,
    pendingMaxMs: 7,
  });
  assert.deepEqual(termsOf(manifest({ effect: "pure", idempotency, status }), {}), { ...none, class: "pure" });
  assert.deepEqual(termsOf(manifest({ effect: "unsafe", idempotency, status }), {}), { ...none, class: "unsafe" });
});

test("the header and the author's own key", () => {
  assert.deepEqual(idempotencyOf(table, { idempotency: { header: "K", value: "mine" } }), { header: "K", value: "mine" });
  assert.deepEqual(idempotencyOf(table, { idempotency: { header: "K" } }), { header: "K", value: null });
  assert.equal(idempotencyOf(table, { idempotency: {} }), null);
  assert.equal(idempotencyOf(manifest({}), {}), null);
});
