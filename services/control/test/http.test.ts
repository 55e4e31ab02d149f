import assert from "node:assert/strict";
import { request } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Log, openLog } from "@woml/boot";
import { getIntrospectionQuery, parse } from "graphql";
import { ControlRefusal, mintKey } from "../index.ts";
import { BODY_BYTES, QUERY_BYTES, TOKENS } from "../limits.ts";
import { adminKey, ask, SECRET, send, stubControl, stubStore, tenantKey } from "./stub.ts";

/** All that is answered to a text on a socket. */
function spoken(url: string, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(text));
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(answer));
  });
}

const ME = "{ me { admin } }";

test("a key of a tenant and the administrator's are told apart", async (t) => {
  const { url } = await stubControl(t);
  assert.deepEqual((await ask(url, ME)).data, { me: { admin: false } });
  assert.deepEqual((await ask(url, "{ me { admin tenant { id } } }", {}, adminKey.text)).data, { me: { admin: true, tenant: null } });
});

test("no key, a wrong, an unknown and a mistyped one look alike: 401, in GraphQL's shape", async (t) => {
  const { url } = await stubControl(t);
  const replies = [];
  for (const authorization of [
    "",
    "Bearer",
    "Bearer x",
    `Basic ${tenantKey.text}`,
    `Bearer ${mintKey().text}`,
    `Bearer ${tenantKey.text}x`,
  ]) {
    replies.push(await send(url, JSON.stringify({ query: ME }), { authorization }));
  }
  for (const { status, codes, data, errors } of replies) {
    assert.deepEqual([status, codes, data], [401, ["WOML_UNAUTHENTICATED"], null]);
    assert.equal(errors[0]?.message, replies[0]?.errors[0]?.message);
    assert.match(String(errors[0]?.extensions["requestId"]), /^[0-9a-f-]{36}$/);
  }
});

test("the administrator's key is refused where a tenant is needed, with a way out, and the other way round", async (t) => {
  const { url } = await stubControl(t);
  const refused = await ask(url, "{ runs { edges { cursor } } }", {}, adminKey.text);
  assert.deepEqual(refused.codes, ["WOML_FORBIDDEN"]);
  assert.match(refused.errors[0]?.message ?? "", /createTenant/);
  assert.deepEqual((await ask(url, 'mutation { createTenant(input: { name: "x" }) { key } }')).codes, ["WOML_FORBIDDEN"]);
});

test("a body of exactly the limit is read, one byte more is 413", async (t) => {
  const { url } = await stubControl(t);
  const sized = (bytes: number): string => {
    const start = `{"query":"${ME}","variables":{"x":"`;
    return `${start}${"x".repeat(bytes - start.length - 3)}"}}`;
  };
  assert.deepEqual((await send(url, sized(BODY_BYTES))).data, { me: { admin: false } });
  const refused = await send(url, sized(BODY_BYTES + 1));
  assert.deepEqual([refused.status, refused.codes, refused.data], [413, ["WOML_BODY_TOO_LARGE"], null]);
});

test("a stranger's large body is refused by its key, before it is read", async (t) => {
  const { url } = await stubControl(t);
  const response = await fetch(url, { method: "POST", body: "x".repeat(BODY_BYTES + 1), headers: { "content-type": "application/json" } });
  assert.equal(response.status, 401);
});

test("what is not one GraphQL request as JSON is refused with a code", async (t) => {
  const { url } = await stubControl(t);
  const cases: readonly (readonly [string, number, string])[] = [
    ["", 400, "WOML_BODY_INVALID"],
    ["{", 400, "WOML_BODY_INVALID"],
    ["null", 400, "WOML_BODY_INVALID"],
    ["{}", 400, "WOML_BODY_INVALID"],
    ['{"query":1}', 400, "WOML_BODY_INVALID"],
    [`{"query":"${ME}","variables":[]}`, 400, "WOML_BODY_INVALID"],
    [`{"query":"${ME}","operationName":1}`, 400, "WOML_BODY_INVALID"],
    [`[{"query":"${ME}"},{"query":"${ME}"}]`, 400, "WOML_BATCH_NOT_ALLOWED"],
    [JSON.stringify({ query: ` ${" ".repeat(QUERY_BYTES)}${ME}` }), 400, "WOML_QUERY_TOO_LARGE"],
    [JSON.stringify({ query: `{ ${"me ".repeat(TOKENS)}}` }), 400, "WOML_QUERY_TOO_LARGE"],
    [JSON.stringify({ query: "{ nothing }" }), 400, "WOML_QUERY_INVALID"],
    [JSON.stringify({ query: "{ me" }), 400, "WOML_QUERY_INVALID"],
    [JSON.stringify({ query: "query ($id: ID!) { run(id: $id) { id } }", variables: { id: {} } }), 400, "WOML_QUERY_INVALID"],
    [JSON.stringify({ query: "query A { me { admin } } query B { me { admin } }", operationName: "C" }), 400, "WOML_QUERY_INVALID"],
  ];
  for (const [body, status, code] of cases) {
    const reply = await send(url, body);
    assert.deepEqual([reply.status, reply.codes[0], reply.data], [status, code, null], body.slice(0, 80));
  }
});

