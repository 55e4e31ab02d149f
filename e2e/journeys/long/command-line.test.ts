import assert from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "pg";
import { chain, runUntil, scratch, start, upForFile } from "../../support/platform.ts";
import { woml } from "../../support/woml.ts";

const { platform, folder } = await upForFile();

test("test runs a document once: 0 succeeded, 1 failed, and leaves neither a folder nor a process", async (t) => {
  const folder = scratch(t);
  writeFileSync(join(folder, "good.woml"), chain("good", { a: "return context.payload.n + 1;", b: "return context.steps.a * 2;" }));
  writeFileSync(join(folder, "bad.woml"), chain("bad", { a: "\n  throw new TypeError('no \\u001b[31m');" }));
  const before = readdirSync(tmpdir()).filter((name) => name.startsWith("woml-test-"));
  const good = await woml(folder, ["test", "good.woml", "--payload", '{"n": 20}', "-o", "json"]);
  assert.equal(good.code, 0, good.stderr);
  const { status, payload, result, steps, events } = good.json();
  assert.deepEqual([status, payload, result], ["succeeded", { n: 20 }, 42]);
  assert.deepEqual(
    steps.map((step: { id: string; output: unknown }) => [step.id, step.output]),
    [
      ["a", 21],
      ["b", 42],
    ],
  );
  assert.deepEqual(Object.keys(events[0]), ["seq", "type", "at", "data"]);
  const bad = await woml(folder, ["test", "bad.woml"]);
  assert.equal(bad.code, 1);
  assert.match(bad.stdout, /^a +1 +failed +\d+ ms +WOML_SCRIPT_THROWN: .*no \\u001b\[31m$/m);
  assert.match(bad.stdout, /^failure \(step a\) {2}WOML_SCRIPT_THROWN/m);
  const after = readdirSync(tmpdir()).filter((name) => name.startsWith("woml-test-"));
  assert.deepEqual(
    after.filter((name) => !before.includes(name)),
    [],
  );
});

test("publish, runs, get, cancel and verify find a platform by its folder, and by address and key", async (t) => {
  const retrying = `<woml><workflow id="patient"><triggers><manual id="go"/></triggers><steps><step id="never" retry="9" retry-delay="1h"
    retry-max-delay="2h"><script>throw new Error("not yet");</script></step></steps></workflow></woml>`;
  writeFileSync(join(folder, "patient.woml"), retrying);
  writeFileSync(join(folder, "invalid.woml"), "<woml></woml>");
  writeFileSync(join(folder, "definition.json"), JSON.stringify(definition("made-elsewhere")));
  writeFileSync(join(folder, "refused.json"), JSON.stringify({ ...definition("refused"), result: "nobody" }));
  const place = ["--url", platform.graphql, "--key", platform.key];

  const published = await woml(folder, ["publish", "patient.woml"]);
  assert.match(published.stdout, /^patient {2}ver_[0-9a-f]{64}\n$/, published.stderr);
  const again = await woml(folder, ["publish", "patient.woml", ...place, "-o", "json"]);
  assert.deepEqual(again.json(), { version: published.stdout.trim().split("  ")[1], created: false, diagnostics: [] });
  assert.equal((await woml(folder, ["publish", "definition.json", "--no-activate"])).code, 0);
  for (const file of ["invalid.woml", "refused.json"]) {
    const refused = await woml(folder, ["publish", file]);
    assert.deepEqual([refused.code, refused.stdout], [3, ""], file);
    assert.match(refused.stderr, /WOML_[A-Z_]+/);
  }

  const id = await start(platform, { workflow: "patient", labels: ["here"] });
  await runUntil(platform, id, (run) => run.status === "WAITING");
  const env = { WOML_URL: platform.graphql, WOML_KEY: platform.key };
  const listed = await woml(scratch(t), ["runs", "--label", "here", "--status", "waiting", "-o", "json"], { env });
  assert.deepEqual(
    listed.json().items.map((run: { id: string; status: string }) => [run.id, run.status]),
    [[id, "waiting"]],
  );
  assert.match((await woml(folder, ["runs"])).stdout, new RegExp(`^${id} +patient +waiting \\(backoff\\)`, "m"));
  const got = await woml(folder, ["runs", "get", id, "-o", "json", "--data", ".woml"]);
  assert.deepEqual([got.code, got.json().id, got.json().status], [0, id, "waiting"]);
  assert.equal((await woml(folder, ["runs", "cancel", id])).code, 0);
  await runUntil(platform, id, (run) => run.status === "CANCELLED");
  const twice = await woml(folder, ["runs", "cancel", id]);
  assert.equal(twice.code, 1);
  assert.match(twice.stderr, /^WOML_RUN_ALREADY_TERMINAL: /);
  const unknown = await woml(folder, ["runs", "get", id.replace(/.$/, (c) => (c === "0" ? "1" : "0"))]);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /^WOML_RUN_NOT_FOUND: /);
});

