import assert from "node:assert/strict";
import { it } from "node:test";
import { chain, nothingRan, ok, Stage, step, threw, withCalls } from "./stage.ts";

const retry = { maxAttempts: 3, backoff: { kind: "fixed" as const, delayMs: 5_000 } };

it("drives a run from its request to its end with one append a step", async () => {
  const stage = new Stage();
  const store = stage.memory.open();
  await stage.start({}, store);
  const before = store.commits;
  const key = stage.ask(stage.publish(chain("a", "b", "c")), { n: 1 });
  await stage.wait(50);
  assert.deepEqual(stage.log(key), [
    ...["run_admitted", "run_started", "step_started a#1", "step_succeeded a#1", "step_started b#1", "step_succeeded b#1"],
    ...["step_started c#1", "step_succeeded c#1", "outcome_decided", "run_succeeded"],
  ]);
  assert.equal(store.commits - before, 4);
  assert.deepEqual(stage.contexts.get("c"), { payload: { n: 1 }, trigger: { n: 1 }, steps: { a: "a", b: "b" } });
});

it("L1: outcomes that come while an append is in flight are decided together", async () => {
  const stage = new Stage();
  const memory = stage.memory.open();
  const sizes: number[] = [];
  const slow = withCalls(memory, {
    append: async (wanted) => {
      sizes.push(wanted.events.filter(({ type }) => type === "step_succeeded").length);
      const moved = await memory.append(wanted);
      await stage.time.sleep(20);
      return moved;
    },
  });
  await stage.start({}, slow);
  const four = { ...chain("a", "b", "c", "d"), edges: [] };
  const key = stage.ask(stage.publish(four));
  stage.scripts = (node) => ({ after: node === "a" ? 1 : 10, outcome: ok(node) });
  await stage.wait(200);
  assert.equal(stage.run(key).status, "succeeded");
  assert.deepEqual(sizes, [0, 1, 3]);
});

it("L2: a frame leaves after its append has returned, never before", async () => {
  const stage = new Stage();
  const memory = stage.memory.open();
  const slow = withCalls(memory, { append: (wanted) => memory.append(wanted).then((moved) => stage.time.sleep(20).then(() => moved)) });
  await stage.start({}, slow);
  const key = stage.ask(stage.publish(chain("a")));
  await stage.wait(19);
  assert.deepEqual([stage.log(key).at(-1), stage.frames], ["step_started a#1", []], "stored, but the engine cannot know it");
  await stage.wait(10);
  assert.deepEqual(stage.frames, ["a#1"]);
});

it("L3: after a lost answer the run is loaded again, and nothing is done twice", async () => {
  const stage = new Stage();
  const memory = stage.memory.open();
  const lossy = withCalls(memory, { append: (wanted) => memory.append(wanted).then(() => null) });
  await stage.start({}, lossy);
  const key = stage.ask(stage.publish(chain("a", "b")));
  await stage.wait(2_000);
  assert.deepEqual(stage.log(key).slice(2), [
    ...["step_started a#1", "step_succeeded a#1", "step_started b#1", "step_succeeded b#1", "outcome_decided", "run_succeeded"],
  ]);
  assert.deepEqual(stage.frames, ["a#1", "b#1"]);
});

it("L3: an append that was not done is tried again", async () => {
  const stage = new Stage();
  const memory = stage.memory.open();
  let refusals = 3;
  const deaf = withCalls(memory, {
    append: async (wanted) => {
      if (refusals-- > 0) throw new Error("connection lost");
      return memory.append(wanted);
    },
  });
  await stage.start({}, deaf);
  const key = stage.ask(stage.publish(chain("a")));
  await stage.wait(2_000);
  assert.equal(stage.run(key).status, "succeeded");
});

it("L3: a run that is not ours any more is dropped, and its invocations are cancelled", async () => {
  const stage = new Stage();
  stage.scripts = (node) => ({ after: node === "a" ? 10 : 10_000, outcome: ok(node) });
  const first = await stage.start();
  const key = stage.ask(stage.publish({ ...chain("a", "b"), edges: [] }));
  await stage.settle();
  const other = stage.memory.open();
  await other.openLease("other", 15_000);
  stage.memory.breakLease(first.id);
  await other.fence("other");
  assert.equal((await other.claim("other", 10)).length, 1);
  await stage.wait(100);
  assert.deepEqual([stage.sandbox.running, stage.run(key).owner], [0, "other"]);
});

it("L4: an attempt found open is resumed in the log before it is sent again, and L5: once", async () => {
  const stage = new Stage();
  stage.scripts = () => ({ after: 10_000, outcome: ok(1) });
  const first = await stage.start();
  const key = stage.ask(stage.publish(chain("a")));
  await stage.wait(10);
  stage.memory.breakLease(first.id);
  await stage.settle();
  assert.equal(stage.sandbox.running, 0, "a dead engine's scripts are killed");
  stage.scripts = () => ok(1);
  await stage.start();
  await stage.wait(1_500);
  assert.deepEqual(stage.log(key).slice(2), [
    ...["step_started a#1", "attempt_resumed a#1 engine", "step_succeeded a#1", "outcome_decided", "run_succeeded"],
  ]);
  assert.deepEqual(stage.frames, ["a#1", "a#1"]);
});

it("resumes what was lost with the supervisor or a worker, and sends again without an event what found no room", async () => {
  const stage = new Stage();
  const outcomes = ["overloaded", "host_unavailable", "overloaded", "worker_crashed"] as const;
  let turn = 0;
  stage.scripts = () => {
    const outcome = outcomes[turn++];
    return outcome === undefined ? ok(1) : { ...nothingRan(outcome), retryAfterMs: 5 };
  };
  await stage.start();
  const key = stage.ask(stage.publish(chain("a")));
  await stage.wait(1_000);
  assert.deepEqual(stage.log(key).slice(2, -2), [
    ...["step_started a#1", "attempt_resumed a#1 host", "attempt_resumed a#1 worker", "step_succeeded a#1"],
  ]);
});

