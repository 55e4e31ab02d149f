// What a workflow's author and a caller see by GraphQL. One platform for all of it; each test has workflows of its own.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "pg";
import { type Answer, chain, ended, field, publish, ROOT, RUN, runUntil, start, type Up, upForFile } from "../support/platform.ts";

const { platform } = await upForFile();

const example = (name: string): string => readFileSync(join(ROOT, "examples", name), "utf8");

/** As the database's superuser: what no service of ours may do. */
async function tamper(platform: Up, workflow: string, from: string, to: string): Promise<void> {
  const client = new Client({ connectionString: platform.databaseUrl });
  await client.connect();
  const sql = "UPDATE definition_version SET definition = replace(definition::text, $2, $3)::json WHERE workflow = $1";
  const { rowCount } = await client.query(sql, [workflow, from, to]);
  await client.end();
  assert.equal(rowCount, 1);
}

const step = (id: string, source: string) => ({ kind: "step", id, script: { source } });

test("two tenants: each other's every id is as if it were not there, while the owner sees it", async () => {
  const CREATE = "mutation ($name: String!) { createTenant(input: { name: $name }) { key tenant { id } } }";
  const keyOf = async (name: string): Promise<string> =>
    field<{ key: string }>(await platform.ask(CREATE, { name }, platform.admin), "createTenant").key;
  const keys = { one: await keyOf("one"), other: await keyOf("other") };
  const texts = { one: chain("mine", { a: 'return "one";' }), other: chain("theirs", { a: 'return "other";' }) };
  const versions = { one: await publish(platform, texts.one, keys.one), other: await publish(platform, texts.other, keys.other) };
  const runs = {
    one: await start(platform, { workflow: "mine", idempotencyKey: "same" }, keys.one),
    other: await start(platform, { workflow: "theirs", idempotencyKey: "same" }, keys.other),
  };
  await runUntil({ ...platform, ask: (query, variables) => platform.ask(query, variables, keys.one) }, runs.one, ended);
  for (const [owner, stranger] of [["one", "other"] as const, ["other", "one"] as const]) {
    const workflow = owner === "one" ? "mine" : "theirs";
    const asked: readonly [string, object][] = [
      ["query ($id: ID!) { got: run(id: $id) { id } }", { id: runs[owner] }],
      ["query ($id: ID!) { got: version(id: $id) { id definition } }", { id: versions[owner] }],
      ["query ($id: ID!) { got: workflow(id: $id) { id } }", { id: workflow }],
    ];
    for (const [query, variables] of asked) {
      const twin = await platform.ask(query, variables, keys[owner]);
      assert.ok(twin.data?.["got"], `${owner} does not see its own: ${query}`);
      const seen = await platform.ask(query, variables, keys[stranger]);
      assert.deepEqual([seen.errors, seen.data?.["got"]], [undefined, null], `${stranger} sees ${owner}'s by ${query}`);
    }
    const code = (answer: Answer): string | undefined => answer.errors?.[0]?.extensions?.code;
    const cancel = "mutation ($run: ID!) { cancelRun(input: { run: $run }) { run { id } } }";
    assert.equal(code(await platform.ask(cancel, { run: runs[owner] }, keys[stranger])), "WOML_RUN_NOT_FOUND");
    const startRun = "mutation ($i: StartRunInput!) { startRun(input: $i) { run { id } } }";
    assert.equal(code(await platform.ask(startRun, { i: { workflow } }, keys[stranger])), "WOML_WORKFLOW_NOT_FOUND");
    const list = await platform.ask("{ runs(first: 100) { edges { node { id } } } }", {}, keys[stranger]);
    assert.deepEqual(list.data, { runs: { edges: [{ node: { id: runs[stranger] } }] } });
  }
});

