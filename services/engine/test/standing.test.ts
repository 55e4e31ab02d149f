import assert from "node:assert/strict";
import { it } from "node:test";
import type { LoadedRun } from "@woml/prisma";
import { standing } from "../standing.ts";
import { chain, EPOCH, Stage, threw, withCalls } from "./stage.ts";

const DAY_MS = 86_400_000;

async function waiting(): Promise<LoadedRun> {
  const stage = new Stage();
  stage.scripts = () => ({ after: 1_000, outcome: threw });
  await stage.start();
  const key = stage.ask(stage.publish(chain("a", "b")));
  await stage.wait(100);
  return stage.run(key);
}

it("L7: a log is believed only together with the row it was written with", async () => {
  const loaded = await waiting();
  assert.equal(standing(loaded, EPOCH).head, 3);
  const refuses = (changed: Partial<LoadedRun>, why: RegExp): void =>
    assert.throws(() => standing({ ...loaded, ...changed }, EPOCH + 60_000), why);
  refuses({ events: [] }, /the run has no log/);
  refuses({ head: 4 }, /^Error: store_changed: head: stored 4, the log says 3$/);
  refuses({ events: loaded.events.slice(0, 2) }, /store_changed: head: stored 3, the log says 2/);
  refuses({ at: loaded.at + 1 }, /store_changed: at/);
  refuses({ version: `sha256:${"1".repeat(64)}` }, /store_changed: version/);
});

it("L7: a log may be ahead of the clock, which may have been set back, but not by more than a day", async () => {
  const loaded = await waiting();
  assert.equal(standing(loaded, loaded.at - DAY_MS).head, 3);
  assert.throws(() => standing(loaded, loaded.at - DAY_MS - 1), /store_changed: the log is more than a day ahead of the clock/);
});

it("L7: a run whose row counts more events than there are is held, on load and on a reload, and its cancel is answered", async () => {
  for (const isDriven of [false, true]) {
    const stage = new Stage();
    stage.scripts = () => ({ after: 500, outcome: threw });
    const memory = stage.memory.open();
    let isChanged = false;
    const seen = <T extends LoadedRun | null>(run: T): T => (isChanged && run ? { ...run, head: run.head + 3 } : run);
    const changed = withCalls(memory, {
      append: (wanted) => (isChanged ? Promise.resolve(null) : memory.append(wanted)),
      load: async (key) => seen(await memory.load(key)),
      claim: async (engine, limit) => (await memory.claim(engine, limit)).map(seen),
      claimHeld: async (engine, key) => seen(await memory.claimHeld(engine, key)),
    });
    const first = await stage.start({}, changed);
    const key = stage.ask(stage.publish(chain("a")));
    await stage.wait(100);
    isChanged = true;
    if (!isDriven) {
      stage.memory.breakLease(first.id);
      await stage.start({}, changed);
    }
    await stage.wait(3_000);
    assert.equal(stage.run(key).held, "store_changed: head: stored 6, the log says 3");
    const cancel = stage.cancel(key);
    await stage.wait(2_000);
    assert.equal(stage.request(cancel)?.answer, "RUN_HELD");
  }
});

it("L7: a run whose row names another version is held before anything of that version runs", async () => {
  const stage = new Stage();
  stage.scripts = () => ({ after: 1_000, outcome: threw });
  const first = await stage.start();
  const other = stage.publish(chain("x"));
  const key = stage.ask(stage.publish(chain("a")));
  await stage.wait(100);
  stage.memory.breakLease(first.id);
  const memory = stage.memory.open();
  const renamed = (run: LoadedRun): LoadedRun => ({ ...run, version: other });
  await stage.start({}, withCalls(memory, { claim: async (engine, limit) => (await memory.claim(engine, limit)).map(renamed) }));
  await stage.wait(3_000);
  assert.match(stage.run(key).held ?? "", /^store_changed: version/);
  assert.deepEqual([...new Set(stage.frames)], ["a#1"]);
});
