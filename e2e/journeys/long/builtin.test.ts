// What scripts do with the services that the platform performs itself: state, and other workflows. One platform for all of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ended, field, publish, runUntil, type SeenRun, start, upForFile } from "../../support/platform.ts";

const { platform } = await upForFile();

const workflow = (id: string, script: string, triggers = '<triggers><manual id="go"/></triggers>'): string =>
  `<woml><workflow id="${id}">${triggers}<steps><step id="only"><script>${script}</script></step></steps></workflow></woml>`;
const ran = async (id: string, payload: object = {}): Promise<SeenRun> =>
  runUntil(platform, await start(platform, { workflow: id, payload }), ended, 60_000);
const typesOf = ({ events }: SeenRun): readonly string[] => events.edges.map(({ node }) => node.type);

test("fifty runs at once count what their workflow keeps, and none is lost", async () => {
  await publish(platform, workflow("counter", 'return services.state.increment("n", 1, { name: "count" });'));
  const runs = await Promise.all(Array.from({ length: 50 }, () => ran("counter")));
  const results = runs.map(({ result }) => result as number).toSorted((a, b) => a - b);
  assert.deepEqual(
    results,
    Array.from({ length: 50 }, (_, i) => i + 1),
  );
  const [first] = runs;
  assert.deepEqual(first && typesOf(first).slice(3, 5), ["operation_started", "operation_settled"]);
});

test("what is kept outlives versions, and is the workflow's own", async () => {
  const keeper = `const before = await services.state.get("last", { version: true });
    const { version } = await services.state.set("last", context.payload, { name: "keep", ifVersion: before.version });
    return { before, version };`;
  await publish(platform, workflow("keeper", keeper));
  await ran("keeper", { n: 1 });
  await publish(platform, workflow("keeper", `${keeper} // again`));
  assert.deepEqual((await ran("keeper", { n: 2 })).result, { before: { value: { n: 1 }, version: 1 }, version: 2 });
  await publish(platform, workflow("stranger", 'return [await services.state.get("last"), await services.state.has("last")];'));
  assert.deepEqual((await ran("stranger")).result, [null, false]);
  await publish(platform, workflow("stale", 'await services.state.set("last", 1, { name: "keep", ifVersion: 7 }); return 1;'));
  const { status, failure } = await ran("stale");
  assert.deepEqual([status, failure?.code, failure?.step], ["FAILED", "WOML_STATE_CONFLICT", "only"]);
});

test("a workflow without triggers is called by another, and by nobody else", async () => {
  await publish(platform, workflow("price", "return { price: context.payload.quantity * 3 };", ""));
  const refused = await platform.ask('mutation { startRun(input: { workflow: "price" }) { run { id } } }');
  assert.equal(refused.errors?.[0]?.extensions?.code, "WOML_WORKFLOW_CALL_ONLY");
  await publish(platform, workflow("order", 'return services.workflows.call("price", context.payload, { name: "price", timeout: "1m" });'));
  const run = await ran("order", { quantity: 4 });
  assert.deepEqual([run.status, run.result], ["SUCCEEDED", { price: 12 }]);
  const children = 'query { runs(first: 1, workflow: "price") { edges { node { id status result calledBy } } } }';
  interface Called {
    readonly edges: readonly { readonly node: { readonly id: string } & Record<string, unknown> }[];
  }
  const { edges } = field<Called>(await platform.ask(children), "runs");
  const child = { status: "SUCCEEDED", result: { price: 12 }, calledBy: run.id };
  assert.deepEqual(
    edges.map(({ node: { id: _, ...rest } }) => rest),
    [child],
  );
  const calls = "query ($id: ID!) { run(id: $id) { calledBy operations { edges { node { capability operation child outcome } } } } }";
  const call = { capability: "workflows", operation: "call", child: edges[0]?.node.id, outcome: "succeeded" };
  assert.deepEqual((await platform.ask(calls, { id: run.id })).data, { run: { calledBy: null, operations: { edges: [{ node: call }] } } });
});

test("a start answers at once; a call passes on what its run came to", async () => {
  await publish(platform, workflow("broken", 'throw new Error("no stock");', ""));
  await publish(platform, workflow("starter", 'return services.workflows.start("broken", {}, { name: "go" });'));
  const started = (await ran("starter")).result as { runId: string };
  assert.deepEqual(started, { workflowId: "broken", runId: started.runId, duplicate: false });
  assert.equal((await runUntil(platform, started.runId, ended)).failure?.message, "no stock");
  await publish(platform, workflow("caller", 'return services.workflows.call("broken", {}, { name: "go" });'));
  const { failure } = await ran("caller");
  assert.equal(failure?.code, "WOML_WORKFLOW_CALL_FAILED");
  assert.match(failure.message, /The run of broken has failed with WOML_SCRIPT_THROWN: .*no stock/);
  const caught = `try { await services.workflows.call("absent", {}, { name: "go" }); } catch (error) { return [error.name, error.code, error.service]; }`;
  await publish(platform, workflow("catcher", caught));
  assert.deepEqual((await ran("catcher")).result, ["WomlServiceError", "WOML_WORKFLOW_TARGET_NOT_FOUND", "workflows"]);
});

test("a run waits for the one that it called without a script in flight, and is cancelled without it", async () => {
  await publish(platform, workflow("slow", "await new Promise((resolve) => setTimeout(resolve, 4_000)); return 1;", ""));
  await publish(platform, workflow("patient", 'return services.workflows.call("slow", {}, { name: "wait" });'));
  const [first, second] = await Promise.all([1, 2].map(() => start(platform, { workflow: "patient" })));
  const parked = (run: SeenRun): boolean => typesOf(run).includes("attempt_parked");
  for (const id of [first, second]) assert.equal((await runUntil(platform, id ?? "", parked)).status, "WAITING");
  await platform.ask("mutation ($run: ID!) { cancelRun(input: { run: $run }) { run { id } } }", { run: first });
  assert.equal((await runUntil(platform, first ?? "", ended)).status, "CANCELLED");
  assert.equal((await runUntil(platform, second ?? "", ended)).result, 1);
  const query = 'query { runs(first: 10, workflow: "slow") { edges { node { status } } } }';
  const { edges } = field<{ edges: readonly { node: { status: string } }[] }>(await platform.ask(query), "runs");
  assert.equal(edges.length, 2);
  for (const { node } of edges) assert.notEqual(node.status, "CANCELLED");
});
