// Signals that scripts emit, over the store's double: who is started, with what, and once.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Definition, Json } from "@woml/model";
import { asTenantId, type RunKey } from "@woml/run";
import type { ScriptOutcome } from "@woml/sandbox";
import { chain, ok, Stage, step, TENANT, withCalls } from "./stage.ts";
import type { Talk } from "./talk-double.ts";

const USES = ["events", "workflows"].map((alias) => ({ alias, capability: alias, range: "*" }));
const CALLS = ["events.emit", "workflows.call", "workflows.start"];

type Script = (talk: Talk, payload: Json) => Promise<Json>;
/** A workflow of one step; `hears` is the name of the signal that it starts with. */
function publish(stage: Stage, id: string, script: Script, { hears, schema }: { hears?: string; schema?: Json } = {}): string {
  const retry = { maxAttempts: 3, backoff: { kind: "fixed", delayMs: 1_000 } } as const;
  const trigger = { id: "t", kind: "signal", name: hears ?? "none.such", ...(schema === undefined ? {} : { schema }) };
  const node = step(id, { script: { source: `return "${id}";`, calls: CALLS }, retry });
  const definition = { ...chain(node), uses: USES, workflow: { id }, ...(hears ? { triggers: [trigger] } : {}) } as Partial<Definition>;
  const version = stage.publish({ ...chain(node), ...definition } as Definition);
  stage.memory.activate(TENANT, id, version);
  if (hears) stage.memory.subscribe(hears, { tenant: TENANT, workflow: id, trigger: "t", version, spec: trigger as Json, secrets: [] });
  stage.talks.set(id, async (talk, { context }): Promise<ScriptOutcome> => {
    try {
      return ok(await script(talk, (JSON.parse(context) as { payload: Json }).payload));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { outcome: "script_threw", failure: { name: "Error", message, stack: "" }, cpuMs: 1, ms: 1 };
    }
  });
  return version;
}
async function emit(talk: Talk, signal: Json, payload: Json = { n: 1 }, name = "one"): Promise<Json> {
  const told = await talk.call("events.emit", { signal, payload }, name);
  return told.ok ? told.value : told.code;
}
const result = (stage: Stage, key: RunKey): Json | undefined => {
  const last = stage.run(key).events.at(-1);
  return last?.type === "run_succeeded" ? last.data.result : JSON.stringify(last?.data);
};
const startsOf = (stage: Stage, workflow: string): readonly RunKey[] =>
  stage.memory.requests().filter(({ body }) => body.kind === "start" && body.workflow === workflow);
const deliveries = (said: Json | undefined): readonly { readonly status: string; readonly code?: string; readonly runId?: string }[] =>
  (said as unknown as { deliveries: [] }).deliveries;

it("a signal starts a run of each workflow that listens, with its payload, in the append that settles the call", async () => {
  const stage = new Stage();
  publish(stage, "b", async (_, payload) => payload, { hears: "order.paid" });
  publish(stage, "c", async (_, payload) => payload, { hears: "order.paid" });
  publish(stage, "d", async () => null, { hears: "order.sent" });
  const version = publish(stage, "a", (talk) => emit(talk, "order.paid", { total: 7 }));
  await stage.start();
  const key = stage.ask(version, {}, undefined, "a");
  await stage.wait(2_000);
  const said = result(stage, key) as { publicationId: string };
  const [b, c] = [startsOf(stage, "b"), startsOf(stage, "c")].flat();
  assert.ok(b && c);
  assert.deepEqual(said, {
    ...{ publicationId: said.publicationId, name: "order.paid", accepted: 2, duplicate: 0, rejected: 0, status: "accepted", depth: 1 },
    deliveries: [
      { workflowId: "b", triggerId: "t", status: "accepted", runId: `run_${b.run}` },
      { workflowId: "c", triggerId: "t", status: "accepted", runId: `run_${c.run}` },
    ],
  });
  assert.match(said.publicationId, /^[0-9a-f]{64}$/);
  assert.deepEqual([result(stage, b), result(stage, c), startsOf(stage, "d")], [{ total: 7 }, { total: 7 }, []]);
  const [admitted] = stage.run(b).events;
  assert.ok(admitted?.type === "run_admitted");
  assert.deepEqual(admitted.data.trigger, { kind: "signal", id: "t" });
  assert.deepEqual(admitted.data.signal, { id: said.publicationId, name: "order.paid", lineage: ["a"] });
  const { events } = stage.run(key);
  const started = events.find(({ type }) => type === "operation_started");
  assert.equal(events[started?.seq ?? 0]?.type, "operation_settled");
});

