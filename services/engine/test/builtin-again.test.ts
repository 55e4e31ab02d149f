// Calls that are made again: in a later attempt, after a time-out, and of workflows that may not be called.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Definition, Json } from "@woml/model";
import type { RunKey } from "@woml/run";
import type { ScriptOutcome } from "@woml/sandbox";
import { chain, ok, Stage, step, TENANT } from "./stage.ts";
import type { Talk } from "./talk-double.ts";

const USES = ["state", "workflows"].map((alias) => ({ alias, capability: alias, range: "*" }));
const CALLS = ["state.increment", "workflows.call", "workflows.start"];

type Script = (talk: Talk) => Promise<Json>;
function publish(stage: Stage, id: string, script: Script, more: Partial<Definition> = {}): string {
  const retry = { maxAttempts: 3, backoff: { kind: "fixed", delayMs: 1_000 } } as const;
  const node = step(id, { script: { source: `return "${id}";`, calls: CALLS }, ...(id === "parent" ? { retry } : {}) });
  const version = stage.publish({ ...chain(node), uses: USES, workflow: { id }, ...more });
  stage.memory.activate(TENANT, id, version);
  stage.talks.set(id, async (talk): Promise<ScriptOutcome> => {
    try {
      return ok(await script(talk));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { outcome: "script_threw", failure: { name: "Error", message, stack: "" }, cpuMs: 1, ms: 1 };
    }
  });
  return version;
}
async function value(talk: Talk, operation: string, input: Json): Promise<Json> {
  const told = await talk.call(operation, input, "one");
  if (!told.ok) throw new Error(told.code);
  return told.value;
}
const parentOf = (stage: Stage, input: Record<string, Json> = {}, operation = "call"): string =>
  publish(stage, "parent", (talk) => value(talk, `workflows.${operation}`, { id: "child", payload: {}, ...input }));
const ends = (stage: Stage, key: RunKey): unknown => {
  const last = stage.run(key).events.at(-1);
  return last?.type === "run_succeeded" ? last.data.result : last?.type === "run_failed" ? last.data.failure.cause?.message : last?.type;
};
const starts = (stage: Stage): number => stage.memory.requests().filter(({ body }) => body.kind === "start").length - 1;

it("B3: a later attempt has another run where the one before it has failed", async () => {
  const stage = new Stage();
  let tries = 0;
  publish(stage, "child", async () => {
    tries += 1;
    if (tries < 3) throw new Error("not yet");
    return tries;
  });
  const version = parentOf(stage);
  await stage.start();
  const key = stage.ask(version, {}, undefined, "parent");
  await stage.wait(30_000);
  assert.deepEqual([ends(stage, key), tries, starts(stage)], [3, 3, 3]);
});

it("B3: a later attempt waits for the run that the one before it did not wait for to the end", async () => {
  const stage = new Stage();
  publish(stage, "child", async () => {
    await stage.time.sleep(5_000);
    return "done";
  });
  const version = parentOf(stage, { timeout: "3s" });
  await stage.start();
  const key = stage.ask(version, {}, undefined, "parent");
  await stage.wait(30_000);
  assert.deepEqual([ends(stage, key), starts(stage)], ["done", 1]);
});

it("a start that a failing attempt had made is not made again", async () => {
  const stage = new Stage();
  publish(stage, "child", async () => "done");
  let tries = 0;
  const version = publish(stage, "parent", async (talk) => {
    tries += 1;
    const started = (await value(talk, "workflows.start", { id: "child", payload: {} })) as { readonly duplicate: boolean };
    if (tries === 1) throw new Error("no");
    return started.duplicate;
  });
  await stage.start();
  const key = stage.ask(version, {}, undefined, "parent");
  await stage.wait(30_000);
  assert.deepEqual([ends(stage, key), starts(stage)], [false, 1]);
});

it("a workflow with an approval is started, and not called", async () => {
  const approval = [
    { kind: "approval", id: "ask", choice: "ask:end" },
    { kind: "choice", id: "ask:end" },
  ] as const;
  for (const operation of ["call", "start"]) {
    const stage = new Stage();
    const flow = chain("child");
    const edges = [
      { from: "child", to: "ask" },
      { from: "ask", to: "ask:end", arm: "approved" },
      { from: "ask", to: "ask:end", arm: "rejected" },
    ];
    publish(stage, "child", async () => "done", { nodes: [...flow.nodes, ...approval], edges, result: "child" } as Partial<Definition>);
    const version = parentOf(stage, {}, operation);
    await stage.start();
    const key = stage.ask(version, {}, undefined, "parent");
    await stage.wait(30_000);
    if (operation === "call") assert.deepEqual([ends(stage, key), starts(stage)], ["WOML_WORKFLOW_CALL_WAIT_UNSUPPORTED", 0]);
    else assert.equal(starts(stage), 1);
  }
});
