import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, Socket } from "node:net";
import { describe, test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { BrokerAsk } from "../broker/broker.ts";
import { asking, ended, listening, open, serve, serveRaw } from "./broker-place.ts";

const LINE = "HTTP/1.1 200 OK\r\n";
const big = "x".repeat(1_048_577);
const bomb = gzipSync(Buffer.alloc(64 * 1_048_576));
const bytes = (head: string, body: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${LINE}${head}content-length: ${body.length}\r\n\r\n`), body]);

interface Row {
  readonly server: string;
  /** Once the whole request has come. */
  readonly answer: (socket: Socket) => void;
  /** For an operation with effects, then for one without. */
  readonly unsafe: string;
  readonly pure: string;
  readonly timeoutMs?: number;
}
const lost = { unsafe: "ambiguous WOML_EGRESS_ANSWER_LOST", pure: "failed WOML_EGRESS_ANSWER_LOST" };
const late = { unsafe: "ambiguous WOML_EGRESS_TIMEOUT", pure: "failed WOML_EGRESS_TIMEOUT", timeoutMs: 100 };
const large = { unsafe: "ambiguous WOML_EGRESS_ANSWER_TOO_LARGE", pure: "failed WOML_EGRESS_ANSWER_TOO_LARGE" };
const invalid = { unsafe: "ambiguous WOML_EGRESS_ANSWER_INVALID", pure: "failed WOML_EGRESS_ANSWER_INVALID" };
const whole = (status: number) => ({ unsafe: `answered ${status}`, pure: `answered ${status}` });

const ROWS: readonly Row[] = [
  { server: "closes without an answer", answer: (socket) => socket.end(), ...lost },
  { server: "resets", answer: (socket) => socket.resetAndDestroy(), ...lost },
  { server: "stops within the status line", answer: (socket) => socket.end("HTTP/1.1 20"), ...lost },
  { server: "stops within the headers", answer: (socket) => socket.end(`${LINE}content-le`), ...lost },
  { server: "stops within the body", answer: (socket) => socket.end(`${LINE}content-length: 10\r\n\r\n12345`), ...lost },
  { server: "stops within a chunk", answer: (socket) => socket.end(`${LINE}transfer-encoding: chunked\r\n\r\n5\r\n123`), ...lost },
  { server: "stops before the last chunk", answer: (socket) => socket.end(`${LINE}transfer-encoding: chunked\r\n\r\n1\r\n1\r\n`), ...lost },
  { server: "resets within the body", answer: (socket) => resetAfter(socket, `${LINE}content-length: 10\r\n\r\n12345`), ...lost },
  {
    server: "wants to speak something else",
    answer: (socket) => socket.end("HTTP/1.1 101 S\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"),
    ...lost,
  },
  { server: "never answers", answer: () => undefined, ...late },
  { server: "answers a byte now and then", answer: drip, ...late },
  { server: "announces too large a body", answer: (socket) => socket.write(`${LINE}content-length: 9999999\r\n\r\n`), ...large },
  { server: "sends too large a body", answer: (socket) => socket.write(`${LINE}\r\n${big}`), ...large },
  { server: "sends too large headers", answer: (socket) => socket.write(`${LINE}a: ${"x".repeat(40_000)}\r\n\r\n`), ...large },
  { server: "sends a gzip bomb", answer: (socket) => socket.end(bytes("content-encoding: gzip\r\n", bomb)), ...large },
  { server: "sends what is not gzip", answer: (socket) => socket.end(bytes("content-encoding: gzip\r\n", Buffer.from("no"))), ...invalid },
  {
    server: "sends an unknown encoding",
    answer: (socket) => socket.end(bytes("content-encoding: zip\r\n", Buffer.from("no"))),
    ...invalid,
  },
  { server: "sends gzip in gzip", answer: (socket) => socket.end(bytes("content-encoding: gzip, gzip\r\n", bomb)), ...invalid },
  { server: "does not speak HTTP", answer: (socket) => socket.end("220 mail.example ESMTP\r\n"), ...lost },
  { server: "says two lengths", answer: (socket) => socket.end(`${LINE}content-length: 1\r\ncontent-length: 2\r\n\r\n12`), ...lost },
  { server: "fails", answer: (socket) => socket.end("HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n"), ...whole(500) },
  {
    server: "is early, then answers",
    answer: (socket) => socket.end(`HTTP/1.1 103 E\r\nlink: x\r\n\r\n${LINE}content-length: 0\r\n\r\n`),
    ...whole(200),
  },
  { server: "ends the body by closing", answer: (socket) => socket.end(`${LINE}\r\nall of it`), ...whole(200) },
];

describe("what becomes of a request that has left", () => {
  for (const { server, answer, unsafe, pure, timeoutMs = 5_000 } of ROWS) {
    test(`the server ${server}: ${unsafe}, without effects ${pure}`, async (t) => {
      const port = await serveRaw(t, (socket) => {
        let text = "";
        socket.on("data", (chunk) => {
          text += chunk.toString();
          if (text.endsWith("\r\n\r\n") || text.endsWith("done")) answer(socket);
        });
      });
      const broker = open(t, { privateHosts: [`127.0.0.1:${port}`] });
      const ask = async (method: string, given: Partial<BrokerAsk>) => {
        const body = method === "POST" ? { text: "done" } : {};
        return ended(await broker.request(asking({ method, url: `http://127.0.0.1:${port}/`, ...body }, { timeoutMs, ...given })));
      };
      const key = { idempotency: { header: "idempotency-key", value: "k" } };
      assert.equal(await ask("POST", { effect: "unsafe" }), unsafe);
      assert.equal(await ask("POST", { effect: "keyed", ...key }), unsafe);
      assert.equal(await ask("POST", { effect: "reattachable" }), unsafe);
      assert.equal(await ask("GET", { effect: "unsafe" }), unsafe, "whatever the method, the operation may have effects");
      assert.equal(await ask("GET", { effect: "pure" }), pure);
      assert.equal(await ask("GET", { effect: "reattachable", reattach: true }), pure);
    });
  }
});