it("a signal that nobody listens to is emitted all the same; another tenant's workflows hear nothing", async () => {
  const stage = new Stage();
  const version = publish(stage, "a", (talk) => emit(talk, "order.paid"));
  const other = asTenantId("00000000-0000-7000-8000-0000000000ff");
  stage.memory.subscribe("order.paid", { tenant: other, workflow: "b", trigger: "t", version, spec: {}, secrets: [] });
  await stage.start();
  const key = stage.ask(version, {}, undefined, "a");
  await stage.wait(1_000);
  const { accepted, status, deliveries: none } = result(stage, key) as { accepted: Json; status: Json; deliveries: Json };
  assert.deepEqual([accepted, status, none, stage.memory.requests().length], [0, "accepted", [], 1]);
});

it("each listener judges the payload by its own schema: one that does not take it is told of, and the others start", async () => {
  const stage = new Stage();
  const schema = { properties: { n: { type: "string" } }, required: ["id"] };
  publish(stage, "b", async () => "heard", { hears: "order.paid", schema });
  publish(stage, "c", async () => "heard", { hears: "order.paid", schema: { properties: { n: { minimum: 1 } } } });
  const version = publish(stage, "a", (talk) => emit(talk, "order.paid", { n: 1 }));
  await stage.start();
  const key = stage.ask(version, {}, undefined, "a");
  await stage.wait(1_000);
  const said = result(stage, key) as { status: string; accepted: number; rejected: number };
  assert.deepEqual([said.status, said.accepted, said.rejected, startsOf(stage, "b").length], ["partial", 1, 1, 0]);
  assert.deepEqual(deliveries(said)[0], {
    ...{ workflowId: "b", triggerId: "t", status: "rejected", code: "WOML_TRIGGER_SCHEMA_INVALID" },
    message: "The payload is not as the schema of the trigger says.",
    issues: [
      { path: "/id", message: "is missing" },
      { path: "/n", message: "must be string" },
    ],
  });
});

it("a later attempt emits nothing again: it is answered what the first one was", async () => {
  const stage = new Stage();
  let attempts = 0;
  publish(stage, "b", async () => "heard", { hears: "order.paid" });
  const version = publish(stage, "a", async (talk) => {
    attempts += 1;
    const said = await emit(talk, "order.paid");
    if (attempts < 3) throw new Error("not yet");
    return said;
  });
  await stage.start();
  const key = stage.ask(version, {}, undefined, "a");
  await stage.wait(10_000);
  assert.deepEqual([attempts, startsOf(stage, "b").length], [3, 1]);
  assert.equal(deliveries(result(stage, key))[0]?.runId, `run_${startsOf(stage, "b")[0]?.run}`);
});

it("no workflow hears of what it stands above, through signals and calls alike", async () => {
  const stage = new Stage();
  const refusals = new Map<string, Json>();
  let told = 0;
  const tell = (id: string, signal: string): Script => {
    return async (talk) => {
      // Where they hear of each other for ever the test ends all the same.
      told += 1;
      if (told > 20) return null;
      refusals.set(
        id,
        deliveries(await emit(talk, signal)).map(({ status, code = "" }) => `${status} ${code}`.trim()),
      );
      return null;
    };
  };
  const version = publish(stage, "a", tell("a", "a.done"), { hears: "c.done" });
  publish(stage, "b", tell("b", "b.done"), { hears: "a.done" });
  publish(stage, "own", tell("own", "a.done"), { hears: "a.done" });
  publish(
    stage,
    "c",
    async (talk) => {
      refusals.set("c calls a", (await talk.call("workflows.call", { id: "a", payload: {} }, "call")).ok);
      const called = await talk.call("workflows.call", { id: "d", payload: {} }, "other");
      return called.ok ? called.value : called.code;
    },
    { hears: "b.done" },
  );
  publish(stage, "d", tell("d", "c.done"));
  await stage.start();
  stage.ask(version, {}, undefined, "a");
  await stage.wait(10_000);
  assert.deepEqual(Object.fromEntries(refusals), {
    a: ["accepted", "accepted"],
    b: ["accepted"],
    own: ["accepted", "rejected WOML_EVENT_CYCLE"],
    "c calls a": false,
    d: ["rejected WOML_EVENT_CYCLE"],
  });
});

