// What the platform performs itself, over the store's double: state, and runs that scripts ask for.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Definition, Json } from "@woml/model";
import { asRunId, type RunKey } from "@woml/run";
import { Shop } from "./shop.ts";
import { chain, ok, Stage, step, TENANT, uuid, withCalls } from "./stage.ts";
import type { Talk, Told } from "./talk-double.ts";

const STATE = ["state.delete", "state.get", "state.has", "state.increment", "state.set", "state.setIfAbsent"];
const CALLS = ["workflows.call", "workflows.start"];
const USES = ["state", "workflows"].map((alias) => ({ alias, capability: alias, range: "*" }));

type Script = (talk: Talk) => Promise<Json>;
/** A workflow of one step whose script calls; its version is active. */
function publish(stage: Stage, id: string, script: Script, more: Partial<Definition> = {}): string {
  const node = step(id, { script: { source: `return "${id}";`, calls: [...STATE, ...CALLS] } });
  const version = stage.publish({ ...chain(node), uses: USES, workflow: { id }, ...more });
  stage.memory.activate(TENANT, id, version);
  stage.talks.set(id, async (talk) => ok(await script(talk)));
  return version;
}
async function told(talk: Talk, operation: string, input: Json, name: string | null = null): Promise<Told> {
  return talk.call(operation, input, name);
}
async function value(talk: Talk, operation: string, input: Json, name: string | null = null): Promise<Json> {
  const said = await told(talk, operation, input, name);
  return said.ok ? said.value : said.code;
}
function start(stage: Stage, version: string, workflow: string, payload: Json = {}): RunKey {
  return stage.ask(version, payload, undefined, workflow);
}
const result = (stage: Stage, key: RunKey): Json | undefined => {
  const last = stage.run(key).events.at(-1);
  return last?.type === "run_succeeded" ? last.data.result : JSON.stringify(last?.data);
};

it("state is kept over runs of a workflow, each operation started and settled in one append", async () => {
  const stage = new Stage();
  const version = publish(stage, "w", async (talk) => [
    await value(talk, "state.get", { key: "k" }),
    await value(talk, "state.has", { key: "k" }),
    await value(talk, "state.set", { key: "k", value: { a: [1] } }, "one"),
    await value(talk, "state.setIfAbsent", { key: "k", value: 2 }, "two"),
    await value(talk, "state.set", { key: "k", value: 3, ifVersion: 9 }, "three"),
    await value(talk, "state.get", { key: "k", version: true }),
    await value(talk, "state.increment", { key: "n", by: 5 }, "four"),
    await value(talk, "state.increment", { key: "k" }, "five"),
    await value(talk, "state.delete", { key: "k" }, "six"),
    await value(talk, "state.delete", { key: "k" }, "seven"),
    await value(talk, "state.set", { key: "k", value: 1 }, "eight"),
  ]);
  await stage.start();
  const key = start(stage, version, "w");
  await stage.wait(1_000);
  assert.deepEqual(result(stage, key), [
    ...[null, false, { version: 1 }, { created: false, version: 1 }, "WOML_STATE_CONFLICT", { value: { a: [1] }, version: 1 }],
    ...[5, "WOML_STATE_INTEGER_REQUIRED", { deleted: true }, { deleted: false }, { version: 2 }],
  ]);
  const { events } = stage.run(key);
  const started = events.filter(({ type }) => type === "operation_started");
  for (const { seq } of started) assert.equal(events[seq]?.type, "operation_settled");
  const again = start(stage, version, "w");
  await stage.wait(1_000);
  assert.deepEqual((result(stage, again) as Json[]).slice(0, 3), [1, true, { version: 3 }]);
});

