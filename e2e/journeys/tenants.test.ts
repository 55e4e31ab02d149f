import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, chain, ended, field, publish, runUntil, start, upForFile } from "../support/platform.ts";

const { platform } = await upForFile();

test("two tenants: each other's every id is as if it were not there, while the owner sees it", async () => {
  const made = await platform.ask('mutation { createTenant(input: { name: "other" }) { key tenant { id } } }', {}, platform.admin);
  const other = field<{ key: string }>(made, "createTenant").key;
  const keys = { demo: platform.key, other };
  const texts = { demo: chain("mine", { a: 'return "demo";' }), other: chain("theirs", { a: 'return "other";' }) };
  const versions = { demo: await publish(platform, texts.demo, keys.demo), other: await publish(platform, texts.other, keys.other) };
  const runs = {
    demo: await start(platform, { workflow: "mine", idempotencyKey: "same" }, keys.demo),
    other: await start(platform, { workflow: "theirs", idempotencyKey: "same" }, keys.other),
  };
  await runUntil(platform, runs.demo, ended);
  for (const [owner, stranger] of [["demo", "other"] as const, ["other", "demo"] as const]) {
    const workflow = owner === "demo" ? "mine" : "theirs";
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