it("leaves a run that only waits, and loads it again when its retry is due", async () => {
  const stage = new Stage();
  const memory = stage.memory.open();
  const loads: string[] = [];
  const store = withCalls(memory, {
    load: (key) => {
      loads.push(key.run);
      return memory.load(key);
    },
  });
  stage.scripts = (_, attempt) => (attempt < 3 ? threw : ok("at last"));
  await stage.start({}, store);
  const key = stage.ask(stage.publish(chain(step("a", { retry }))));
  await stage.wait(4_000);
  assert.deepEqual([stage.run(key).status, loads.length, stage.memory.timers(key).length], ["waiting", 0, 1]);
  await stage.wait(8_000);
  assert.deepEqual([stage.run(key).status, loads.length, stage.memory.timers(key).length], ["succeeded", 2, 0]);
  assert.deepEqual(stage.frames, ["a#1", "a#2", "a#3"]);
});

it("ends a run at its deadline, though a script is still running", async () => {
  const stage = new Stage();
  stage.scripts = () => ({ after: 60_000, outcome: ok(1) });
  await stage.start();
  const key = stage.ask(stage.publish({ ...chain("a"), policy: { timeoutMs: 3_000 } }));
  await stage.wait(3_500);
  const failed = stage.run(key).events.at(-1);
  assert.ok(failed?.type === "run_failed" && failed.data.failure.code === "WOML_WORKFLOW_TIMED_OUT");
  assert.equal(stage.sandbox.running, 0);
});

it("fails a step whose context is too large without sending it, and one whose result the store refuses", async () => {
  const stage = new Stage();
  const memory = stage.memory.open();
  const refused = Object.assign(new Error("refused"), { code: "WOML_EVENT_REJECTED" });
  const strict = withCalls(memory, {
    append: (wanted) => (JSON.stringify(wanted.events).includes("unstorable") ? Promise.reject(refused) : memory.append(wanted)),
  });
  stage.scripts = (node) => (node === "a" ? ok("unstorable") : ok("x".repeat(1_048_000)));
  await stage.start({}, strict);
  const codes = async (version: string): Promise<string | undefined> => {
    const key = stage.ask(version);
    await stage.wait(100);
    const last = stage.run(key).events.at(-1);
    return last?.type === "run_failed" ? last.data.failure.code : last?.type;
  };
  assert.equal(await codes(stage.publish(chain("a"))), "WOML_EVENT_REJECTED");
  assert.equal(await codes(stage.publish(chain("b", "c", "d", "e", "f", "g"))), "WOML_SCRIPT_CONTEXT_TOO_LARGE");
  assert.equal(stage.frames.includes("g#1"), false);
});

it("E2: at its bound it admits nothing, and still cancels", async () => {
  const stage = new Stage();
  stage.scripts = () => ({ after: 20_000, outcome: ok(1) });
  await stage.start({ drivenMax: 2 });
  const version = stage.publish(chain("a"));
  const [first, ...more] = [stage.ask(version), stage.ask(version), stage.ask(version)];
  await stage.wait(1_500);
  assert.equal(more.filter((key) => stage.memory.run(key) === null).length, 1);
  if (first) stage.cancel(first);
  await stage.wait(1_500);
  assert.equal(first && stage.run(first).status, "cancelled");
  assert.equal(more.filter((key) => stage.memory.run(key) === null).length, 0);
});

it("stops: lets scripts end, starts none, and hands its runs over at once", async () => {
  const stage = new Stage();
  stage.scripts = () => ({ after: 300, outcome: ok(1) });
  const engine = await stage.start({ graceMs: 1_000 });
  const key = stage.ask(stage.publish(chain("a", "b")));
  await stage.wait(100);
  const stopped = engine.stop();
  await stage.wait(500);
  await stopped;
  assert.deepEqual(stage.frames, ["a#1"]);
  assert.equal(stage.log(key).at(-1), "step_started b#1");
  await stage.start();
  await stage.wait(2_000);
  assert.equal(stage.run(key).status, "succeeded");
});

it("E2: takes up what it has left in the inbox as soon as there is room", async () => {
  const stage = new Stage();
  stage.scripts = () => ({ after: 10, outcome: ok(1) });
  await stage.start({ drivenMax: 4 });
  const version = stage.publish(chain("a"));
  const keys = Array.from({ length: 40 }, () => stage.ask(version));
  await stage.wait(300);
  assert.equal(keys.filter((key) => stage.memory.run(key)?.status === "succeeded").length, 40);
});

it("writes no more in one append than one output may have, however many outcomes come at once", async () => {
  const stage = new Stage();
  const memory = stage.memory.open();
  const outputs: number[] = [];
  const store = withCalls(memory, {
    append: async (wanted) => {
      outputs.push(wanted.events.filter(({ type }) => type === "step_succeeded").length);
      const moved = await memory.append(wanted);
      await stage.time.sleep(20);
      return moved;
    },
  });
  stage.scripts = (node) => ({ after: 30, outcome: ok(node === "a" ? 1 : "x".repeat(400_000)) });
  await stage.start({}, store);
  const key = stage.ask(stage.publish({ ...chain("a", "b", "c", "d", "e", "f"), edges: [] }));
  await stage.wait(500);
  assert.equal(stage.run(key).status, "succeeded");
  assert.deepEqual(outputs, [0, 1, 2, 2, 1]);
});