it("what is wrong with a call of state is refused, and nothing is kept", async () => {
  const stage = new Stage();
  const version = publish(stage, "w", async (talk) => [
    await value(talk, "state.set", { key: "k", value: 1 }),
    await value(talk, "state.set", { key: "", value: 1 }, "a"),
    await value(talk, "state.set", { key: "k".repeat(257), value: 1 }, "b"),
    await value(talk, "state.set", { key: "k" }, "c"),
    await value(talk, "state.set", { key: "k", value: "v".repeat(262_143) }, "d"),
    await value(talk, "state.increment", { key: "k", by: 1.5 }, "e"),
    await value(talk, "state.increment", { key: "k", by: 2 ** 53 - 1 }, "f"),
    await value(talk, "state.increment", { key: "k" }, "g"),
    await value(talk, "state.set", { key: "k".repeat(256), value: "v".repeat(262_142) }, "h"),
    await value(talk, "state.set", { key: "x", value: 1 }, "h"),
    await value(talk, "state.get", "k"),
  ]);
  await stage.start();
  const key = start(stage, version, "w");
  await stage.wait(1_000);
  assert.deepEqual(result(stage, key), [
    ...["WOML_STATE_OPERATION_NAME_INVALID", "WOML_STATE_KEY_INVALID", "WOML_STATE_KEY_INVALID", "WOML_STATE_VALUE_INVALID"],
    ...["WOML_STATE_VALUE_TOO_LARGE", "WOML_STATE_INTEGER_REQUIRED", 2 ** 53 - 1, "WOML_STATE_INTEGER_OVERFLOW", { version: 1 }],
    ...["WOML_OPERATION_NAME_REUSED", "WOML_OPERATION_INPUT_INVALID"],
  ]);
  assert.equal((await stage.memory.open().state(TENANT, "w", "x")).version, 0);
});

it("what an attempt has kept is answered to the next one from the log, and not kept again", async () => {
  const stage = new Stage();
  let attempts = 0;
  const script: Script = async (talk) => {
    attempts += 1;
    const counted = await value(talk, "state.increment", { key: "n" }, "count");
    if (attempts === 1) throw new Error("no");
    return [counted, await value(talk, "state.get", { key: "n" })];
  };
  const node = step("w", {
    script: { source: "w", calls: STATE },
    retry: { maxAttempts: 2, backoff: { kind: "fixed", delayMs: 1 } },
  });
  const version = stage.publish({ ...chain(node), uses: USES, workflow: { id: "w" } });
  stage.talks.set("w", async (talk) => {
    try {
      return ok(await script(talk));
    } catch {
      return { outcome: "script_threw", failure: { name: "Error", message: "no", stack: "" }, cpuMs: 1, ms: 1 };
    }
  });
  await stage.start();
  const key = start(stage, version, "w");
  await stage.wait(1_000);
  assert.deepEqual([result(stage, key), attempts], [[1, 1], 2]);
});

it("runs that count one key at once lose nothing, also over two engines", async () => {
  const stage = new Stage();
  const version = publish(stage, "w", (talk) => value(talk, "state.increment", { key: "n" }, "count"));
  await stage.start();
  await stage.start();
  const keys = Array.from({ length: 50 }, () => start(stage, version, "w"));
  await stage.wait(5_000);
  const results = keys.map((key) => result(stage, key)).sort((a, b) => Number(a) - Number(b));
  assert.deepEqual(
    results,
    Array.from({ length: 50 }, (_, i) => i + 1),
  );
});

/** A parent whose script calls `child`, and answers what it is told. */
function family(stage: Stage, child: Script, input: Record<string, Json> = {}): { readonly parent: string } {
  publish(stage, "child", child);
  return {
    parent: publish(stage, "parent", async (talk) => {
      const said = await told(talk, "workflows.call", { id: "child", payload: { n: 1 }, ...input }, "one");
      return said.ok ? { result: said.value } : { code: said.code };
    }),
  };
}
const childOf = (stage: Stage, key: RunKey): RunKey => {
  for (const { type, data } of stage.run(key).events)
    if (type === "operation_started" && data.called?.child !== undefined) return { ...key, run: asRunId(data.called.child.run) };
  throw new Error("it called nothing");
};

