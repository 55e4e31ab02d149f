import assert from "node:assert/strict";
import { it } from "node:test";
import { openLog, SHARED } from "@woml/boot";
import type { RunKey } from "@woml/run";
import { type Engine, type EngineOptions, startEngine } from "../index.ts";
import { call, Shop } from "./shop.ts";
import { chain, ok, Stage, TENANT, threw, withCalls } from "./stage.ts";
import { type Telling, type ToldSpan, telling } from "./telling.ts";

const ASKED = `00-${"b".repeat(32)}-00000000000000ff-01`;

async function start(stage: Stage, { telemetry }: Telling, options: EngineOptions = {}): Promise<Engine> {
  const engine = await startEngine({ ...stage.world(), telemetry }, options);
  await stage.settle();
  return engine;
}
/** A start that somebody's trace led to. */
function ask(stage: Stage, version: string): RunKey {
  const key = stage.ask(version);
  const request = stage.memory.requests().find(({ run }) => run === key.run);
  Object.assign(request?.body ?? {}, { trace: ASKED });
  return key;
}
const brief = ({ name, attributes, options, ended }: ToldSpan): readonly unknown[] => [
  ...[name, attributes["node"], attributes["outcome"]],
  ...[options.parent?.slice(-6, -3), ended],
];

it("admission, executions and questions to plugin hosts are spans of what goes on just then, one under the other", async () => {
  const shop = new Shop();
  const told = telling();
  const act = shop.plugins.act;
  const traces: unknown[] = [];
  shop.plugins.act = (dispatch) => {
    traces.push(dispatch.trace);
    return act(dispatch);
  };
  shop.play("a", (talk) => call(talk, "charge"));
  shop.scripts = (_, attempt) => (attempt === 1 ? { after: 40, outcome: threw } : ok(1));
  const version = shop.sell("a", {
    kind: "step",
    id: "b",
    script: { source: "" },
    retry: { maxAttempts: 2, backoff: { kind: "fixed", delayMs: 5_000 } },
  });
  await start(shop, told);
  const key = ask(shop, version);
  await shop.wait(20_000);
  assert.equal(shop.run(key).status, "succeeded");
  assert.deepEqual(told.spans.map(brief), [
    ["admit", undefined, "admitted", "0ff", [null]],
    ["attempt", "a", "ok", "001", [null]],
    ["operation perform", "a", "succeeded", "002", [null]],
    ["attempt", "b", "script_threw", "001", ["failed"]],
    ["attempt", "b", "ok", "001", [null]],
  ]);
  const [admit, , performed] = told.spans;
  const [admitted] = shop.run(key).events;
  assert.ok(admitted?.type === "run_admitted" && admitted.data.trace === admit?.traceparent);
  assert.deepEqual(traces, [performed?.traceparent]);
  const { outcome: _, ...said } = performed?.attributes ?? {};
  assert.deepEqual(said, {
    ...{ tenant: key.tenant, run: key.run, node: "a", attempt: 1, call: 1, try: 1, asked: "perform", effect: "keyed" },
    ...{ capability: "test.shop", operation: "charge", release: shop.release },
  });
});

it("a start that was read again while its admission was being stored is admitted once, and traced once", async () => {
  const stage = new Stage();
  const told = telling();
  const memory = stage.memory.open();
  const slow = withCalls(memory, {
    append: (wanted) => stage.time.sleep(150).then(() => memory.append(wanted)),
    inbox: async (...asked) => {
      const rows = await memory.inbox(...asked);
      await stage.time.sleep(100);
      return rows;
    },
  });
  stage.scripts = () => ({ after: 1_000, outcome: ok(1) });
  await startEngine({ ...stage.world(slow), telemetry: told.telemetry });
  const key = ask(stage, stage.publish(chain("a")));
  for (let i = 0; i < 20; i++) {
    await stage.wait(20);
    stage.bell.ring(SHARED);
  }
  await stage.wait(5_000);
  assert.equal(stage.run(key).status, "succeeded");
  assert.deepEqual(
    told.spans.filter(({ name }) => name === "admit").map(({ attributes }) => attributes["outcome"]),
    ["admitted"],
  );
});

