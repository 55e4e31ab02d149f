import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { openSessions } from "../client.ts";
import { StoreError } from "../error.ts";
import { type Database, openDatabase } from "./database.ts";

let database: Database;
before(async () => {
  database = await openDatabase();
});
after(() => database.close());

/** Stands before a database; `swallow` has all that stands carry nothing any more, and closes nothing, as when its machine is gone. */
async function openWay(url: string) {
  const sockets = new Set<Socket>();
  const swallowed = new WeakSet<Socket>();
  const target = new URL(url);
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one.on("error", () => undefined));
      one.on("data", (chunk) => swallowed.has(one) || other.write(chunk)).on("close", () => swallowed.has(one) || other.destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return {
    url: Object.assign(new URL(url), { port: String(address.port) }).href,
    swallow: (): void => {
      for (const one of sockets) swallowed.add(one);
    },
    close: (): void => {
      for (const one of sockets) one.destroy();
      server.close();
    },
  };
}

test("sessions of control that a database has left without a word are given up, and new ones asked", async (t) => {
  const way = await openWay(database.control);
  t.after(way.close);
  const sessions = openSessions(way.url, 700);
  const ask = (): Promise<unknown> => sessions.under({ "app.tenant": "" }, (tx) => tx.$queryRaw`SELECT pg_sleep(0.05)::text`);
  const lost = (count: number): Promise<void>[] =>
    Array.from({ length: count }, () =>
      assert.rejects(ask(), (error) => error instanceof StoreError && /^WOML_DATABASE_/.test(error.code)),
    );
  await Promise.all(Array.from({ length: 10 }, ask));
  way.swallow();
  await Promise.all(lost(10));
  const began = performance.now();
  await Promise.all(Array.from({ length: 10 }, ask));
  assert.ok(performance.now() - began < 700, "no session is left that does not answer");
  const middle = sessions.under({ "app.tenant": "" }, async (tx) => {
    way.swallow();
    return tx.$queryRaw`SELECT 1`;
  });
  await assert.rejects(middle, { code: "WOML_DATABASE_INTERRUPTED" });
  await Promise.all(lost(9));
  await ask();
  await sessions.close();
});
