import assert from "node:assert/strict";
import { request } from "node:http";
import { Readable } from "node:stream";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { BODY_BYTES, UPLOAD_BYTES } from "../limits.ts";
import { ARTEFACT_BYTES } from "../submit.ts";
import { readBody } from "../upload.ts";
import { manifest, SUBMIT } from "./acme.ts";
import { openForFile, type Tenant } from "./opened.ts";
import { send } from "./stub.ts";

const opened = await openForFile();
const MIB = 1024 * 1024;
let count = 0;
const own = (): object => manifest("1.0.0", { id: `upload.p${count++}` });
/** Bytes of base64 that are so many bytes of text. */
const artefact = (bytes: number): string => Buffer.alloc(bytes, "x").toString("base64");
const submission = (bytes: number, of = own()): object => ({ input: { manifest: of, artefact: artefact(bytes) } });

test("the file of a plugin may have 20 MiB and not a byte more; it is stored as it came", async () => {
  const tenant = await opened.tenant("upload-edge");
  const { data, codes } = await tenant.ask(SUBMIT, submission(ARTEFACT_BYTES));
  assert.deepEqual(codes, []);
  const { release } = (data as unknown as { submitPlugin: { release: { release: string } } }).submitPlugin;
  assert.equal((await opened.engine.release(release.release))?.artefact.length, ARTEFACT_BYTES);
  assert.deepEqual((await tenant.ask(SUBMIT, submission(ARTEFACT_BYTES + 1))).codes, ["WOML_PLUGIN_ARTEFACT_INVALID"]);
});

test("nothing but a plugin's file makes a body large", async () => {
  const tenant = await opened.tenant("upload-other");
  const big = "x".repeat(5 * MIB);
  const started = "mutation ($input: StartRunInput!) { startRun(input: $input) { run { id } } }";
  const both = `${SUBMIT.slice(0, -1)} other: submitPlugin(input: $input) { created } }`;
  const cases: readonly (readonly [string, object])[] = [
    [started, { input: { workflow: "w", payload: { artefact: big } } }],
    [started, { input: { workflow: "w", payload: {} }, other: { artefact: big } }],
    [SUBMIT, { input: { manifest: { ...own(), title: big }, artefact: "YQ==" } }],
    [SUBMIT, { ...submission(1), more: big }],
    [both, submission(5 * MIB)],
    ["{ me { admin } }", { artefact: big }],
  ];
  for (const [query, variables] of cases) {
    const { status, codes } = await tenant.ask(query, variables);
    assert.deepEqual([status, codes], [413, ["WOML_BODY_TOO_LARGE"]], query);
  }
});

test("past the largest body nothing is read, whether its length was declared or not", async () => {
  const tenant = await opened.tenant("upload-most");
  const headers = { authorization: `Bearer ${tenant.key}`, "content-type": "application/json" };
  const declared = await answerTo(opened.url, { ...headers, "content-length": String(UPLOAD_BYTES + 1) }, "{");
  assert.deepEqual([declared.status, declared.text.includes("WOML_BODY_TOO_LARGE")], [413, true]);
  const streamed = await answerTo(opened.url, headers, " ".repeat(UPLOAD_BYTES + 1));
  assert.deepEqual([streamed.status, streamed.text.includes("WOML_BODY_TOO_LARGE")], [413, true]);
});

test("strangers get no place: without a key nothing of a body is read", async () => {
  const body = JSON.stringify({ query: SUBMIT, variables: submission(5 * MIB) });
  const { status, codes } = await send(opened.url, body, { authorization: "Bearer x" }).catch(() => ({ status: 401, codes: [] }));
  assert.equal(status, 401);
  assert.ok(codes.every((code) => code === "WOML_UNAUTHENTICATED"));
});

test("large bodies of many tenants pass in turn; small ones do not wait for them", async () => {
  const tenants = await Promise.all(["a", "b", "c"].map((name) => opened.tenant(`upload-${name}`)));
  const [first] = tenants;
  const all = tenants.flatMap((tenant) => [tenant, tenant].map((by) => by.ask(SUBMIT, submission(4 * MIB))));
  const small = (first as Tenant).ask("{ me { admin } }").then(() => "small" as const);
  assert.equal(await Promise.race([small, Promise.all(all)]), "small");
  assert.deepEqual(
    (await Promise.all(all)).map(({ codes }) => codes),
    all.map(() => []),
  );
});

test("whoever goes away in the middle leaves its place", async () => {
  const tenant = await opened.tenant("upload-gone");
  const headers = { authorization: `Bearer ${tenant.key}`, "content-type": "application/json", "content-length": String(8 * MIB) };
  for (let i = 0; i < 3; i++) {
    const gone = request(opened.url, { method: "POST", headers });
    gone.on("error", () => {});
    gone.write("x".repeat(5 * MIB));
    await sleep(50);
    gone.destroy();
  }
  const began = performance.now();
  assert.deepEqual((await tenant.ask(SUBMIT, submission(5 * MIB))).codes, []);
  assert.ok(performance.now() - began < 5_000);
});

test("a body is read on only when it has a place; an error on the way is the reader's", async () => {
  const chunks = (count: number) => Readable.from(Array.from({ length: count }, () => Buffer.alloc(MIB)));
  let asked = 0;
  const enlarge = async (): Promise<void> => {
    asked += 1;
  };
  assert.equal((await readBody(chunks(4), 0, enlarge)).length, BODY_BYTES);
  assert.equal(asked, 0);
  assert.equal((await readBody(chunks(6), 0, enlarge)).length, 6 * MIB);
  assert.equal(asked, 1);
  await assert.rejects(
    readBody(chunks(6), 0, () => Promise.reject(new Error("no place"))),
    /no place/,
  );
  await assert.rejects(readBody(chunks(29), 0, enlarge), { code: "WOML_BODY_TOO_LARGE" });
  const broken = new Readable({ read: () => {} });
  const reading = readBody(broken, 0, enlarge);
  broken.destroy();
  await assert.rejects(reading, { code: "WOML_BODY_INVALID" });
});

/** What is answered to a body that may be cut off while it is sent. */
function answerTo(url: string, headers: Record<string, string>, body: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", headers }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("error", () => resolve({ status: response.statusCode ?? 0, text }));
      response.on("end", () => {
        sent.destroy();
        resolve({ status: response.statusCode ?? 0, text });
      });
    });
    sent.on("error", (error) => reject(error));
    sent.write(body);
    if (!("content-length" in headers)) sent.end();
  });
}
