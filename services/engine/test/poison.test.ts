import assert from "node:assert/strict";
import { it } from "node:test";
import { call, Shop } from "./shop.ts";
import { chain, ok, Stage, TENANT, withCalls } from "./stage.ts";

it("PC-28: holds a run that has been claimed six times without moving", async () => {
  const stage = new Stage();
  stage.scripts = () => ({ after: 600_000, outcome: ok(1) });
  const first = await stage.start();
  const key = stage.ask(stage.publish(chain("a")));
  await stage.wait(100);
  stage.memory.breakLease(first.id);
  for (let claims = 1; claims <= 6; claims++) {
    const engine = await stage.start({}, withCalls(stage.memory.open(), { append: () => new Promise(() => undefined) }));
    await stage.wait(40_000);
    if (claims < 6) assert.equal(stage.run(key).claims, claims);
    stage.memory.breakLease(engine.id);
  }
  assert.equal(stage.run(key).held, "claimed 6 times without moving");
});

it("L7: holds a run whose log is broken, answers its cancel, and goes on with the others", async () => {
  const stage = new Stage();
  stage.scripts = () => ({ after: 600_000, outcome: ok(1) });
  const first = await stage.start();
  const version = stage.publish(chain("a"));
  const [broken, sound] = [stage.ask(version), stage.ask(version)];
  await stage.wait(100);
  stage.memory.breakLease(first.id);
  await stage.settle();
  const memory = stage.memory.open();
  const half = withCalls(memory, {
    claim: async (engine, limit) =>
      (await memory.claim(engine, limit)).map((run) => (run.run === broken.run ? { ...run, events: run.events.slice(1) } : run)),
    load: async (key) => {
      const run = await memory.load(key);
      return run?.run === broken.run ? { ...run, events: run.events.slice(1) } : run;
    },
    claimHeld: async (engine, key) => {
      const run = await memory.claimHeld(engine, key);
      return run && { ...run, events: run.events.slice(1) };
    },
  });
  stage.scripts = () => ok(1);
  await stage.start({}, half);
  await stage.wait(2_000);
  assert.match(stage.run(broken).held ?? "", /^WOML_LOG_/);
  assert.equal(stage.run(sound).status, "succeeded");
  const cancel = stage.cancel(broken);
  await stage.wait(2_000);
  assert.equal(stage.request(cancel)?.answer, "RUN_HELD");
});

it("holds a run whose definition was changed while it waited for a person, says so, and answers what they say", async () => {
  const shop = new Shop();
  shop.plugins.act = async () => ({ status: "ambiguous", code: "LOST", message: "no answer" });
  shop.play("a", (talk) => call(talk, "refund"));
  const first = await shop.mortal();
  const version = shop.sell("a");
  const key = shop.ask(version);
  await shop.wait(1_000);
  assert.equal(shop.run(key).status, "needs_resolution");
  shop.memory.publish({ tenant: TENANT, version, text: "{}", sourceMap: null });
  await shop.replace(first);
  const verdict = { status: "failed", message: "no" } as const;
  const word = shop.resolve(key, { node: "a", attempt: 1, call: 1, expectedHead: shop.run(key).head, verdict });
  await shop.wait(5_000);
  assert.match(shop.run(key).held ?? "", /^WOML_DEFINITION_HASH_MISMATCH/);
  assert.equal(shop.request(word)?.answer, "RUN_HELD");
});

it("holds a run whose stored log has become shorter than what was acknowledged", async () => {
  const stage = new Stage();
  const memory = stage.memory.open();
  let isRestored = false;
  const restored = withCalls(memory, {
    append: (wanted) => (isRestored ? Promise.resolve(null) : memory.append(wanted)),
    load: async (key) => {
      const run = await memory.load(key);
      return run && { ...run, events: run.events.slice(0, 3) };
    },
  });
  stage.scripts = (node) => ({ after: 100, outcome: ok(node) });
  await stage.start({}, restored);
  const key = stage.ask(stage.publish(chain("a", "b")));
  await stage.wait(150);
  isRestored = true;
  await stage.wait(1_000);
  assert.match(stage.run(key).held ?? "", /^store_changed/);
});