test("test on a folder where a platform runs uses it, and does not change what is active", async () => {
  writeFileSync(join(folder, "one.woml"), chain("mine", { a: "return 1;" }));
  writeFileSync(join(folder, "two.woml"), chain("mine", { a: "return 2;" }));
  assert.equal((await woml(folder, ["publish", "one.woml"])).code, 0);
  const tested = await woml(folder, ["test", "two.woml", "--data", ".woml", "-o", "json"]);
  assert.deepEqual([tested.code, tested.json().result], [0, 2]);
  const run = await runUntil(platform, await start(platform, { workflow: "mine" }), ({ status }) => status === "SUCCEEDED");
  assert.equal(run.result, 1);
  assert.ok(existsSync(join(folder, ".woml", "connection.json")));

  // More than the API answers of one log at a time.
  const large = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`s${i}`, 'return "x".repeat(1_000_000);']));
  writeFileSync(join(folder, "large.woml"), chain("large", { ...large, last: "return 1;" }));
  const whole = await woml(folder, ["test", "large.woml", "--data", ".woml", "-o", "json"]);
  assert.equal(whole.code, 0, whole.stderr);
  const { id, status, result, steps } = whole.json();
  assert.deepEqual([status, result, steps.length, steps[16].output.length], ["succeeded", 1, 18, 1_000_000]);
  const shown = await woml(folder, ["runs", "get", id]);
  assert.deepEqual([shown.code, shown.stdout.trimEnd().split("\n").at(-1)], [0, "result  1"]);
});

test("verify is content with what the engine wrote, and names a run whose row was changed behind its back", async () => {
  writeFileSync(join(folder, "quick.woml"), chain("quick", { a: "return 1;" }));
  assert.equal((await woml(folder, ["publish", "quick.woml"])).code, 0);
  const ids = [];
  for (let i = 0; i < 3; i++) ids.push(await start(platform, { workflow: "quick" }));
  for (const id of ids) await runUntil(platform, id, ({ status }) => status === "SUCCEEDED");
  const fine = await woml(folder, ["verify"]);
  const [, count = ""] = /^(\d+) runs verified, none differs\n$/.exec(fine.stdout) ?? [];
  assert.ok(fine.code === 0 && Number(count) >= 3, fine.stderr);
  const client = new Client({ connectionString: platform.databaseUrl });
  await client.connect();
  await client.query("UPDATE run SET status = 'failed' WHERE id = $1", [ids[1]?.replace("run_", "")]);
  await client.end();
  const wrong = await woml(folder, ["verify", "-o", "json"]);
  assert.equal(wrong.code, 1);
  const { runs, differing } = wrong.json();
  assert.deepEqual([String(runs), differing.map(({ run }: { run: string }) => run)], [count, [ids[1]]]);
});

function definition(id: string) {
  return {
    schemaVersion: 1,
    workflow: { id },
    triggers: [{ id: "go", kind: "manual" }],
    nodes: [{ kind: "step", id: "only", script: { source: "return 1;" } }],
    edges: [],
    result: "only",
  };
}