it("PC-37 figures: how long a start of which tenant, an attempt and an operation took, and how executions ended", async () => {
  const shop = new Shop();
  const told = telling();
  shop.answerMs = 30;
  shop.play("a", (talk) => call(talk, "charge"));
  shop.scripts = () => ({ after: 70, outcome: threw });
  const version = shop.sell("a", "b");
  shop.ask(version);
  await shop.wait(500);
  await start(shop, told);
  await shop.wait(5_000);
  const of = (metric: string) => told.figures.filter((one) => one.metric === metric);
  const [wait] = of("woml_admission_wait_ms");
  assert.ok(wait && wait.value >= 500 && wait.value < 600, `${wait?.value}`);
  assert.deepEqual(wait.attributes, { tenant: TENANT });
  assert.deepEqual(
    of("woml_step_ms").map(({ attributes }) => attributes["outcome"]),
    ["succeeded", "failed"],
  );
  const [first, second] = of("woml_step_ms");
  assert.ok(first && second && first.value >= 30 && second.value >= 70 && second.value < 120);
  const [operation] = of("woml_operation_ms");
  assert.deepEqual(operation?.attributes, { capability: "test.shop", outcome: "succeeded" });
  assert.ok(operation && operation.value >= 30 && operation.value < 70);
  assert.deepEqual(
    of("woml_sandbox_outcomes_total").map(({ attributes }) => attributes["outcome"]),
    ["ok", "script_threw"],
  );
});

it("gauges: runs in memory, what is left of the lease, how long the oldest request waits for an engine that is full", async () => {
  const stage = new Stage();
  const told = telling();
  stage.scripts = () => ({ after: 60_000, outcome: ok(1) });
  const version = stage.publish(chain("a"));
  const engine = await start(stage, told, { drivenMax: 1 });
  assert.deepEqual([told.gauge("woml_runs_driven"), told.gauge("woml_inbox_age_ms")], [0, 0]);
  for (const _ of [1, 2]) stage.ask(version);
  await stage.wait(10_000);
  assert.equal(told.gauge("woml_runs_driven"), 1);
  assert.ok(told.gauge("woml_inbox_age_ms") > 8_000, `${told.gauge("woml_inbox_age_ms")}`);
  assert.ok(told.gauge("woml_lease_left_ms") > 8_000);
  stage.memory.breakLease(engine.id);
  await stage.settle();
  assert.equal(told.gauge("woml_lease_left_ms"), 0);
});

it("PC-54: whoever takes over goes on in the run's trace, and says that it is a resume; what was let go of has ended", async () => {
  const stage = new Stage();
  const [one, two] = [telling(), telling()];
  stage.scripts = () => ({ after: 60_000, outcome: ok(1) });
  const first = await start(stage, one);
  const key = ask(stage, stage.publish(chain("a")));
  await stage.wait(1_000);
  stage.memory.breakLease(first.id);
  await stage.settle();
  assert.deepEqual(one.spans.map(brief).at(-1), ["attempt", "a", "let_go", "001", [null]]);
  stage.scripts = () => ok(1);
  await start(stage, two);
  await stage.wait(5_000);
  assert.equal(stage.run(key).status, "succeeded");
  const [attempt, ...more] = two.spans;
  assert.deepEqual(more, []);
  const trace = one.spans[0]?.traceparent;
  assert.deepEqual(
    [attempt?.options.parent, attempt?.options.links, attempt?.attributes["resumed"], attempt?.attributes["lost"]],
    [trace, [trace], 1, 1],
  );
});

it("a line of the log that names a run names its trace", async () => {
  const stage = new Stage();
  const lines: string[] = [];
  const log = openLog("engine", "warn", { write: (line: string) => void lines.push(line) });
  const store = withCalls(stage.memory.open(), {
    append: async () => {
      throw Object.assign(new Error("no"), { code: "WOML_EVENT_REJECTED" });
    },
  });
  await startEngine({ ...stage.world(store), log });
  const key = ask(stage, stage.publish(chain("a")));
  await stage.wait(1_000);
  const held = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === "run held");
  assert.deepEqual([held?.tenant, held?.run, held?.trace], [key.tenant, key.run, "b".repeat(32)]);
});
