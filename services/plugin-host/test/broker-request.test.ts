import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Part } from "@woml/capability";
import { idempotencyOf } from "../broker/idempotency.ts";
import { asking, ended, manifest, open, serve } from "./broker-place.ts";

const SECRET = 'p&ss/"wörd"';
const HOLD = "placeholder0123456789";
const holding = (part: Part = { secret: "TOKEN" }) => ({
  placeholders: new Map([[HOLD, part]]),
  secrets: { TOKEN: SECRET, API_KEY: "k-1234" },
});

async function echo(t: Parameters<typeof serve>[0]) {
  const { port, seen } = await serve(t, (_seen, response) => response.end("{}"));
  const broker = open(t, { privateHosts: [`127.0.0.1:${port}`], resolve: async () => ["93.184.215.14"] });
  return { broker, seen, url: `http://127.0.0.1:${port}` };
}

describe("a request that breaks a rule is refused before it leaves", () => {
  const url = "http://a.example/";
  const rows: readonly (readonly [what: string, request: unknown, code: string])[] = [
    ["no object", "GET /", "REQUEST_INVALID"],
    ["a field nobody knows", { url, agent: 1 }, "REQUEST_INVALID"],
    ["no url", { method: "GET" }, "REQUEST_INVALID"],
    ["two bodies", { url, method: "POST", text: "", json: null }, "REQUEST_INVALID"],
    ["a body that is read by nobody", { url, json: {} }, "REQUEST_INVALID"],
    ["bytes that are not base64", { url, method: "POST", bytesBase64: "a" }, "REQUEST_INVALID"],
    ["a method with a blank", { url, method: "GET /x" }, "REQUEST_INVALID"],
    ["more redirects than ten", { url, maxRedirects: 11 }, "REQUEST_INVALID"],
    ["a larger answer than 1 MiB", { url, maxResponseBytes: 1_048_577 }, "REQUEST_INVALID"],
    ["a header of no shape", { url, headers: { a: 1 } }, "REQUEST_INVALID"],
    ["a format without a place", { url, headers: { a: { secret: "API_KEY", format: "x" } } }, "REQUEST_INVALID"],
    ["a way through the server", { url, method: "CONNECT" }, "METHOD_FORBIDDEN"],
    ["an echo of what was sent", { url, method: "trace" }, "METHOD_FORBIDDEN"],
    ["a method that is not declared", { url, method: "PURGE" }, "METHOD_UNDECLARED"],
    ["another host's name", { url, headers: { Host: "b.example" } }, "HEADER_FORBIDDEN"],
    ["a length", { url, headers: { "content-length": "0" } }, "HEADER_FORBIDDEN"],
    ["a framing", { url, headers: { "Transfer-Encoding": "chunked" } }, "HEADER_FORBIDDEN"],
    ["a connection", { url, headers: { connection: "keep-alive" } }, "HEADER_FORBIDDEN"],
    ["another protocol", { url, headers: { upgrade: "h2c" } }, "HEADER_FORBIDDEN"],
    ["a proxy's word", { url, headers: { "proxy-authorization": "x" } }, "HEADER_FORBIDDEN"],
    ["another client's address", { url, headers: { "x-forwarded-for": "127.0.0.1" } }, "HEADER_FORBIDDEN"],
    ["a second line in a header", { url, headers: { a: "1\r\nhost: b" } }, "HEADER_INVALID"],
    ["a bare line feed", { url, headers: { a: "1\nb: 2" } }, "HEADER_INVALID"],
    ["a NUL", { url, headers: { a: "1\u0000" } }, "HEADER_INVALID"],
    ["a letter that no header holds", { url, headers: { a: "č" } }, "HEADER_INVALID"],
    ["a second line in a header's name", { url, headers: { "a: 1\r\nb": "2" } }, "HEADER_INVALID"],
    ["a blank in a header's name", { url, headers: { "content-length ": "2" } }, "HEADER_INVALID"],
    ["headers of more than 32 KiB", { url, headers: { a: "x".repeat(32_768) } }, "REQUEST_TOO_LARGE"],
    ["a URL of more than 32 KiB", { url: `${url}${"x".repeat(32_768)}` }, "REQUEST_TOO_LARGE"],
    ["a body of more than 1 MiB", { url, method: "POST", text: "€".repeat(349_526) }, "REQUEST_TOO_LARGE"],
    ["a secret that is not declared", { url, headers: { a: { secret: "OTHER" } } }, "SECRET_UNDECLARED"],
    ["a secret that the tenant has not", { url, headers: { a: { secret: "API_KEY" } } }, "SECRET_MISSING"],
  ];
  for (const [what, request, code] of rows) {
    test(`${what}: ${code}`, async (t) => {
      const broker = open(t, { resolve: async () => assert.fail("looked up") });
      assert.equal(ended(await broker.request(asking(request, { secrets: { OTHER: "x" } }))), `refused WOML_EGRESS_${code}`);
    });
  }
});

