import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { openAgent } from "../otel/agent.ts";

/** What a collector that answers like this gets rid of before it is cut off, in bytes. */
async function taken(t: TestContext, answer: (socket: Socket) => void, lifeMs?: number): Promise<number> {
  const { promise: gone, resolve } = Promise.withResolvers<number>();
  const server = createServer((socket) => {
    socket.on("error", () => undefined).once("data", () => answer(socket));
    socket.once("close", () => resolve(socket.bytesWritten));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  const agent = openAgent(url, lifeMs);
  t.after(() => {
    agent.destroy();
    server.close();
  });
  request(url, { method: "POST", agent })
    .on("error", () => undefined)
    .on("response", (response) => response.on("error", () => undefined).resume())
    .end("{}");
  return gone;
}
function pour(socket: Socket, text: string): void {
  const on = (): void => {
    while (!socket.destroyed) if (!socket.write(text)) return;
  };
  socket.on("drain", on);
  on();
}

test("an answer without an end is cut, a body as well as heads", async (t) => {
  const most = 16 * 1_024 * 1_024;
  const body = await taken(t, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    pour(socket, "a".repeat(65_536));
  });
  assert.ok(body < most, `${body} bytes of a body`);
  const heads = await taken(t, (socket) => pour(socket, `HTTP/1.1 102 Processing\r\nx: ${"a".repeat(4_000)}\r\n\r\n`));
  assert.ok(heads < most, `${heads} bytes of heads`);
});

test("an answer that comes drop by drop is cut as well", async (t) => {
  const drops = await taken(
    t,
    (socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const dripping = setInterval(() => socket.write("a"), 20);
      socket.once("close", () => clearInterval(dripping));
    },
    300,
  );
  assert.ok(drops < 200);
});