describe("what has not left is known: nothing happened", () => {
  const post = (port: number, scheme = "http") =>
    asking({ method: "POST", url: `${scheme}://127.0.0.1:${port}/`, text: "x" }, { timeoutMs: 300 });

  test("a refused connection", async (t) => {
    const server = createServer();
    const port = await listening(t, server);
    await new Promise((resolve) => server.close(resolve));
    const answer = await open(t, { privateHosts: [`127.0.0.1:${port}`] }).request(post(port));
    assert.deepEqual(answer, {
      status: "failed",
      code: "WOML_EGRESS_CONNECT_FAILED",
      message: `No connection to 127.0.0.1:${port}: ECONNREFUSED.`,
      retryable: true,
    });
  });

  test("the first address refuses, the second takes it", async (t) => {
    const { port } = await serve(t, (_seen, response) => response.end());
    const broker = open(t, { privateHosts: [`two.example:${port}`], resolve: async () => ["127.0.0.2", "127.0.0.1"] });
    assert.equal(ended(await broker.request(asking({ method: "POST", url: `http://two.example:${port}/` }))), "answered 200");
  });

  test("no name, no address, a name that takes too long", async (t) => {
    const resolve = async (host: string): Promise<string[]> => (host === "none.example" ? [] : new Promise(() => undefined));
    const broker = open(t, { resolve });
    const ask = async (host: string) => ended(await broker.request(asking({ method: "POST", url: `http://${host}/` }, { timeoutMs: 50 })));
    assert.equal(await ask("none.example"), "failed WOML_EGRESS_DNS_FAILED");
    assert.equal(await ask("slow.example"), "failed WOML_EGRESS_TIMEOUT");
  });

  test("a connection that is not made in time, and one that is cancelled", async (t) => {
    const broker = open(t, { resolve: async () => ["93.184.215.14"], dial: () => new Socket() });
    const stop = new AbortController();
    const ask = { method: "POST", url: "http://a.example/" };
    assert.equal(ended(await broker.request(asking(ask, { timeoutMs: 50 }))), "failed WOML_EGRESS_TIMEOUT");
    const cancelled = broker.request(asking(ask, { signal: stop.signal }));
    stop.abort();
    assert.equal(ended(await cancelled), "failed WOML_EGRESS_CANCELLED");
    assert.equal(ended(await broker.request(asking(ask, { signal: stop.signal }))), "failed WOML_EGRESS_CANCELLED");
  });

  test("no TLS where TLS is asked for", async (t) => {
    let text = "";
    const port = await serveRaw(t, (socket) => {
      socket.on("data", (chunk) => {
        text += chunk.toString("latin1");
        socket.end("HTTP/1.1 400 No\r\n\r\n");
      });
    });
    const answer = await open(t, { privateHosts: [`127.0.0.1:${port}`] }).request(post(port, "https"));
    assert.equal(ended(answer), "failed WOML_EGRESS_TLS_FAILED");
    assert.doesNotMatch(text, /POST/);
  });
});

