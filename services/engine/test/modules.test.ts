import assert from "node:assert/strict";
import { it } from "node:test";
import { canonical, type Definition } from "@woml/model";
import { chain, digest, Stage, step, TENANT, withCalls } from "./stage.ts";

const TEXT = "const source0 = 1;\nexport { f };\n";
const DIGEST = digest(TEXT);
const definition: Definition = {
  ...chain("first", step("a", { script: { source: "return services.m.f();", modules: [{ alias: "m", digest: DIGEST }] } })),
  modules: [{ digest: DIGEST, exports: ["f"] }],
};

it("a script that imports is sent its modules, with their texts; others are sent none", async () => {
  const stage = new Stage();
  stage.memory.vault.setModule({ tenant: TENANT, digest: DIGEST }, TEXT);
  const seen: unknown[] = [];
  stage.scripts = (_, __, { modules }) => {
    seen.push(modules);
    return { outcome: "ok", result: "1", cpuMs: 1, ms: 1 };
  };
  await stage.start();
  const key = stage.ask(stage.publish(definition));
  await stage.wait(1_000);
  assert.equal(stage.run(key).status, "succeeded");
  assert.deepEqual(seen, [undefined, [{ alias: "m", digest: DIGEST, text: TEXT }]]);
});

it("a module that is not there, or is another text, holds the run, and nothing of its script runs", async () => {
  for (const text of [null, `${TEXT}//`]) {
    const stage = new Stage();
    if (text !== null) stage.memory.vault.setModule({ tenant: TENANT, digest: DIGEST }, text);
    await stage.start();
    const key = stage.ask(stage.publish(definition));
    await stage.wait(1_000);
    assert.match(stage.run(key).held ?? "", text === null ? /^the module sha256:\w+ is not stored$/ : /^the stored module is not the one/);
    assert.deepEqual(stage.frames, ["first#1"]);
  }
});

it("while the store does not answer the script waits in its turn; one that is cancelled meanwhile is not sent", async () => {
  const stage = new Stage();
  stage.memory.vault.setModule({ tenant: TENANT, digest: DIGEST }, TEXT);
  const memory = stage.memory.open();
  let isDown = true;
  const store = withCalls(memory, {
    modules: async (...asked) => {
      if (isDown) throw new Error("down");
      return memory.modules(...asked);
    },
  });
  await stage.start({}, store);
  const [key, cancelled] = [stage.ask(stage.publish(definition)), stage.ask(stage.publish(definition))];
  await stage.wait(5_000);
  assert.deepEqual([stage.run(key).status, stage.run(cancelled).status, stage.frames], ["running", "running", ["first#1", "first#1"]]);
  stage.cancel(cancelled);
  await stage.wait(100);
  assert.equal(stage.run(cancelled).status, "cancelled");
  isDown = false;
  await stage.wait(1_000);
  assert.deepEqual([stage.run(key).status, stage.frames.at(-1), stage.frames.length], ["succeeded", "a#1", 3]);
});

it("a stack that names modules is told in the files of their author", async () => {
  const stage = new Stage();
  stage.memory.vault.setModule({ tenant: TENANT, digest: DIGEST }, TEXT);
  const unknown = digest("unknown");
  const stack = `E: no\n    at f (${DIGEST}:12:3)\n    at g (${DIGEST}:2:1)\n    at h (${DIGEST}:1:1)\n    at ${unknown}:1:1\n    at a.woml:1:1`;
  stage.scripts = () => ({ outcome: "script_threw", failure: { name: "E", message: "no", stack }, cpuMs: 1, ms: 1 });
  const text = canonical(definition);
  const version = digest(text);
  const sections = [["lib/a.ts", 2], ["m.ts", 10], ["odd"], 7] as const;
  stage.memory.publish({ tenant: TENANT, version, text, sourceMap: { modules: { [DIGEST]: sections } } });
  await stage.start();
  const key = stage.ask(version);
  await stage.wait(1_000);
  const failed = stage.run(key).events.find(({ type }) => type === "step_failed");
  const { failure } = (failed ?? assert.fail()).data as { readonly failure: { readonly stack: string } };
  assert.equal(
    failure.stack,
    `E: no\n    at f (m.ts:3:3)\n    at g (lib/a.ts:1:1)\n    at h (${DIGEST}:1:1)\n    at ${unknown}:1:1\n    at a.woml:1:1`,
  );
});
