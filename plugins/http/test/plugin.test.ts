import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { test } from "node:test";
import {
  type Call,
  faults,
  type HttpRequest,
  type HttpResponse,
  type Json,
  manifestOf,
  PluginFailure,
  readManifest,
  termsOf,
} from "@woml/capability";
import plugin from "../plugin.ts";

const manifest = manifestOf(plugin);
const request = manifest.operations["request"] ?? assert.fail();
const URL_ = "https://api.example.com/orders";

interface Answered {
  readonly status?: number;
  readonly body?: string;
}
/** The plugin's answer, and what it asked the network for. */
async function perform(input: object, { status = 200, body = '{"a":1}' }: Answered = {}) {
  assert.deepEqual(faults(request.input, input), []);
  const asked: HttpRequest[] = [];
  const respond = (one: HttpRequest): HttpResponse => {
    asked.push(one);
    const bodyBase64 = Buffer.from(body).toString("base64");
    return {
      status,
      headers: { "x-a": "b" },
      bodyBase64,
      url: one.url,
      redirected: false,
      text: () => body,
      json: () => JSON.parse(body) as Json,
    };
  };
  const call: Call = {
    key: "0".repeat(64),
    try: 1,
    http: { request: async (one) => respond(one) },
    signal: new AbortController().signal,
    log: () => undefined,
  };
  const done = await Promise.resolve(plugin.operations["request"]?.perform(input, call)).then(
    (result) => ({ result: result as Readonly<Record<string, Json>> }),
    (error: unknown) => ({ error: error instanceof PluginFailure ? error : assert.fail(String(error)) }),
  );
  if ("result" in done) assert.deepEqual(faults(request.output, done.result), []);
  return { ...done, asked };
}
async function refused(input: object, code: string): Promise<void> {
  const { asked, ...done } = await perform(input);
  assert.deepEqual(["error" in done && done.error.code, "error" in done && done.error.ambiguous, asked], [code, false, []]);
}

test("the manifest is one that the platform takes, and says so by itself", () => {
  assert.deepEqual(readManifest(manifest), { manifest });
});

test("the class is that of the method, or of the key", () => {
  const of = (input: object) => termsOf(request, { url: URL_, ...input });
  for (const method of ["GET", "HEAD", "OPTIONS"]) assert.equal(of({ method }).class, "pure");
  assert.equal(of({}).class, "pure");
  assert.equal(of({ idempotency: { header: "Idempotency-Key" } }).class, "pure");
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    assert.equal(of({ method }).class, "unsafe");
    assert.deepEqual(of({ method, idempotency: { header: "Idempotency-Key" } }), {
      class: "keyed",
      windowMs: 86_400_000,
      conclusiveNotFoundAfterMs: null,
      pendingMaxMs: null,
    });
  }
});

test("a GET answers JSON, and asks with what the author said", async () => {
  const { asked, ...done } = await perform({ url: URL_, headers: { Accept: "application/json" }, maximumRedirects: 3, redirect: "follow" });
  assert.deepEqual(done, { result: { status: 200, ok: true, headers: { "x-a": "b" }, data: { a: 1 }, url: URL_, redirected: false } });
  assert.deepEqual(asked, [
    {
      url: URL_,
      method: "GET",
      headers: { Accept: "application/json" },
      timeoutMs: 30_000,
      redirect: "follow",
      maxRedirects: 3,
      maxResponseBytes: 1_000_000,
    },
  ]);
});

test("query is added to the URL's own, before the fragment", async () => {
  const urlOf = async (url: string, query: object) => (await perform({ url, query })).asked[0]?.url;
  assert.equal(await urlOf("https://a.example", { a: 1, b: [true, "x y&="] }), "https://a.example?a=1&b=true&b=x%20y%26%3D");
  assert.equal(await urlOf("https://a.example/p?c=%20#f?#", { a: "ü" }), "https://a.example/p?c=%20&a=%C3%BC#f?#");
  assert.equal(await urlOf("https://a.example/?", { a: 1 }), "https://a.example/?a=1");
  assert.equal(await urlOf("https://a.example/", {}), "https://a.example/");
});

test("bodies, one at a time", async () => {
  const bodyOf = async (body: object) => (await perform({ url: URL_, method: "POST", ...body })).asked[0];
  assert.deepEqual((await bodyOf({ json: null }))?.json, null);
  assert.equal((await bodyOf({ text: "" }))?.text, "");
  assert.equal((await bodyOf({ bytesBase64: "AA==" }))?.bytesBase64, "AA==");
  await refused({ url: URL_, method: "POST", json: 1, text: "" }, "HTTP_INPUT_INVALID");
  await refused({ url: URL_, text: "a" }, "HTTP_INPUT_INVALID");
});

test("times", async () => {
  const msOf = async (times: object) => (await perform({ url: URL_, ...times })).asked[0]?.timeoutMs;
  assert.equal(await msOf({ timeoutMs: 5 }), 5);
  for (const [timeout, ms] of [
    ["500ms", 500],
    ["1.005s", 1_005],
    ["5m", 300_000],
    ["0.5s", 500],
  ] as const)
    assert.equal(await msOf({ timeout }), ms);
  for (const timeout of ["5", "0s", "1.5ms", "6m", "1h", "-1s", "1 s", "05s", "0.0s"])
    await refused({ url: URL_, timeout }, "HTTP_INPUT_INVALID");
  await refused({ url: URL_, timeout: "1s", timeoutMs: 1 }, "HTTP_INPUT_INVALID");
});

