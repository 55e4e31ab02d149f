import assert from "node:assert/strict";
import { test } from "node:test";
import { redactor } from "../broker/redact.ts";

const secret = 'S3cr?t/"välue"';
const { text, json } = redactor({ KEY: secret, LONG: `${secret}-and-more`, SHORT: "abc" });

test("a value is taken out in every form that it commonly has", () => {
  const bytes = Buffer.from(secret);
  const forms = [
    ...[secret, JSON.stringify(secret).slice(1, -1), bytes.toString("hex"), bytes.toString("hex").toUpperCase()],
    ...[bytes.toString("base64"), bytes.toString("base64url"), encodeURIComponent(secret)],
    new URLSearchParams({ a: secret }).toString().slice(2),
    encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
  ];
  for (const form of forms) assert.equal(text(`<${form}>`), "<[secret KEY]>");
});

test("within a longer base64 text, wherever it begins", () => {
  for (const before of ["", "a", "ab", "user:"]) {
    const told = text(Buffer.from(`${before}${secret}tail`).toString("base64"));
    assert.match(told, /\[secret KEY\]/);
    assert.equal(Buffer.from(told.replace("[secret KEY]", ""), "base64").toString("latin1").includes("S3cr"), false);
  }
});

test("the longer value is taken first, the short one not at all", () => {
  assert.equal(text(`${secret}-and-more ${secret}`), "[secret LONG] [secret KEY]");
  assert.equal(text("abc"), "abc");
});

test("texts and member names of a JSON value; the rest stays as it is", () => {
  const value = { [secret]: [secret, 1, null, true, { a: `x${secret}` }] };
  assert.deepEqual(json(value), { "[secret KEY]": ["[secret KEY]", 1, null, true, { a: "x[secret KEY]" }] });
  assert.deepEqual(redactor({}).json(value), value);
});
