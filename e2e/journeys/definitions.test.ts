import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { chain, ended, publish, runUntil, start, type Up, upForFile } from "../support/platform.ts";

const { platform } = await upForFile();

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