test("what the schema refuses", () => {
  for (const input of [
    {},
    { url: 1 },
    { url: URL_, method: "get" },
    { url: URL_, method: "TRACE" },
    { url: URL_, retries: 3 },
    { url: URL_, timeoutMs: 0 },
  ]) {
    assert.ok(faults(request.input, input).length > 0, JSON.stringify(input));
  }
  assert.ok(faults(request.input, { url: URL_, maximumRedirects: 11 }).length > 0);
  assert.ok(faults(request.input, { url: URL_, idempotency: {} }).length > 0);
});

test("storage is refused before anything leaves", async () => {
  await refused({ url: URL_, method: "POST", responseType: "storage" }, "HTTP_STORAGE_UNAVAILABLE");
  await refused({ url: URL_, storage: { key: "a" } }, "HTTP_STORAGE_UNAVAILABLE");
});

test("the key's header is the platform's", async () => {
  const idempotency = { header: "Idempotency-Key" };
  await refused({ url: URL_, method: "POST", headers: { "idempotency-key": "x" }, idempotency }, "HTTP_IDEMPOTENCY_MISMATCH");
});

test("what is read: json, text, bytes, nothing", async () => {
  const dataOf = async (input: object, body: string) => {
    const done = await perform({ url: URL_, ...input }, { body });
    return "result" in done ? done.result["data"] : done.error.code;
  };
  assert.deepEqual(await dataOf({}, "[1]"), [1]);
  assert.equal(await dataOf({}, ""), null);
  assert.equal(await dataOf({ responseType: "text" }, ""), "");
  assert.equal(await dataOf({ responseType: "text" }, "ü"), "ü");
  assert.equal(await dataOf({ responseType: "bytes" }, "ab"), "YWI=");
  assert.equal(await dataOf({}, "<html>"), "HTTP_RESPONSE_JSON_INVALID");
});

const keyed = { method: "POST", idempotency: { header: "Idempotency-Key" } };
const judged: readonly (readonly [input: object, status: number, code: string | null, ambiguous: boolean])[] = [
  [{}, 404, "HTTP_STATUS_REJECTED", false],
  [{}, 500, "HTTP_STATUS_REJECTED", false],
  [{}, 503, "HTTP_STATUS_TEMPORARY", false],
  [{}, 429, "HTTP_STATUS_TEMPORARY", false],
  [{ redirect: "manual" }, 302, "HTTP_STATUS_REJECTED", false],
  [{ redirect: "manual", acceptedStatus: { maximum: 399 } }, 302, null, false],
  [{ method: "POST" }, 201, null, false],
  [{ method: "POST" }, 404, "HTTP_STATUS_REJECTED", false],
  [{ method: "POST" }, 429, "HTTP_STATUS_TEMPORARY", false],
  [{ method: "POST" }, 303, "HTTP_STATUS_REJECTED", true],
  [{ method: "POST" }, 500, "HTTP_STATUS_REJECTED", true],
  [{ method: "POST" }, 503, "HTTP_STATUS_TEMPORARY", true],
  [{ method: "POST", acceptedStatus: { minimum: 201, maximum: 201 } }, 200, "HTTP_STATUS_REJECTED", true],
  [{ method: "POST", acceptedStatus: { maximum: 599 } }, 500, null, false],
  [keyed, 402, "HTTP_STATUS_REJECTED", false],
  [keyed, 502, "HTTP_STATUS_TEMPORARY", true],
];
for (const [input, status, code, ambiguous] of judged) {
  test(`${JSON.stringify(input)} answered ${status} is ${code ?? "taken"}${ambiguous ? ", ambiguous" : ""}`, async () => {
    const done = await perform({ url: URL_, ...input }, { status });
    assert.deepEqual("error" in done ? [done.error.code, done.error.ambiguous] : [null, false], [code, ambiguous]);
    if ("error" in done) assert.equal(request.retryable?.includes(done.error.code), code === "HTTP_STATUS_TEMPORARY");
  });
}

test("a body that cannot be read leaves a call with an effect ambiguous", async () => {
  for (const [input, ambiguous] of [
    [{}, false],
    [{ method: "POST" }, true],
    [keyed, true],
  ] as const) {
    const done = await perform({ url: URL_, ...input }, { body: "{" });
    assert.deepEqual("error" in done && [done.error.code, done.error.ambiguous], ["HTTP_RESPONSE_JSON_INVALID", ambiguous]);
  }
});

test("the artefact is the file without its types: one module that imports the contract alone", async () => {
  const artefact = stripTypeScriptTypes(readFileSync(new URL("../plugin.ts", import.meta.url), "utf8"));
  assert.deepEqual(
    [...artefact.matchAll(/\bfrom "([^"]+)"/g)].map(([, from]) => from),
    ["@woml/capability"],
  );
  assert.doesNotMatch(artefact, /\bimport\(|\brequire\(|\bprocess\b|\bnode:/);
  const resolved = artefact.replace('"@woml/capability"', JSON.stringify(import.meta.resolve("@woml/capability")));
  const { default: loaded } = await import(`data:text/javascript;base64,${Buffer.from(resolved).toString("base64")}`);
  assert.deepEqual(manifestOf(loaded), manifest);
});
