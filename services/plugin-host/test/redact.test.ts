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

test("as other languages escape it, and where a header's bytes are read as a body's or the other way round", () => {
  const latin = Buffer.from(secret, "latin1");
  const forms = [
    ...['S3cr?t\\/\\"välue\\"', 'S3cr?t/\\"v\\u00e4lue\\"', 'S3cr?t\\/\\"v\\u00e4lue\\"'],
    ...["S3cr?t/&quot;välue&quot;", "S3cr?t/&#34;välue&#34;"],
    ...[latin.toString("utf8"), Buffer.from(secret).toString("latin1"), JSON.stringify(latin.toString("utf8")).slice(1, -1)],
    ...[latin.toString("hex"), latin.toString("base64"), encodeURIComponent(latin.toString("utf8"))],
  ];
  for (const form of forms) assert.equal(text(`<${form}>`), "<[secret KEY]>", form);
  assert.equal(redactor({ KEY: "(it's)*~4!" }).text("x=%28it%27s%29%2A%7E4%21"), "x=[secret KEY]");
});

test("one spelling within another, as where an error quotes an answer that quotes the request", () => {
  const quoted = JSON.stringify({ error: secret });
  for (const whole of [JSON.stringify({ quoted }), encodeURIComponent(quoted), quoted.replaceAll('"', "&quot;")]) {
    assert.match(text(whole), /\[secret KEY\]/, whole);
  }
  const deep = JSON.stringify([JSON.stringify({ deep: JSON.stringify(quoted) }), "after"]);
  assert.match(text(deep), /^[^S]*\[secret KEY\][^S]*after"\]$/);
  for (const encoding of ["base64", "hex"] as const) assert.match(text(Buffer.from(quoted).toString(encoding)), /\[secret KEY\]/);
});

test("many long values, and a long text in which none of them stands, take no time worth a thought", () => {
  const secrets = Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`K${i}`, `"\\ö/${"+&".repeat(i + 8)}${i}`]));
  const whole = JSON.stringify(Object.values(secrets).map((one) => one.slice(1, -1))).repeat(20);
  const from = process.cpuUsage();
  redactor({ ...secrets, PEM: `-----${"ab/+\n".repeat(10_000)}`, SAME: "a".repeat(50_000) }).text(`${whole}${"a".repeat(1_000_000)}`);
  assert.ok(process.cpuUsage(from).user < 10_000_000, `${process.cpuUsage(from).user} µs`);
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

test("a number whose digits are a value, also where it has lost some", () => {
  const digits = redactor({ PIN: "83749261", LONG: "12345678901234567891", ZEROS: "0000" });
  assert.deepEqual(digits.json({ a: [83_749_261, 0, 837_492_612] }), { a: ["[secret PIN]", 0, 837_492_612] });
  assert.deepEqual(digits.json(JSON.parse("[12345678901234567891]")), ["[secret LONG]"]);
});

test("many small texts cost no more than a large one, and a value that is longer than all texts costs nothing", () => {
  const short = Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`K${i}`, `é/&${i}x!y<z`]));
  const texts = Array.from({ length: 30_000 }, (_, i) => `abcdefghijklmnopqrstuvwxyz${i}`);
  const from = process.cpuUsage();
  assert.deepEqual(redactor(short).json(texts), texts);
  const long = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`K${i}`, `é/&x<${i}`.repeat(9_000)]));
  assert.equal(redactor(long).text("It asked for nothing."), "It asked for nothing.");
  assert.ok(process.cpuUsage(from).user < 10_000_000, `${process.cpuUsage(from).user} µs`);
});