it("a chain of signals ends after 32 workflows", async () => {
  const stage = new Stage();
  const said: Json[] = [];
  const nth = (n: number): string => `w${n}`;
  for (let n = 1; n <= 33; n++)
    publish(
      stage,
      nth(n),
      async (talk) => {
        const told = await emit(talk, `step.n${n + 1}`);
        said.push(typeof told === "string" ? told : (told as { depth: number }).depth);
        return null;
      },
      { hears: `step.n${n}` },
    );
  const version = publish(stage, "last", async () => null, { hears: "step.n34" });
  assert.ok(version);
  await stage.start();
  const first = publish(stage, "w0", (talk) => emit(talk, "step.n1"));
  stage.ask(first, {}, undefined, "w0");
  await stage.wait(60_000);
  assert.deepEqual(said, [...Array.from({ length: 31 }, (_, n) => n + 2), "WOML_EVENT_DEPTH_EXCEEDED"]);
});

it("what is wrong with a call of it is refused, and nobody is started", async () => {
  const stage = new Stage();
  for (let n = 0; n < 40; n++) {
    const trigger = `t${n}`;
    stage.memory.subscribe("large.one", { tenant: TENANT, workflow: `w${n}`, trigger, version: "v", spec: {}, secrets: [] });
  }
  const version = publish(stage, "a", async (talk) => [
    await emit(talk, "Order", {}, "1"),
    await emit(talk, 5, {}, "2"),
    await emit(talk, "order", {}, "3"),
    await emit(talk, "woml.run-failed", {}, "4"),
    await emit(talk, "order.paid", [], "5"),
    await emit(talk, "large.one", { text: "x".repeat(1_000_000) }, "6"),
  ]);
  await stage.start();
  const key = stage.ask(version, {}, undefined, "a");
  await stage.wait(2_000);
  assert.deepEqual(result(stage, key), [
    ...["WOML_EVENT_NAME_INVALID", "WOML_EVENTS_INPUT_INVALID", "WOML_EVENT_NAME_INVALID", "WOML_EVENT_NAME_RESERVED"],
    ...["WOML_EVENTS_INPUT_INVALID", "WOML_EVENT_FANOUT_TOO_LARGE"],
  ]);
  assert.equal(stage.memory.requests().length, 1);
});

it("PC-32: signals that are emitted while runs end, and appends lose their answers, are each consumed once, and none is left lying", async () => {
  const stage = new Stage();
  const memory = stage.memory.open();
  let appends = 0;
  // It lands, and nobody is told.
  const lossy = withCalls(memory, { append: (wanted) => memory.append(wanted).then((moved) => (++appends % 3 === 0 ? null : moved)) });
  publish(stage, "b", async () => "heard", { hears: "order.paid" });
  const version = publish(stage, "a", async (talk) => {
    const said = await Promise.all([1, 2, 3, 4, 5].map((n) => emit(talk, "order.paid", { n }, `call ${n}`)));
    return said.flatMap((one) => deliveries(one).map(({ runId = "" }) => runId));
  });
  await stage.start({}, lossy);
  const keys = [1, 2, 3, 4].map(() => stage.ask(version, {}, undefined, "a"));
  await stage.wait(60_000);
  const told = keys.flatMap((key) => result(stage, key) as string[]);
  const started = startsOf(stage, "b");
  assert.deepEqual([told.length, told.toSorted()], [20, started.map(({ run }) => `run_${run}`).toSorted()]);
  for (const key of started) assert.equal(stage.run(key).status, "succeeded");
  assert.deepEqual(
    stage.memory.requests().filter(({ consumed }) => !consumed),
    [],
  );
});

