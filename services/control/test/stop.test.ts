import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { adminKey, stubControl, stubStore, tenantKey } from "./stub.ts";

const BODY = '{"query":"{ me { admin } }"}';
const text = (path: string, key: string): string =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`;

test("what comes on a kept connection while it stops is refused by name, and what was begun is answered", async (t) => {
  const { key } = stubStore();
  const asked = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const slow = async (id: string): ReturnType<typeof key> => {
    asked.resolve();
    await goOn.promise;
    return key(id);
  };
  const control = await stubControl(t, stubStore({ key: slow }));
  const { hostname, port, pathname } = new URL(control.url);
  const socket = connect(Number(port), hostname);
  let heard = "";
  socket.setEncoding("utf8").on("data", (more) => {
    heard += more;
  });
  socket.write(text(pathname, adminKey.text));
  await asked.promise;
  const stopped = control.stop();
  socket.write(text(pathname, tenantKey.text));
  socket.write("GET /health/ready HTTP/1.1\r\nhost: x\r\n\r\n");
  await new Promise((resolve) => setTimeout(resolve, 50));
  goOn.resolve();
  await Promise.all([stopped, once(socket, "close")]);
  assert.match(heard, /^HTTP\/1\.1 200 OK/);
  assert.match(heard, /"admin":true/);
  const second = heard.slice(heard.indexOf("HTTP/1.1", 1));
  assert.match(second, /^HTTP\/1\.1 503 [\s\S]*retry-after: 1\r\n[\s\S]*"code":"WOML_OVERLOADED"/);
});