test("an operation that only reads gets out with GET, HEAD and OPTIONS alone", async (t) => {
  const { broker, seen, url } = await echo(t);
  const ask = async (method: string, given: object) => ended(await broker.request(asking({ method, url }, given)));
  for (const given of [{ effect: "pure" }, { effect: "reattachable", reattach: true }, { effect: "keyed", reattach: true }]) {
    for (const method of ["POST", "put", "PATCH", "DELETE"]) {
      assert.equal(await ask(method, given), "refused WOML_EGRESS_METHOD_FORBIDDEN");
    }
    for (const method of ["get", "HEAD", "OPTIONS"]) assert.equal(await ask(method, given), "answered 200");
  }
  assert.equal(seen.length, 9);
});

test("6: the key's header is the platform's, whatever the plugin put there, and a keyed call without one is refused", async (t) => {
  const { broker, seen, url } = await echo(t);
  const idempotency = { header: "Idempotency-Key", value: "key-1" };
  const request = { method: "POST", url, headers: { "IDEMPOTENCY-KEY": "mine" } };
  assert.equal(ended(await broker.request(asking(request, { effect: "keyed", idempotency }))), "answered 200");
  assert.equal(ended(await broker.request(asking(request, { effect: "keyed" }))), "refused WOML_EGRESS_KEY_MISSING");
  const forbidden = { effect: "keyed" as const, idempotency: { header: "Host", value: "evil.example" } };
  assert.equal(ended(await broker.request(asking(request, forbidden))), "refused WOML_EGRESS_HEADER_FORBIDDEN");
  assert.deepEqual(
    seen.map(({ headers }) => headers["idempotency-key"]),
    ["key-1"],
  );
});

test("the key's header and value are found where the manifest points", () => {
  const pointed = { header: { pointer: "/idempotency/header" }, value: { pointer: "/idempotency/value" }, windowHours: 24 };
  assert.deepEqual(idempotencyOf({ header: "k", windowHours: 1 }, {}, "key"), { header: "k", value: "key" });
  assert.deepEqual(idempotencyOf(pointed, { idempotency: { header: "x-key" } }, "key"), { header: "x-key", value: "key" });
  assert.deepEqual(idempotencyOf(pointed, { idempotency: { header: "x-key", value: "own" } }, "key"), { header: "x-key", value: "own" });
  for (const input of [
    null,
    "x",
    {},
    { idempotency: {} },
    { idempotency: { header: 1 } },
    Object.create({ idempotency: { header: "x" } }),
  ]) {
    assert.equal(idempotencyOf(pointed, input, "key"), null);
  }
  assert.equal(idempotencyOf(undefined, {}, "key"), null);
  assert.deepEqual(idempotencyOf({ header: { pointer: "/a~1b/0" }, windowHours: 1 }, { "a/b": ["h"] }, "key"), {
    header: "h",
    value: "key",
  });
});

