import assert from "node:assert/strict";
import { it } from "node:test";
import type { EngineStore } from "@woml/prisma";
import type { MemoryLane } from "@woml/prisma/memory";
import type { RunKey } from "@woml/run";
import { chain, EPOCH, ok, Stage, step, TENANT, threw, withCalls } from "./stage.ts";

const LANE = { tenant: TENANT, kind: "workflow", name: "w" } as const;
const retry = (delayMs: number) => ({ maxAttempts: 2, backoff: { kind: "fixed" as const, delayMs } });
const none = { most: null, rate: null, queue: null };

/** A store that looks at its lanes after each append: none above its limit, each as many as there are runs that hold. */
function watched(stage: Stage, keys: readonly RunKey[]): { readonly store: EngineStore; most(): number } {
  const memory = stage.memory.open();
  let most = 0;
  const look = ({ tenant, kind, name, active, most: limit }: MemoryLane): void => {
    const rows = keys.flatMap((key) => stage.memory.run(key) ?? []);
    const holders = rows.filter((row) => row.tenant === tenant && row.holds && (kind === "tenant" || row.workflow === name));
    assert.equal(active, holders.length);
    if (limit !== null) assert.ok(active <= limit, `${kind} ${name}: ${active} of ${limit}`);
    most = Math.max(most, active);
  };
  const append: EngineStore["append"] = (wanted) => memory.append(wanted).finally(() => stage.memory.lanes().forEach(look));
  return { store: withCalls(memory, { append }), most: () => most };
}

it("runs as many at a time as the lane has places, and all of them in the end", async () => {
  const stage = new Stage();
  const keys: RunKey[] = [];
  stage.memory.setLane(LANE, { ...none, most: 3 });
  const { store, most } = watched(stage, keys);
  stage.scripts = () => ({ after: 50, outcome: ok(1) });
  const version = stage.publish(chain("a", "b"));
  for (let n = 0; n < 20; n++) keys.push(stage.ask(version));
  await stage.start({}, store);
  await stage.start({}, store);
  await stage.wait(5_000);
  assert.equal(keys.filter((key) => stage.run(key).status === "succeeded").length, 20);
  assert.equal(most(), 3);
  assert.ok(stage.run(keys[0] as RunKey).at - EPOCH < 1_000);
});

it("PC-40 a back-off gives its place to others, and takes one again before anything new", async () => {
  const stage = new Stage();
  stage.memory.setLane(LANE, { ...none, most: 1 });
  stage.scripts = (node, attempt) => (node === "a" && attempt === 1 ? threw : { after: 400, outcome: ok(1) });
  const failing = stage.publish(chain(step("a", { retry: retry(200) })));
  const plain = stage.publish(chain("b"));
  await stage.start();
  const first = stage.ask(failing);
  await stage.wait(50);
  const [second, third] = [stage.ask(plain), stage.ask(plain)];
  await stage.wait(100);
  assert.deepEqual([stage.run(first).status, stage.run(second).status, stage.memory.run(third)], ["waiting", "running", null]);
  await stage.wait(200);
  assert.deepEqual([stage.run(first).owner, stage.run(first).linedAt !== null], [null, true], "it is due, and stands in line");
  await stage.wait(300);
  assert.deepEqual([stage.run(second).status, stage.run(first).status, stage.memory.run(third)], ["succeeded", "running", null]);
  await stage.wait(2_000);
  assert.deepEqual([stage.run(first).status, stage.run(third).status], ["succeeded", "succeeded"]);
  assert.deepEqual(stage.log(first), [
    ...["run_admitted", "run_started", "step_started a#1", "step_failed a#1", "step_retry_scheduled a#2", "step_started a#2"],
    ...["step_succeeded a#2", "outcome_decided", "run_succeeded"],
  ]);
});