test("no key, a wrong key, and the administrator's key where a tenant is needed are refused with a code", async () => {
  const codes = [];
  for (const key of ["", "woml_nope", `${platform.key}x`, platform.admin]) {
    const { errors } = await platform.ask("{ runs { edges { node { id } } } }", {}, key);
    codes.push(errors?.[0]?.extensions?.code);
  }
  assert.deepEqual(codes, ["WOML_UNAUTHENTICATED", "WOML_UNAUTHENTICATED", "WOML_UNAUTHENTICATED", "WOML_FORBIDDEN"]);
});

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

test("a definition made elsewhere: a diamond with a cross edge that no markup can express", async () => {
  const definition = {
    schemaVersion: 1,
    workflow: { id: "diamond" },
    triggers: [{ id: "go", kind: "manual" }],
    nodes: [
      step("d", "return context.steps.b + context.steps.c + context.steps.x;"),
      step("c", "return 3;"),
      step("a", "return 1;"),
      step("x", "return context.steps.b * 10;"),
      step("b", "return context.steps.a + 1;"),
    ],
    edges: [
      { from: "c", to: "d" },
      { from: "a", to: "b" },
      { from: "b", to: "d" },
      { from: "a", to: "c" },
      { from: "b", to: "x" },
      { from: "x", to: "d" },
    ],
    result: "d",
  };
  const version = await publish(platform, definition);
  const shuffled = { ...definition, nodes: definition.nodes.toReversed(), edges: definition.edges.toReversed() };
  assert.equal(await publish(platform, shuffled), version);
  const run = await runUntil(platform, await start(platform, { workflow: "diamond" }), ended);
  assert.equal(run.status, "SUCCEEDED");
  assert.equal(run.result, 25);
});

test("v2 is published while v1 waits in back-off: v1 ends with v1's script", async () => {
  const text = (word: string) => `<woml><workflow id="versions"><triggers><manual id="go"/></triggers><steps><step id="s" retry="2"
    retry-backoff="fixed" retry-delay="700ms"><script>if (attempt.number === 1) throw new Error("later"); return "${word}";</script></step>
    </steps></workflow></woml>`;
  const first = await publish(platform, text("one"));
  const old = await start(platform, { workflow: "versions" });
  await runUntil(platform, old, (run) => run.status === "WAITING");
  const second = await publish(platform, text("two"));
  assert.notEqual(second, first);
  const fresh = await start(platform, { workflow: "versions" });
  assert.equal((await runUntil(platform, old, ended)).result, "one");
  assert.equal((await runUntil(platform, fresh, ended)).result, "two");
});

test("one byte of a stored definition changed: a new run is refused, a waiting one is held and can be cancelled", async () => {
  await publish(platform, chain("tampered", { a: 'return "honest";' }));
  assert.equal((await runUntil(platform, await start(platform, { workflow: "tampered" }), ended)).result, "honest");
  await tamper(platform, "tampered", "honest", "honesT");
  const refused = await runUntil(platform, await start(platform, { workflow: "tampered" }), ended);
  assert.equal(refused.status, "FAILED");
  assert.equal(refused.failure?.code, "WOML_DEFINITION_HASH_MISMATCH");
  await publish(
    platform,
    `<woml><workflow id="held"><triggers><manual id="go"/></triggers><steps><step id="s" retry="2" retry-backoff="fixed" retry-delay="800ms">
    <script>if (attempt.number === 1) throw new Error("later"); return "honest";</script></step></steps></workflow></woml>`,
  );
  const id = await start(platform, { workflow: "held" });
  await runUntil(platform, id, (run) => run.waiting?.cause === "backoff");
  await tamper(platform, "held", "honest", "honesT");
  const held = await runUntil(platform, id, (run) => run.waiting?.cause === "held");
  assert.equal(held.status, "WAITING");
  await platform.ask("mutation ($run: ID!) { cancelRun(input: { run: $run }) { run { id } } }", { run: id });
  assert.equal((await runUntil(platform, id, ended)).status, "CANCELLED");
});