it("a call waits for its run without a place, and is answered with its result", async () => {
  const stage = new Stage();
  const { parent } = family(stage, async (talk) => {
    await stage.time.sleep(20_000);
    return [await value(talk, "state.increment", { key: "n" }, "count")];
  });
  await stage.start();
  const key = start(stage, parent, "parent");
  await stage.wait(10_000);
  assert.deepEqual([stage.run(key).status, stage.run(childOf(stage, key)).status], ["waiting", "running"]);
  assert.ok(stage.log(key).includes("attempt_parked parent#1"));
  await stage.wait(30_000);
  assert.deepEqual(result(stage, key), { result: [1] });
  const child = stage.run(childOf(stage, key));
  const [admitted] = child.events;
  assert.ok(admitted?.type === "run_admitted");
  const { parent: from, trigger, payload } = admitted.data;
  assert.deepEqual(from, { run: key.run, node: "parent", attempt: 1, call: 1, lineage: ["parent"], isAwaited: true });
  assert.deepEqual([trigger, payload], [{ kind: "call", id: "call" }, { n: 1 }]);
  assert.equal(stage.memory.requests().filter(({ consumed }) => !consumed).length, 0);
  assert.match(child.run, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

it("a start does not wait, and the run that was started goes on by itself", async () => {
  const stage = new Stage();
  publish(stage, "child", async () => "done");
  const version = publish(stage, "parent", (talk) => value(talk, "workflows.start", { id: "child", payload: {} }, "one"));
  await stage.start();
  const key = start(stage, version, "parent");
  await stage.wait(1_000);
  const child = childOf(stage, key);
  assert.deepEqual(result(stage, key), { workflowId: "child", runId: `run_${child.run}`, duplicate: false });
  assert.deepEqual([stage.run(child).status, stage.memory.requests().length], ["succeeded", 2]);
});

const codes = async (script: (stage: Stage) => string | Promise<string>, waitMs = 1_000): Promise<Json | undefined> => {
  const stage = new Stage();
  const version = await script(stage);
  await stage.start();
  const key = start(stage, version, "parent");
  await stage.wait(waitMs);
  return result(stage, key);
};

it("what a call is refused for is told to its script", async () => {
  const call = (input: Record<string, Json>, operation = "call"): Script => {
    return async (talk) => value(talk, `workflows.${operation}`, { id: "child", payload: {}, ...input }, "one");
  };
  const failing = async (): Promise<Json> => Promise.reject(new Error("no"));
  assert.equal(await codes((stage) => publish(stage, "parent", call({}))), "WOML_WORKFLOW_TARGET_NOT_FOUND");
  assert.equal(await codes((stage) => publish(stage, "parent", call({ id: "No" }))), "WOML_WORKFLOW_TARGET_INVALID");
  assert.equal(await codes((stage) => publish(stage, "parent", call({ payload: [] }))), "WOML_WORKFLOW_PAYLOAD_INVALID");
  assert.equal(await codes((stage) => publish(stage, "parent", call({ id: "parent" }))), "WOML_WORKFLOW_CALL_CYCLE");
  assert.equal(await codes((stage) => publish(stage, "parent", call({ id: "parent" }, "start"))), "WOML_WORKFLOW_CALL_CYCLE");
  assert.equal(await codes((stage) => publish(stage, "parent", call({ timeout: "25h" }))), "WOML_WORKFLOW_CALL_OPTIONS_INVALID");
  const large = { payload: { text: "x".repeat(1_048_576 - 11) } };
  assert.equal(await codes((stage) => publish(stage, "parent", call(large))), "WOML_OPERATION_INPUT_TOO_LARGE");
  assert.deepEqual(await codes((stage) => family(stage, failing).parent), { code: "WOML_WORKFLOW_CALL_FAILED" });
});

it("a call that waits too long fails, and its run goes on", async () => {
  const stage = new Stage();
  const slow = async (): Promise<Json> => {
    await stage.time.sleep(20_000);
    return "done";
  };
  const { parent } = family(stage, slow, { timeout: "5s" });
  await stage.start();
  const key = start(stage, parent, "parent");
  await stage.wait(4_000);
  assert.deepEqual(
    stage.memory.timers(key).map(({ kind, subject }) => `${kind} ${subject}`),
    ["call parent:1:1"],
  );
  await stage.wait(4_000);
  assert.deepEqual(result(stage, key), { code: "WOML_WORKFLOW_CALL_TIMED_OUT" });
  await stage.wait(20_000);
  assert.equal(stage.run(childOf(stage, key)).status, "succeeded");
});

it("a run that is called is cancelled by itself alone, and who waits is told; a parent's cancel leaves it", async () => {
  const stage = new Stage();
  const slow = async (): Promise<Json> => {
    await stage.time.sleep(20_000);
    return "done";
  };
  const { parent } = family(stage, slow);
  await stage.start();
  const [first, second] = [start(stage, parent, "parent"), start(stage, parent, "parent")];
  await stage.wait(4_000);
  stage.cancel(childOf(stage, first));
  stage.cancel(second);
  await stage.wait(1_000);
  assert.deepEqual(result(stage, first), { code: "WOML_WORKFLOW_CALL_CANCELLED" });
  assert.equal(stage.run(second).status, "cancelled");
  assert.deepEqual(stage.log(second).slice(-4), [
    "operation_settled parent#1.1 failed",
    "step_cancelled parent#1",
    "outcome_decided",
    "run_cancelled",
  ]);
  await stage.wait(20_000);
  assert.deepEqual([stage.run(childOf(stage, second)).status], ["succeeded"]);
});

it("engines die while a call waits: one run, and its answer is not lost", async () => {
  const stage = new Shop();
  const slow = async (): Promise<Json> => {
    await stage.time.sleep(10_000);
    return "done";
  };
  const { parent } = family(stage, slow);
  let engine = await stage.mortal();
  const key = start(stage, parent, "parent");
  for (let n = 0; n < 4; n++) {
    await stage.wait(3_000);
    engine = await stage.replace(engine);
  }
  await stage.wait(60_000);
  assert.deepEqual(result(stage, key), { result: "done" });
  assert.equal(stage.memory.requests().filter(({ body }) => body.kind === "start").length, 2);
});

it("that a run has ended is looked up too before its time is over, in case nobody was told", async () => {
  const stage = new Shop();
  const { parent } = family(stage, async () => "done", { timeout: "30s" });
  const store = stage.memory.open();
  const deaf = withCalls(store, {
    inbox: async (...asked) => (await store.inbox(...asked)).filter(({ body }) => body.kind !== "child_settled"),
  });
  const engine = await stage.start({}, deaf);
  const key = start(stage, parent, "parent");
  await stage.wait(1_000);
  const lost = stage.memory.requests().filter(({ body }) => body.kind === "child_settled");
  await store.answer(lost.map(({ tenant, id }) => ({ tenant, id, answer: "CHILD_NOT_AWAITED" })));
  assert.deepEqual([lost.length, stage.run(key).status], [1, "waiting"]);
  stage.memory.breakLease(engine.id);
  await stage.start();
  await stage.wait(60_000);
  assert.deepEqual(result(stage, key), { result: "done" });
});

it("a run that is held is told what it waits for once it is free", async () => {
  const stage = new Stage();
  const { parent } = family(stage, async () => {
    await stage.time.sleep(5_000);
    return "done";
  });
  const engine = await stage.start();
  const key = start(stage, parent, "parent");
  await stage.wait(1_000);
  await stage.memory.open().hold(key, { engine: engine.id, epoch: stage.run(key).epoch }, "for a while");
  await stage.wait(10_000);
  const told = stage.memory.requests().filter(({ body }) => body.kind === "child_settled");
  assert.deepEqual([told.length, told[0]?.consumed, stage.run(key).held], [1, false, "for a while"]);
  stage.memory.unhold(key);
  await stage.wait(2_000);
  assert.deepEqual(result(stage, key), { result: "done" });
});

it("a run that is resumed waits for the run that the earlier one had called, and is told of its end", async () => {
  const stage = new Stage();
  const { parent } = family(stage, async () => {
    await stage.time.sleep(20_000);
    return "done";
  });
  await stage.start();
  const key = start(stage, parent, "parent");
  await stage.wait(1_000);
  stage.cancel(key);
  await stage.wait(1_000);
  assert.equal(stage.run(key).status, "cancelled");
  const next = { tenant: TENANT, run: asRunId(uuid()) };
  const trigger = { kind: "manual", id: "go" };
  const resumed = { run: key.run, from: "parent" };
  const body = { kind: "start", workflow: "parent", version: parent, trigger, payload: {}, labels: [], resumed } as const;
  stage.memory.request({ ...next, id: uuid(), body });
  await stage.wait(60_000);
  assert.deepEqual(result(stage, next), { result: "done" });
  assert.equal(stage.memory.requests().filter(({ body: of }) => of.kind === "start").length, 3, "one child of both");
});
