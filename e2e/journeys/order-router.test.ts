import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { chain, ended, publish, ROOT, RUN, runUntil, start, upForFile } from "../support/platform.ts";

const { platform } = await upForFile();

const example = (name: string): string => readFileSync(join(ROOT, "examples", name), "utf8");

test("the order router by GraphQL: parallel, a retry, a choice, one output a step", async () => {
  const version = await publish(platform, example("order-router.woml"));
  const id = await start(platform, { workflow: "order-router", payload: JSON.parse(example("order-router.json")), labels: ["first"] });
  const run = await runUntil(platform, id, ended);
  assert.equal(run.status, "SUCCEEDED");
  assert.equal(run.version, version);
  assert.deepEqual(run.result, { route: "ship-now", orderId: "o-1042" });
  const attempts = Object.fromEntries(run.steps.map((step) => [step.id, [step.status, step.attempts.length]]));
  assert.deepEqual(attempts, { price: ["succeeded", 1], stock: ["succeeded", 2], credit: ["succeeded", 1], ship: ["succeeded", 1] });
  const types = run.events.edges.map(({ node }) => node.type);
  assert.equal(types.at(-1), "run_succeeded");
  assert.deepEqual(
    run.events.edges.map(({ node }) => node.seq),
    types.map((_, i) => i + 1),
  );
});

test("published again it is the same version; a start asked twice is one run", async () => {
  const text = chain("twice", { only: "return context.payload;" });
  assert.equal(await publish(platform, text), await publish(platform, text));
  const input = { workflow: "twice", payload: { n: 1 }, idempotencyKey: "k" };
  const first = await start(platform, input);
  assert.equal(await start(platform, input), first);
  const other = await platform.ask("mutation ($i: StartRunInput!) { startRun(input: $i) { duplicate } }", {
    i: { ...input, payload: { n: 2 } },
  });
  assert.equal(other.errors?.[0]?.extensions?.code, "WOML_IDEMPOTENCY_CONFLICT");
  const run = await runUntil(platform, first, ended);
  assert.deepEqual(run.result, { n: 1 });
});

test("cancel ends a waiting run at once, and a second cancel says that it has ended", async () => {
  const retrying = `<woml><workflow id="patient"><triggers><manual id="go"/></triggers><steps><step id="never" retry="9" retry-delay="1h"
    retry-max-delay="2h"><script>throw new Error("not yet");</script></step></steps></workflow></woml>`;
  await publish(platform, retrying);
  const id = await start(platform, { workflow: "patient" });
  const waiting = await runUntil(platform, id, (run) => run.status === "WAITING");
  assert.equal(waiting.waiting?.cause, "backoff");
  const cancel = "mutation ($run: ID!) { cancelRun(input: { run: $run }) { run { id } } }";
  assert.equal((await platform.ask(cancel, { run: id })).errors, undefined);
  const run = await runUntil(platform, id, ended);
  assert.equal(run.status, "CANCELLED");
  assert.equal((await platform.ask(cancel, { run: id })).errors?.[0]?.extensions?.code, "WOML_RUN_ALREADY_TERMINAL");
  assert.ok((await platform.ask(RUN, { id })).data);
});
