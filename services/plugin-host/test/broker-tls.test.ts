import assert from "node:assert/strict";
import { createServer } from "node:https";
import { test } from "node:test";
import { asking, ended, listening, open, serve } from "./broker-place.ts";
import { selfSigned } from "./certificate.ts";

test("TLS: the name's certificate is checked before a byte of the request leaves, and https never leads to http", async (t) => {
  const own = selfSigned("pay.example");
  const plain = await serve(t, (_seen, response) => response.end("plain"));
  const seen: string[] = [];
  const server = createServer(own, (request, response) => {
    seen.push(`${request.method} ${request.headers.host}${request.url}`);
    if (request.url === "/down") response.writeHead(302, { location: `http://pay.example:${plain.port}/` });
    response.end("secure");
  });
  t.after(() => server.closeAllConnections());
  const port = await listening(t, server);
  const privateHosts = [`pay.example:${port}`, `other.example:${port}`, `pay.example:${plain.port}`, `127.0.0.1:${port}`];
  const resolve = async (): Promise<string[]> => ["127.0.0.1"];
  const trusting = open(t, { privateHosts, resolve, authorities: [own.cert] });
  const strict = open(t, { privateHosts, resolve });
  const url = `https://pay.example:${port}/`;

  const answer = await trusting.request(asking({ method: "POST", url, text: "x" }));
  assert.equal(answer.status === "answered" && Buffer.from(answer.response.bodyBase64, "base64").toString(), "secure");
  assert.deepEqual(seen.splice(0), [`POST pay.example:${port}/`]);

  assert.equal(ended(await strict.request(asking({ method: "POST", url }))), "failed WOML_EGRESS_TLS_FAILED", "nobody vouches for it");
  for (const host of ["other.example", "127.0.0.1"]) {
    const elsewhere = asking({ method: "POST", url: `https://${host}:${port}/` });
    assert.equal(ended(await trusting.request(elsewhere)), "failed WOML_EGRESS_TLS_FAILED", `it is not ${host}'s`);
  }
  assert.deepEqual(seen, []);

  const down = await trusting.request(asking({ url: `${url}down` }, { effect: "pure" }));
  assert.equal(ended(down), "refused WOML_EGRESS_REDIRECT_REFUSED");
  assert.deepEqual(plain.seen, []);
});