it("who may not start for want of room is told of in the answer and in the log of deliveries, with what it would have been told; the others start", async () => {
  const stage = new Stage();
  for (const id of ["b", "c", "d"]) publish(stage, id, async () => "heard", { hears: "order.paid" });
  publish(stage, "e", async () => "heard", { hears: "order.paid", schema: { required: ["id"] } });
  stage.memory.subscribe("woml.quota-reached", { tenant: TENANT, workflow: "ops", trigger: "t", version: "v", spec: {}, secrets: [] });
  stage.memory.setQuota(TENANT, "starts_per_second", 2);
  const version = publish(stage, "a", (talk) => emit(talk, "order.paid", { n: 1 }));
  await stage.start();
  const key = stage.ask(version, {}, undefined, "a");
  await stage.wait(1_000);
  const said = result(stage, key) as { status: string; accepted: number; rejected: number; publicationId: string };
  assert.deepEqual([said.status, said.accepted, said.rejected], ["partial", 2, 2]);
  assert.deepEqual(
    deliveries(said).map(({ code = null }) => code),
    [null, null, "WOML_QUOTA_EXCEEDED", "WOML_TRIGGER_SCHEMA_INVALID"],
  );
  const log = stage.memory.delivered.map(({ workflow, outcome, code, source, run, payload }) => [
    workflow,
    outcome,
    code,
    source,
    run,
    payload,
  ]);
  const [b, c] = [startsOf(stage, "b")[0]?.run, startsOf(stage, "c")[0]?.run];
  const source = said.publicationId;
  assert.deepEqual(log, [
    ["b", "accepted", undefined, source, b, undefined],
    ["c", "accepted", undefined, source, c, undefined],
    ["d", "rejected", "WOML_QUOTA_EXCEEDED", source, undefined, { n: 1 }],
    ["e", "rejected", "WOML_TRIGGER_SCHEMA_INVALID", source, undefined, { n: 1 }],
  ]);
  assert.deepEqual([startsOf(stage, "d"), startsOf(stage, "e")], [[], []]);
  const [announced, ...more] = stage.memory.announced;
  assert.ok(announced);
  assert.deepEqual([announced.name, announced.lineage, more], ["woml.quota-reached", ["a"], []]);
  assert.match(JSON.stringify(announced.payload), /^\{"quota":"starts-per-second","limit":2,"resetsAt":"20[^"]+"\}$/);
});

it("a start past the quota fails so that a policy tries it again, and no second begins with more than it may", async () => {
  const stage = new Stage();
  const began: number[] = [];
  publish(stage, "child", async () => "done");
  const refusals: string[] = [];
  const version = publish(stage, "a", async (talk) => {
    const told = await talk.call("workflows.start", { id: "child", payload: {} }, "one");
    if (told.ok) return null;
    refusals.push(`${told.code}: ${told.message}`);
    throw new Error("later");
  });
  stage.memory.setQuota(TENANT, "starts_per_second", 1);
  await stage.start();
  const keys = Array.from({ length: 3 }, () => stage.ask(version, {}, undefined, "a"));
  await stage.wait(20_000);
  assert.deepEqual(
    keys.map((key) => stage.run(key).status),
    ["succeeded", "succeeded", "succeeded"],
  );
  for (const { createdAt, body } of stage.memory.requests())
    if (body.kind === "start" && body.workflow === "child") began.push(Math.floor(createdAt / 1_000));
  assert.deepEqual([began.length, new Set(began).size], [3, 3]);
  assert.ok(refusals.length >= 2);
  assert.match(
    refusals[0] ?? "",
    /^WOML_QUOTA_EXCEEDED: The run is not started: the tenant's quota starts-per-second of 1 is used up until 20/,
  );
});

it("a call past the quota fails in the same way; what was asked for before is waited for, whatever the quota is by now", async () => {
  const stage = new Stage();
  publish(stage, "child", async () => "done");
  const version = publish(stage, "a", async (talk) => {
    const told = await talk.call("workflows.call", { id: "child", payload: {} }, "one");
    if (!told.ok) throw new Error(told.code);
    return told.value;
  });
  await stage.start();
  stage.memory.setQuota(TENANT, "starts_per_second", 0);
  const key = stage.ask(version, {}, undefined, "a");
  await stage.wait(500);
  const settled = stage.run(key).events.find(({ type }) => type === "operation_settled");
  assert.ok(settled?.type === "operation_settled" && settled.data.outcome.status === "failed");
  const { code, retryable, ambiguous } = settled.data.outcome.failure;
  assert.deepEqual([code, retryable, ambiguous, startsOf(stage, "child")], ["WOML_QUOTA_EXCEEDED", true, false, []]);
  stage.memory.setQuota(TENANT, "starts_per_second", null);
  await stage.wait(10_000);
  assert.deepEqual([stage.run(key).status, startsOf(stage, "child").length], ["succeeded", 1]);
});