test("cancelled, or the broker closes, after the request has left: ambiguous", async (t) => {
  let came: () => void = () => undefined;
  const port = await serveRaw(t, (socket) => socket.once("data", () => came()));
  const broker = open(t, { privateHosts: [`127.0.0.1:${port}`] });
  const begin = async (signal: AbortSignal) => {
    const arrived = new Promise<void>((resolve) => {
      came = resolve;
    });
    const answer = broker.request(asking({ method: "POST", url: `http://127.0.0.1:${port}/` }, { signal }));
    await arrived;
    return { answer };
  };
  const stop = new AbortController();
  const first = await begin(stop.signal);
  stop.abort();
  assert.equal(ended(await first.answer), "ambiguous WOML_EGRESS_CANCELLED");
  const second = await begin(new AbortController().signal);
  await broker.close();
  assert.equal(ended(await second.answer), "ambiguous WOML_EGRESS_CANCELLED");
  const third = await broker.request(asking({ url: `http://127.0.0.1:${port}/` }));
  assert.equal(ended(third), "failed WOML_EGRESS_BUSY");
});

test("a connection carries one request: a server that keeps it open gets the next on another", async (t) => {
  const ports = new Set<number | undefined>();
  const { port, seen } = await serve(t, (_seen, response) => {
    ports.add(response.socket?.remotePort);
    response.end("ok");
  });
  const broker = open(t, { privateHosts: [`127.0.0.1:${port}`] });
  for (let n = 0; n < 3; n++) assert.equal(ended(await broker.request(asking({ url: `http://127.0.0.1:${port}/` }))), "answered 200");
  assert.equal(ports.size, 3);
  assert.equal(
    seen.every(({ headers }) => headers.connection === "close"),
    true,
  );
});

test("a tenant has 64 requests under way and its neighbour is served", async (t) => {
  const { port } = await serve(t, ({ url }, response) => {
    if (url === "/quick") response.end();
  });
  const broker = open(t, { privateHosts: [`127.0.0.1:${port}`] });
  const slow = Array.from({ length: 64 }, () => broker.request(asking({ url: `http://127.0.0.1:${port}/` }, { timeoutMs: 500 })));
  const quick = (tenant: string) => broker.request(asking({ url: `http://127.0.0.1:${port}/quick` }, { tenant }));
  assert.equal(ended(await quick("t1")), "failed WOML_EGRESS_BUSY");
  assert.equal(ended(await quick("t2")), "answered 200");
  for (const one of await Promise.all(slow)) assert.equal(ended(one), "ambiguous WOML_EGRESS_TIMEOUT");
  assert.equal(ended(await quick("t1")), "answered 200");
});

test("encodings that nobody asked for are undone, and the answer says what is there", async (t) => {
  const encoders: Record<string, (body: string) => Buffer> = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };
  const { port, seen } = await serve(t, ({ url }, response) => {
    const encoding = url.slice(1);
    response.writeHead(200, { "content-encoding": encoding, "x-two": ["a", "b"] }).end(encoders[encoding]?.("hello"));
  });
  const broker = open(t, { privateHosts: [`127.0.0.1:${port}`] });
  for (const encoding of Object.keys(encoders)) {
    const answer = await broker.request(asking({ url: `http://127.0.0.1:${port}/${encoding}` }));
    assert.equal(answer.status, "answered");
    if (answer.status !== "answered") continue;
    assert.equal(Buffer.from(answer.response.bodyBase64, "base64").toString(), "hello");
    assert.equal(answer.response.headers["content-encoding"], undefined);
    assert.equal(answer.response.headers["x-two"], "a, b");
  }
  assert.equal(
    seen.every(({ headers }) => headers["accept-encoding"] === "identity"),
    true,
  );
});

function drip(socket: Socket): void {
  socket.write(`${LINE}content-length: 1000\r\n\r\n`);
  const timer = setInterval(() => socket.write("x"), 20);
  socket.once("close", () => clearInterval(timer));
}
function resetAfter(socket: Socket, text: string): void {
  socket.write(text);
  void once(socket, "close");
  setTimeout(() => socket.resetAndDestroy(), 20);
}
