import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { type Health, serveHealth } from "../index.ts";

async function open(t: TestContext, fault: () => Promise<string | null> | string | null): Promise<Health> {
  const health = await serveHealth({ listen: { host: "127.0.0.1", port: 0 }, fault, exposition: async () => "woml_x 1\n" });
  t.after(() => health.close());
  return health;
}

test("live, ready and metrics answer; nothing else does", async (t) => {
  const { url } = await open(t, () => null);
  assert.deepEqual(await (await fetch(`${url}/health/live`)).json(), { live: true });
  const ready = await fetch(`${url}/health/ready`);
  assert.equal(ready.status, 200);
  assert.deepEqual(await ready.json(), { ready: true });
  const metrics = await fetch(`${url}/metrics?x=1`);
  assert.match(metrics.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
  assert.equal(await metrics.text(), "woml_x 1\n");
  assert.equal((await fetch(`${url}/`)).status, 404);
  assert.equal((await fetch(`${url}/health/ready`, { method: "POST" })).status, 405);
  const head = await fetch(`${url}/health/ready`, { method: "HEAD" });
  assert.equal(head.status, 200);
  assert.equal(await head.text(), "");
});

test("what is not ready says why, also where it cannot say or does not say in time", async (t) => {
  const cases: readonly (readonly [() => Promise<string | null> | string | null, RegExp])[] = [
    [() => "the database does not answer", /^the database does not answer$/],
    [() => Promise.reject(new Error("postgres://a:b@c")), /^it cannot say how it is$/],
    [() => new Promise(() => undefined), /^it does not say in time how it is$/],
  ];
  for (const [fault, reason] of cases) {
    const { url } = await open(t, fault);
    const answer = await fetch(`${url}/health/ready`);
    assert.equal(answer.status, 503);
    const body = (await answer.json()) as { readonly ready: boolean; readonly reason: string };
    assert.equal(body.ready, false);
    assert.match(body.reason, reason);
  }
});

test("what changes is told once, with the reason, and so is its end", async (t) => {
  const told: (string | null)[] = [];
  let reason: string | null = "no sandbox answers";
  const turned = (now: string | null): void => void told.push(now);
  const listen = { host: "127.0.0.1", port: 0 };
  const health = await serveHealth({ listen, fault: () => reason, turned, exposition: async () => "" });
  t.after(() => health.close());
  const look = async (): Promise<unknown> => (await fetch(`${health.url}/health/ready`)).text();
  await look();
  await look();
  reason = null;
  await look();
  reason = "its lease is lost";
  await look();
  await look();
  assert.deepEqual(told, ["no sandbox answers", null, "its lease is lost"]);
});

test("a taken port rejects", async (t) => {
  const { url } = await open(t, () => null);
  const port = Number(new URL(url).port);
  await assert.rejects(serveHealth({ listen: { host: "127.0.0.1", port }, fault: () => null, exposition: async () => "" }), /EADDRINUSE/);
});

test("many who hold connections open and say nothing keep nobody else out", async (t) => {
  const { url } = await open(t, () => null);
  const port = Number(new URL(url).port);
  const idle = Array.from({ length: 300 }, () => connect(port, "127.0.0.1").on("error", () => undefined));
  t.after(() => {
    for (const socket of idle) socket.destroy();
  });
  await Promise.all(idle.map((socket) => once(socket, "connect")));
  const said = await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(2_000) });
  assert.equal(said.status, 200);
});

test("metrics are collected a few times a second, however often they are asked for", async (t) => {
  let collected = 0;
  const exposition = async (): Promise<string> => `woml_x ${++collected}\n`;
  const health = await serveHealth({ listen: { host: "127.0.0.1", port: 0 }, fault: () => null, exposition });
  t.after(() => health.close());
  const began = performance.now();
  for (let n = 0; n < 40; n++) await (await fetch(`${health.url}/metrics`)).text();
  assert.ok(collected <= 2 + (performance.now() - began) / 250, `${collected} times`);
});
