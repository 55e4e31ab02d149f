import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../errors.ts";
import { acceptKey, acceptLabels, acceptPayload, LABELS_MAX, PAYLOAD_BYTES } from "../payload.ts";

function refused(work: () => unknown): ApiError {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return error;
  }
  assert.fail("it was taken");
}

test("a payload is an object, and {} when absent", () => {
  assert.deepEqual(acceptPayload(undefined), {});
  assert.deepEqual(acceptPayload({ a: [1, null, "ü"] }), { a: [1, null, "ü"] });
  for (const payload of [null, [], "text", 1, true]) assert.equal(refused(() => acceptPayload(payload)).code, "WOML_PAYLOAD_INVALID");
});

test("what could not be stored or handed on unchanged is refused with its JSON pointer", () => {
  const cases: readonly (readonly [unknown, string, string])[] = [
    [{ a: { "b/c": ["x", "\0"] } }, "WOML_JSON_NUL_CHARACTER", "/a/b~1c/1"],
    [{ "k\0": 1 }, "WOML_JSON_NUL_CHARACTER", "/k\0"],
    [{ a: "\ud800" }, "WOML_JSON_LONE_SURROGATE", "/a"],
    [JSON.parse('{"a":{"__proto__":1}}'), "WOML_JSON_FORBIDDEN_KEY", "/a/__proto__"],
    [JSON.parse('{"a":1e999}'), "WOML_JSON_NUMBER_OUT_OF_RANGE", "/a"],
  ];
  for (const [payload, code, path] of cases) {
    const error = refused(() => acceptPayload(payload));
    assert.equal(error.code, code);
    assert.equal(error.details["path"], path);
  }
  assert.equal(refused(() => acceptPayload({ a: JSON.parse("[".repeat(300) + "]".repeat(300)) })).code, "WOML_JSON_TOO_DEEP");
});

test("a place that lies deep is named whole once, and shortened in the message", () => {
  const error = refused(() => acceptPayload(JSON.parse(`${'{"member":'.repeat(300)}1${"}".repeat(300)}`)));
  assert.equal(error.code, "WOML_JSON_TOO_DEEP");
  assert.match(error.message, /^the payload at (?:\/member)+[/meb]*…: arrays and objects are nested more than 200 deep$/);
  assert.ok(error.message.length < 250, error.message);
  assert.match(String(error.details["path"]), /^(?:\/member){100}/);
});

test("PC-19: a payload of exactly the limit passes, one byte more is refused with limit, size and place", () => {
  const frame = JSON.stringify({ big: { text: "" } }).length;
  const sized = (bytes: number) => ({ big: { text: "ü".repeat((bytes - frame) / 2) + "x".repeat((bytes - frame) % 2) } });
  assert.ok(acceptPayload(sized(PAYLOAD_BYTES)));
  const error = refused(() => acceptPayload(sized(PAYLOAD_BYTES + 1)));
  assert.equal(error.code, "WOML_PAYLOAD_TOO_LARGE");
  assert.deepEqual(error.details, { limit: PAYLOAD_BYTES, actual: PAYLOAD_BYTES + 1, path: "/big/text" });
});

test("a payload of very many members is refused at once, without looking for one that is large", () => {
  const members = Array.from({ length: 400_000 }, (_, at) => at);
  const began = process.cpuUsage();
  assert.equal(refused(() => acceptPayload({ members })).details["path"], "/members");
  assert.ok(process.cpuUsage(began).user < 1_500_000);
});

test("16 labels of 128 characters pass; more, longer, empty or unprintable ones are refused", () => {
  const most = Array.from({ length: LABELS_MAX }, () => "l".repeat(128));
  assert.deepEqual(acceptLabels(most), most);
  assert.deepEqual(acceptLabels(null), []);
  for (const labels of [[...most, "l"], ["l".repeat(129)], [""], ["a\0"], ["a\nb"], ["\udc00"], ["\u202eb"], ["a\u2028"]]) {
    assert.equal(refused(() => acceptLabels(labels)).code, "WOML_LABELS_INVALID");
  }
});

test("a key of 512 characters passes; longer, empty or unprintable ones are refused", () => {
  assert.equal(acceptKey("k".repeat(512)), "k".repeat(512));
  assert.equal(acceptKey("a key, ü"), "a key, ü");
  assert.equal(acceptKey(undefined), null);
  for (const key of ["", "k".repeat(513), "a\0", "\t"]) assert.equal(refused(() => acceptKey(key)).code, "WOML_IDEMPOTENCY_KEY_INVALID");
});
