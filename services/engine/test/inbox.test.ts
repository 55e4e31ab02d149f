import assert from "node:assert/strict";
import { it } from "node:test";
import { SHARED } from "@woml/boot";
import { asRunId } from "@woml/run";
import { chain, ok, Stage, step, TENANT, threw, uuid, withCalls } from "./stage.ts";

const retry = { maxAttempts: 2, backoff: { kind: "fixed" as const, delayMs: 60_000 } };

it("admits each request once, however often it rings and whoever reads it", async () => {
  const stage = new Stage();
  await stage.start();
  await stage.start();
  const version = stage.publish(chain("a"));
  const keys = Array.from({ length: 20 }, () => stage.ask(version));
  stage.bell.ring(SHARED);
  await stage.wait(2_000);
  for (const key of keys) assert.equal(stage.log(key).filter((line) => line === "run_admitted").length, 1);
  assert.equal(stage.frames.length, 20);
  assert.ok(stage.memory.requests().every(({ consumed, answer }) => consumed && answer === null));
});

it("finds requests of which no ring was heard", async () => {
  const stage = new Stage();
  await stage.start();
  const version = stage.publish(chain("a"));
  const { bell } = stage;
  Object.defineProperty(stage, "bell", { value: { ...bell, ring: () => undefined } });
  const key = stage.ask(version);
  await stage.wait(1_100);
  assert.equal(stage.run(key).status, "succeeded");
});

it("decides a cancel that came with its start right after it, in one append", async () => {
  const stage = new Stage();
  const version = stage.publish(chain("a"));
  const key = stage.ask(version);
  stage.cancel(key);
  const store = stage.memory.open();
  await stage.start({}, store);
  await stage.wait(100);
  assert.deepEqual(stage.log(key), [
    ...["run_admitted", "run_started", "step_started a#1", "cancel_requested", "step_cancelled a#1", "outcome_decided", "run_cancelled"],
  ]);
  assert.deepEqual(stage.frames, []);
});

it("PC-32: cancels what runs, what waits out of memory, and answers a cancel of what has ended", async () => {
  const stage = new Stage();
  stage.scripts = (node) => (node === "waits" ? threw : { after: 30_000, outcome: ok(1) });
  await stage.start();
  const running = stage.ask(stage.publish(chain("runs")));
  const waiting = stage.ask(stage.publish(chain(step("waits", { retry }))));
  await stage.wait(1_000);
  assert.deepEqual([stage.run(running).status, stage.run(waiting).status], ["running", "waiting"]);
  for (const key of [running, waiting]) stage.cancel(key);
  await stage.wait(100);
  assert.deepEqual([stage.run(running).status, stage.run(waiting).status, stage.sandbox.running], ["cancelled", "cancelled", 0]);
  const late = stage.cancel(running);
  await stage.wait(100);
  assert.equal(stage.request(late)?.answer, "RUN_ALREADY_TERMINAL");
});

it("PC-32: of requests that come while their run ends each is granted or answered, and none is left lying", async () => {
  const stage = new Stage();
  const memory = stage.memory.open();
  const slow = withCalls(memory, { append: (wanted) => stage.time.sleep(15).then(() => memory.append(wanted)) });
  stage.scripts = () => ({ after: 40, outcome: ok(1) });
  await stage.start({}, slow);
  const version = stage.publish(chain("a"));
  const answers = new Map<string, number>();
  for (let after = 0; after <= 120; after += 4) {
    const key = stage.ask(version);
    await stage.wait(after);
    const asked = [stage.cancel(key), stage.cancel(key), stage.cancel(key)];
    await stage.wait(3_000);
    const { status } = stage.run(key);
    const said = asked.map((id) => stage.request(id));
    assert.deepEqual(
      said.map((one) => one?.consumed),
      [true, true, true],
      `${after} ms: ${status}`,
    );
    const granted = said.filter((one) => one?.answer === null).length;
    assert.equal(granted, status === "cancelled" ? 1 : 0, `${after} ms: ${status}`);
    assert.deepEqual([...new Set(said.flatMap((one) => one?.answer ?? []))], ["RUN_ALREADY_TERMINAL"]);
    answers.set(status, (answers.get(status) ?? 0) + 1);
  }
  assert.deepEqual([...answers.keys()].toSorted(), ["cancelled", "succeeded"], "it was asked before and after the end");
});

it("refuses to start a run whose stored definition is not what its hash names, or is not stored", async () => {
  const stage = new Stage();
  await stage.start();
  const version = stage.publish(chain("a"));
  const before = stage.ask(version);
  await stage.wait(100);
  stage.memory.publish({ tenant: TENANT, version, text: "{}", sourceMap: null });
  const after = stage.ask(version);
  const unknown = stage.ask(`sha256:${"0".repeat(64)}`);
  await stage.wait(100);
  assert.equal(stage.run(before).status, "succeeded");
  for (const key of [after, unknown]) {
    const last = stage.run(key).events.at(-1);
    assert.ok(last?.type === "run_failed" && last.data.failure.code === "WOML_DEFINITION_HASH_MISMATCH");
  }
});

it("answers a start that the store would never take, and goes on with the next", async () => {
  const stage = new Stage();
  const memory = stage.memory.open();
  const refused = Object.assign(new Error("refused"), { code: "WOML_EVENT_REJECTED" });
  const strict = withCalls(memory, {
    append: (wanted) => (JSON.stringify(wanted.events).includes("unstorable") ? Promise.reject(refused) : memory.append(wanted)),
  });
  await stage.start({}, strict);
  const version = stage.publish(chain("a"));
  const [bad, good] = [stage.ask(version, { text: "unstorable" }), stage.ask(version)];
  const cancel = stage.cancel(bad);
  await stage.wait(2_000);
  assert.equal(stage.memory.run(bad), null);
  assert.deepEqual([stage.run(good).status, stage.request(cancel)?.consumed], ["succeeded", true]);
});

it("holds a running run whose definition has changed when it is loaded again, and can still cancel it", async () => {
  const stage = new Stage();
  stage.scripts = () => threw;
  await stage.start();
  const version = stage.publish(chain(step("a", { retry })));
  const key = stage.ask(version);
  await stage.wait(1_000);
  stage.memory.publish({ tenant: TENANT, version, text: "{}", sourceMap: null });
  await stage.wait(61_000);
  const held = stage.run(key);
  assert.match(held.held ?? "", /WOML_DEFINITION_HASH_MISMATCH/);
  assert.equal(held.owner, null);
  stage.cancel(key);
  await stage.wait(100);
  assert.deepEqual([stage.run(key).status, stage.run(key).held], ["cancelled", null]);
});

it("answers a cancel of a run that is not there and will not come", async () => {
  const stage = new Stage();
  await stage.start();
  const lone = stage.cancel({ tenant: TENANT, run: asRunId(uuid()) });
  const key = stage.ask(stage.publish(chain("a")));
  await stage.wait(1_000);
  assert.deepEqual([stage.run(key).status, stage.request(lone)?.answer], ["succeeded", "RUN_NOT_FOUND"]);
});