describe("4: secrets are put in after the last check, as the place needs them", () => {
  test("named by the manifest, in a header and its format", async (t) => {
    const { broker, seen, url } = await echo(t);
    const headers = { authorization: { secret: "API_KEY", format: "Bearer {}" }, "x-twice": { secret: "API_KEY", format: "{}:{}" } };
    assert.equal(ended(await broker.request(asking({ url, headers }, { secrets: { API_KEY: "$&k$1" } }))), "answered 200");
    assert.deepEqual([seen[0]?.headers["authorization"], seen[0]?.headers["x-twice"]], ["Bearer $&k$1", "$&k$1:$&k$1"]);
  });

  test("held by a placeholder: header, path, query, JSON, form and text", async (t) => {
    const { broker, seen, url } = await echo(t);
    const ascii = { ...holding(), secrets: { TOKEN: 'a&b/"c"', API_KEY: "" } };
    const post = async (request: object) => {
      const answer = await broker.request(asking({ method: "POST", url: `${url}/${HOLD}?q=${HOLD}&r=1`, ...request }, ascii));
      assert.equal(ended(answer), "answered 200");
      return seen.at(-1);
    };
    const json = await post({ json: { [HOLD]: [`<${HOLD}>`] }, headers: { "x-token": `t=${HOLD}` } });
    assert.equal(json?.url, "/a%26b%2F%22c%22?q=a%26b%2F%22c%22&r=1");
    assert.equal(json?.headers["x-token"], 't=a&b/"c"');
    assert.deepEqual(JSON.parse(json?.body ?? ""), { 'a&b/"c"': ['<a&b/"c">'] });
    const typed = { "content-type": "application/vnd.api+json; charset=utf-8" };
    assert.deepEqual(JSON.parse((await post({ text: JSON.stringify({ a: HOLD }), headers: typed }))?.body ?? ""), { a: 'a&b/"c"' });
    const form = { "content-type": "application/x-www-form-urlencoded" };
    assert.equal((await post({ text: `a=${HOLD}&b=1`, headers: form }))?.body, "a=a%26b%2F%22c%22&b=1");
    assert.equal((await post({ text: `a ${HOLD}` }))?.body, 'a a&b/"c"');
    const bytesBase64 = Buffer.from(HOLD).toString("base64");
    assert.equal((await post({ bytesBase64 }))?.body, HOLD, "in bytes nothing is filled in");
  });

  test("derived: base64, and URL-encoded only once", async (t) => {
    const { broker, seen, url } = await echo(t);
    const basic: Part = { base64: ["user:", { secret: "TOKEN" }] };
    await broker.request(asking({ url, headers: { authorization: `Basic ${HOLD}` } }, holding(basic)));
    assert.equal(seen[0]?.headers["authorization"], `Basic ${Buffer.from(`user:${SECRET}`).toString("base64")}`);
    await broker.request(asking({ url: `${url}/?q=${HOLD}` }, holding({ url: ["ü", { secret: "TOKEN" }] })));
    assert.equal(seen[1]?.url, `/?q=${encodeURIComponent(`ü${SECRET}`)}`);
  });

  test("never in a host, and not before the checks: no name server, no message and no URL sees a value", async (t) => {
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      return ["127.0.0.1"];
    };
    const broker = open(t, { resolve });
    const given = { ...holding(), secrets: { TOKEN: "evil.example", API_KEY: "" } };
    const misplaced = await broker.request(asking({ url: `http://${HOLD}.example/` }, given));
    assert.equal(ended(misplaced), "refused WOML_EGRESS_SECRET_MISPLACED");
    const port = await broker.request(asking({ url: `http://a.example:${HOLD}/` }, given));
    assert.equal(ended(port), "refused WOML_EGRESS_URL_INVALID");
    const scoped = { ...given, manifest: manifest(["evil.example"]) };
    assert.equal(ended(await broker.request(asking({ url: `http://${HOLD}/` }, scoped))), "refused WOML_EGRESS_HOST_UNDECLARED");
    const refused = await broker.request(asking({ url: `http://in.example/${HOLD}` }, given));
    assert.equal(ended(refused), "refused WOML_EGRESS_ADDRESS_FORBIDDEN");
    assert.deepEqual(asked, ["in.example"]);
    assert.doesNotMatch(JSON.stringify([misplaced, port, refused]), /evil/);
  });

  test("held thousands of times; more than a request can hold is not even put together", async (t) => {
    const { port, seen } = await serve(t, (_, response) => response.end());
    const broker = open(t, { privateHosts: [`127.0.0.1:${port}`] });
    const placeholders = new Map(Array.from({ length: 15_000 }, (_, i) => [`woml_secret_00ff_${i}_`, { base64: [{ secret: "KEY" }] }]));
    const send = (value: string) => {
      const request = { method: "POST", url: `http://127.0.0.1:${port}/`, json: [...placeholders.keys()] };
      const given = { placeholders, secrets: { KEY: value }, manifest: manifest(["*"], [port]) };
      return broker.request(asking(request, given));
    };
    const from = process.cpuUsage();
    assert.equal(ended(await send("v")), "answered 200");
    assert.equal(seen[0]?.body, JSON.stringify(Array(15_000).fill(btoa("v"))));
    assert.equal(ended(await send("v".repeat(60_000))), "refused WOML_EGRESS_REQUEST_TOO_LARGE");
    assert.ok(process.cpuUsage(from).user < 5_000_000, `${process.cpuUsage(from).user} µs`);
  });

  test("a value with a line break does not get into a header", async (t) => {
    const { broker, seen, url } = await echo(t);
    const headers = { "x-token": HOLD };
    const answer = await broker.request(asking({ url, headers }, { ...holding(), secrets: { TOKEN: "line-one\r\nhost: b" } }));
    assert.equal(ended(answer), "refused WOML_EGRESS_HEADER_INVALID");
    assert.doesNotMatch(JSON.stringify(answer), /line-one/);
    assert.equal(seen.length, 0);
  });

  test("what is told of the URL does not hold it", async (t) => {
    const { broker, url } = await echo(t);
    const answer = await broker.request(asking({ url: `${url}/${HOLD}` }, holding()));
    assert.equal(answer.status === "answered" && answer.response.url, `${url}/[secret TOKEN]`);
  });
});