test("bytes that are not UTF-8 are refused and not turned into others", async (t) => {
  const { url } = await stubControl(t);
  const headers = { "content-type": "application/json", authorization: `Bearer ${tenantKey.text}` };
  const body = Buffer.from(`{"query":"${ME}","variables":{"x":"\u00ff"}}`, "latin1");
  const response = await fetch(url, { method: "POST", body, headers });
  assert.deepEqual([response.status, (await response.json()).errors[0].extensions.code], [400, "WOML_BODY_INVALID"]);
});

test("what is no HTTP is refused with a code, in the shape of every refusal", async (t) => {
  const { url } = await stubControl(t);
  const long = `POST /graphql HTTP/1.1\r\nhost: x\r\nx: ${"x".repeat(70_000)}\r\n\r\n`;
  const twice = "POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n";
  for (const [text, status] of [
    ["nonsense\r\n\r\n", 400],
    [twice, 400],
    [long, 431],
  ] as const) {
    const answer = await spoken(url, text);
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `));
    const { data, errors } = JSON.parse(answer.slice(answer.indexOf("{")));
    assert.deepEqual([data, errors[0].extensions.code], [null, "WOML_HTTP_INVALID"]);
  }
});

test("whoever goes away in mid-body is no fault of the platform, and is not logged as one", async (t) => {
  const logged: unknown[] = [];
  const log = { ...openLog("control-test", "silent"), error: (...said: unknown[]) => void logged.push(said) } as Log;
  const { url } = await stubControl(t, stubStore(), 0, log);
  const gone = connect(Number(new URL(url).port), "127.0.0.1");
  const head = ["POST /graphql HTTP/1.1", "host: x", `authorization: Bearer ${tenantKey.text}`, "content-type: application/json"];
  gone.write(`${head.join("\r\n")}\r\ncontent-length: 100\r\n\r\n{"query"`);
  await sleep(100);
  gone.destroy();
  await sleep(100);
  assert.deepEqual((await ask(url, ME)).data, { me: { admin: false } });
  assert.deepEqual(logged, []);
});

test("there are no subscriptions", async (t) => {
  const { url } = await stubControl(t);
  assert.deepEqual((await ask(url, "subscription { runs }")).codes, ["WOML_QUERY_INVALID"]);
});

test("a query sent as the JSON of a parsed one passes no limit and is refused", async (t) => {
  const { url } = await stubControl(t);
  for (const query of [JSON.stringify(parse(ME)), "null", "{}", "[]", '"x"', "1"]) {
    const reply = await ask(url, query);
    assert.deepEqual([reply.status, reply.codes], [400, ["WOML_QUERY_INVALID"]], query.slice(0, 40));
  }
});

test("only application/json is taken, which no page of another origin can send unasked", async (t) => {
  const { url } = await stubControl(t);
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/graphql"]) {
    const reply = await send(url, JSON.stringify({ query: ME }), { "content-type": type });
    assert.deepEqual([reply.status, reply.codes], [415, ["WOML_CONTENT_TYPE_UNSUPPORTED"]], type);
  }
});

test("what was packed is not unpacked, whatever it would be", async (t) => {
  const { url } = await stubControl(t);
  const headers = { "content-type": "application/json", authorization: `Bearer ${tenantKey.text}`, "content-encoding": "gzip" };
  const reply = await send(url, JSON.stringify({ query: ME }), headers);
  assert.deepEqual([reply.status, reply.codes], [415, ["WOML_CONTENT_ENCODING_UNSUPPORTED"]]);
  assert.deepEqual((await send(url, "", { ...headers, authorization: "Bearer x" })).codes, ["WOML_UNAUTHENTICATED"]);
});

test("other methods and paths are refused with a code, and there is no WebSocket", async (t) => {
  const { url } = await stubControl(t);
  const get = await fetch(`${url}?query=${encodeURIComponent(ME)}`, { headers: { authorization: `Bearer ${tenantKey.text}` } });
  assert.deepEqual(
    [get.status, get.headers.get("allow"), (await get.json()).errors[0].extensions.code],
    [405, "POST", "WOML_METHOD_NOT_ALLOWED"],
  );
  for (const path of ["/graphiql", "/%zz", "/graphql/"]) {
    const elsewhere = await fetch(new URL(path, url));
    assert.deepEqual([elsewhere.status, (await elsewhere.json()).errors[0].extensions.code], [404, "WOML_PATH_UNKNOWN"]);
  }
  const upgrade = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-key": "x", "sec-websocket-version": "13" };
    request(url, { headers }, (response) => resolve(response.statusCode))
      .on("error", reject)
      .end();
  });
  assert.equal(upgrade, 405);
});

test("a fault of ours is masked, with the request's id and nothing else", async (t) => {
  const { url } = await stubControl(t);
  const reply = await ask(url, "{ workflows { edges { cursor } } }");
  assert.deepEqual([reply.status, reply.codes], [200, ["WOML_INTERNAL"]]);
  assert.equal(JSON.stringify(reply).includes(SECRET), false);
  assert.equal(reply.errors[0]?.extensions["requestId"], reply.headers.get("x-request-id"));
});

test("where the database gives no session, nothing was done and the caller may ask again", async (t) => {
  const refuse = (): Promise<never> => Promise.reject(Object.assign(new Error(SECRET), { code: "WOML_DATABASE_UNAVAILABLE" }));
  const busy = await stubControl(t, stubStore({ withTenant: refuse }));
  const asked = await ask(busy.url, "{ workflows { edges { cursor } } }");
  assert.deepEqual([asked.codes, asked.errors[0]?.extensions["retryAfterMs"]], [["WOML_OVERLOADED"], 1_000]);
  const keyless = await stubControl(t, stubStore({ key: refuse }));
  const reply = await ask(keyless.url, ME);
  assert.deepEqual([reply.status, reply.codes], [503, ["WOML_OVERLOADED"]]);
  assert.equal(JSON.stringify([asked, reply]).includes(SECRET), false);
});

test("a store that fails at the key is 500 and masked", async (t) => {
  const { url } = await stubControl(t, stubStore({ key: () => Promise.reject(new Error(SECRET)) }));
  const reply = await ask(url, ME);
  assert.deepEqual([reply.status, reply.codes, reply.data], [500, ["WOML_INTERNAL"], null]);
  assert.equal(JSON.stringify(reply).includes(SECRET), false);
});

test("the schema may be asked for", async (t) => {
  const { url } = await stubControl(t);
  assert.deepEqual((await ask(url, getIntrospectionQuery())).codes, []);
});

test("health says whether it lives and whether it can serve, and why not, without a key", async (t) => {
  let [isBroken, pending]: [boolean, readonly string[]] = [false, []];
  const store = stubStore({ pendingMigrations: async () => (isBroken ? Promise.reject(new Error(SECRET)) : pending) });
  const { url, fault } = await stubControl(t, store);
  const seen = async (path: string) => {
    const response = await fetch(new URL(path, url));
    return [response.status, await response.json()];
  };
  assert.deepEqual(await seen("/health/live"), [200, { live: true }]);
  assert.deepEqual(await seen("/health/ready"), [200, { ready: true }]);
  pending = ["20261201_a", "20261202_b"];
  const reason = "the database lacks the migrations 20261201_a, 20261202_b: run `woml migrate`";
  assert.deepEqual(await seen("/health/ready"), [503, { ready: false, reason }]);
  assert.equal(await fault(), reason);
  isBroken = true;
  assert.deepEqual(await seen("/health/ready"), [503, { ready: false, reason: "the database refuses" }]);
});

test("a taken port is one sentence with a code; a stop may be asked for twice", async (t) => {
  const control = await stubControl(t);
  const port = Number(new URL(control.url).port);
  await assert.rejects(stubControl(t, stubStore(), port), (error) => error instanceof ControlRefusal && error.code === "WOML_PORT_TAKEN");
  await Promise.all([control.stop(), control.stop()]);
  await assert.rejects(fetch(control.url));
});