it("what waits for a place can be cancelled, new or begun, and its time runs out there", async () => {
  const stage = new Stage();
  stage.memory.setLane(LANE, { ...none, most: 1 });
  stage.scripts = (node, attempt) => (node === "a" && attempt === 1 ? threw : { after: 60_000, outcome: ok(1) });
  const failing = stage.publish(chain(step("a", { retry: retry(200) })));
  const timed = stage.publish({ ...chain(step("a", { retry: retry(200) })), policy: { timeoutMs: 3_000 } });
  await stage.start();
  const [begun, late] = [stage.ask(failing), stage.ask(timed)];
  await stage.wait(50);
  const long = stage.ask(stage.publish(chain("b")));
  const fresh = stage.ask(stage.publish(chain("c")));
  await stage.wait(500);
  assert.deepEqual([stage.run(begun).linedAt !== null, stage.run(late).linedAt !== null, stage.memory.run(fresh)], [true, true, null]);
  for (const key of [begun, fresh]) stage.cancel(key);
  await stage.wait(1_200);
  assert.deepEqual([stage.run(begun).status, stage.run(fresh).status], ["cancelled", "cancelled"]);
  assert.ok(stage.memory.requests().every(({ consumed }) => consumed));
  await stage.wait(3_000);
  assert.deepEqual([stage.run(late).status, stage.run(long).status], ["failed", "running"]);
});

it("no more begin within any window than the rate allows, and none waits for longer than it must", async () => {
  const stage = new Stage();
  stage.memory.setLane(LANE, { ...none, rate: { count: 3, windowMs: 500 } });
  const version = stage.publish(chain("a"));
  await stage.start();
  const keys = Array.from({ length: 12 }, () => stage.ask(version));
  await stage.wait(4_000);
  const starts = keys.map((key) => (stage.run(key).events[0]?.at ?? 0) - EPOCH).toSorted((a, b) => a - b);
  for (let n = 3; n < starts.length; n++) assert.ok((starts[n] ?? 0) - (starts[n - 3] ?? 0) >= 500, starts.join(" "));
  assert.ok((starts.at(-1) ?? 0) < 3 * 500 + 200, starts.join(" "));
});

it("PC-38 an engine that died keeps no place for longer than its run: it is taken over, and the line goes on", async () => {
  const stage = new Stage();
  stage.memory.setLane(LANE, { ...none, most: 1 });
  stage.scripts = () => ({ after: 100, outcome: ok(1) });
  const version = stage.publish(chain("a"));
  const first = await stage.start();
  const [held, next] = [stage.ask(version), stage.ask(version)];
  await stage.wait(50);
  stage.memory.breakLease(first.id);
  await stage.start();
  await stage.wait(3_000);
  assert.deepEqual([stage.run(held).status, stage.run(next).status], ["succeeded", "succeeded"]);
  assert.deepEqual(
    stage.memory.lanes().map(({ active }) => active),
    [0],
  );
});

it("PC-36 a workflow that is blocked keeps no other from starting, of its tenant or another", async () => {
  const stage = new Stage();
  stage.memory.setLane(LANE, { ...none, most: 1 });
  stage.scripts = (node) => (node === "stuck" ? { after: 600_000, outcome: ok(1) } : ok(1));
  await stage.start({ drivenMax: 10 });
  const stuck = stage.publish(chain("stuck"));
  for (let n = 0; n < 50; n++) stage.ask(stuck);
  await stage.wait(1_000);
  const other = stage.ask(stage.publish({ ...chain("a"), workflow: { id: "other" } }), {}, undefined, "other");
  await stage.wait(50);
  assert.equal(stage.run(other).status, "succeeded");
});

it("what an engine has taken out of the line, and did not hear of, it goes on with all the same", async () => {
  const stage = new Stage();
  stage.memory.setLane(LANE, { ...none, most: 1 });
  stage.scripts = (node, attempt) => (node === "a" && attempt === 1 ? threw : { after: 400, outcome: ok(1) });
  const memory = stage.memory.open();
  let lost = 0;
  const claim: EngineStore["claim"] = async (...asked) => {
    const claimed = await memory.claim(...asked);
    if (lost > 0 || !claimed.some(({ isLined }) => isLined)) return claimed;
    lost += 1;
    throw new Error("the answer is lost");
  };
  await stage.start({}, withCalls(memory, { claim }));
  const failing = stage.ask(stage.publish(chain(step("a", { retry: retry(200) }))));
  await stage.wait(50);
  stage.ask(stage.publish(chain("b")));
  await stage.wait(10_000);
  assert.deepEqual([lost, stage.run(failing).status], [1, "succeeded"]);
});
