import assert from "node:assert/strict";
import { test } from "node:test";
import { asking, ended, manifest, open, type Seen, serve } from "./broker-place.ts";

const HOLD = "placeholder0123456789";
const given = { placeholders: new Map([[HOLD, { secret: "TOKEN" }]]), secrets: { TOKEN: "t-secret", API_KEY: "k-1234" } };
const headers = {
  authorization: "Bearer x",
  cookie: "a=b",
  "x-key": { secret: "API_KEY" },
  "x-held": HOLD,
  "x-plain": "stays",
};
const sent = (seen: Seen | undefined) =>
  ["authorization", "cookie", "x-key", "x-held", "x-plain"].map((name) => seen?.headers[name] ?? "-");

test("GET and HEAD are followed; credentials and what bears a secret stay with the origin", async (t) => {
  const { port, seen } = await serve(t, ({ url }, response) => {
    const host = `other.example:${port}`;
    const next: Record<string, string> = { "/a": "/b?x=1#f", "/b?x=1": `http://${host}/c`, "/c": `http://first.example:${port}/d` };
    if (next[url] === undefined) response.end("here");
    else response.writeHead(302, { location: next[url] }).end("there");
  });
  const broker = open(t, { privateHosts: [`first.example:${port}`, `other.example:${port}`], resolve: async () => ["127.0.0.1"] });
  const answer = await broker.request(asking({ url: `http://first.example:${port}/a`, headers }, { ...given, effect: "pure" }));
  assert.equal(answer.status, "answered");
  assert.deepEqual(answer.status === "answered" && { ...answer.response, headers: {} }, {
    ...{ status: 200, headers: {}, bodyBase64: Buffer.from("here").toString("base64") },
    ...{ url: `http://first.example:${port}/d`, redirected: true },
  });
  const all = ["Bearer x", "a=b", "k-1234", "t-secret", "stays"];
  const few = ["-", "-", "-", "-", "stays"];
  assert.deepEqual(seen.map(sent), [all, all, few, few], "once dropped they do not come back");
  const head = await broker.request(asking({ method: "HEAD", url: `http://first.example:${port}/a` }, { effect: "pure" }));
  assert.equal(ended(head), "answered 200");
  assert.deepEqual(
    seen.slice(4).map(({ method }) => method),
    ["HEAD", "HEAD", "HEAD", "HEAD"],
  );
});

test("nothing is filled in where a server points: a placeholder that it was sent stays one", async (t) => {
  const { port, seen } = await serve(t, ({ url }, response) => {
    if (url === "/") response.writeHead(302, { location: `/${HOLD}?q=${HOLD}` });
    response.end();
  });
  const broker = open(t, { privateHosts: [`127.0.0.1:${port}`] });
  assert.equal(ended(await broker.request(asking({ url: `http://127.0.0.1:${port}/` }, given))), "answered 200");
  assert.equal(seen[1]?.url, `/${HOLD}?q=${HOLD}`);
});

test("a host that the manifest does not name is refused on the second hop, too", async (t) => {
  const { port, seen } = await serve(t, (_seen, response) => response.writeHead(301, { location: `http://b.example:${port}/` }).end());
  const broker = open(t, { privateHosts: [`a.example:${port}`, `b.example:${port}`], resolve: async () => ["127.0.0.1"] });
  const own = { effect: "pure" as const, manifest: manifest(["a.example"], [port], "acme.payments") };
  assert.equal(ended(await broker.request(asking({ url: `http://a.example:${port}/` }, own))), "refused WOML_EGRESS_HOST_UNDECLARED");
  assert.equal(seen.length, 1);
});

test("a loop ends after five, or as many as were asked for; ten at most", async (t) => {
  const { port, seen } = await serve(t, (_seen, response) => response.writeHead(307, { location: "/" }).end());
  const broker = open(t, { privateHosts: [`127.0.0.1:${port}`] });
  const ask = async (request: object) => {
    const before = seen.length;
    const answer = await broker.request(asking({ url: `http://127.0.0.1:${port}/`, ...request }, { effect: "pure" }));
    return [ended(answer), seen.length - before];
  };
  const refused = "refused WOML_EGRESS_REDIRECT_REFUSED";
  assert.deepEqual(await ask({}), [refused, 6]);
  assert.deepEqual(await ask({ maxRedirects: 10 }), [refused, 11]);
  assert.deepEqual(await ask({ maxRedirects: 0 }), [refused, 1]);
  assert.deepEqual(await ask({ redirect: "manual" }), ["answered 307", 1]);
  assert.deepEqual(await ask({ redirect: "error" }), [refused, 1]);
  assert.deepEqual(await ask({ method: "OPTIONS" }), ["answered 307", 1], "only GET and HEAD are followed");
});

test("a POST is never sent on: the redirect is the answer, or with `error` nobody knows what it did", async (t) => {
  const { port, seen } = await serve(t, (_seen, response) => response.writeHead(308, { location: "/on" }).end());
  const broker = open(t, { privateHosts: [`127.0.0.1:${port}`] });
  const ask = async (redirect?: string) => {
    const request = { method: "POST", url: `http://127.0.0.1:${port}/`, text: "x", ...(redirect === undefined ? {} : { redirect }) };
    return ended(await broker.request(asking(request)));
  };
  assert.equal(await ask(), "answered 308");
  assert.equal(await ask("follow"), "answered 308");
  assert.equal(await ask("manual"), "answered 308");
  assert.equal(await ask("error"), "ambiguous WOML_EGRESS_REDIRECT_REFUSED");
  assert.equal(seen.length, 4);
  assert.equal(
    seen.every(({ url }) => url === "/"),
    true,
  );
});

test("a redirect whose target is gone: the first hop has left", async (t) => {
  const { port } = await serve(t, (_seen, response) => response.writeHead(302, { location: "http://gone.example/" }).end());
  const resolve = async (host: string) => (host === "gone.example" ? Promise.reject(new Error("no")) : ["127.0.0.1"]);
  const broker = open(t, { privateHosts: [`127.0.0.1:${port}`], resolve });
  const url = `http://127.0.0.1:${port}/`;
  assert.equal(ended(await broker.request(asking({ url }, { effect: "pure" }))), "failed WOML_EGRESS_DNS_FAILED");
  assert.equal(ended(await broker.request(asking({ url }))), "ambiguous WOML_EGRESS_DNS_FAILED");
});

test("4: a server that puts the secret it was sent into its redirect does not get it into a message", async (t) => {
  const { port } = await serve(t, ({ headers: { "x-held": held } }, response) => {
    response.writeHead(302, { location: `http://${held}.example/` }).end();
  });
  const broker = open(t, { privateHosts: [`127.0.0.1:${port}`], resolve: async () => ["10.0.0.1"] });
  const answer = await broker.request(asking({ url: `http://127.0.0.1:${port}/`, headers: { "x-held": HOLD } }, given));
  const message = "[secret TOKEN].example is not on the open network.";
  assert.deepEqual(answer, { status: "ambiguous", code: "WOML_EGRESS_ADDRESS_FORBIDDEN", message });
});
