import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, it } from "node:test";
import { accept, type Definition, type Hook, type Json, type Node, type Notice, type Reusable } from "@woml/model";
import type { Prepared } from "../definitions.ts";
import { type Frame, scriptFrame } from "../perform/script.ts";
import { placesOf, scriptAt } from "../places.ts";
import { define, group, type Parts, Play, step, threw } from "./play.ts";
import { digest, TENANT } from "./stage.ts";

const script = { source: "" };
const derive = (seed: string, label: string): string => createHmac("sha256", seed).update(label).digest("hex");
type Given = Readonly<Record<string, Json>>;

function observed(parts: Parts, ...lifecycle: Hook[]): Play {
  const definition: Definition = { ...define(parts), ...(lifecycle.length > 0 && { lifecycle }) };
  const accepted = accept(definition);
  assert.ok("definition" in accepted, JSON.stringify(accepted));
  return new Play(accepted.definition);
}
/** What is sent for the script at a site now. */
function frameOf(play: Play, node: string): ReturnType<typeof scriptFrame> {
  const places = placesOf("w", null);
  const prepared: Prepared = { graph: play.graph, place: (site) => places(scriptAt(site)), placed: (stack) => stack, digest: () => "d" };
  const key = { tenant: TENANT, run: "00000000-0000-7000-8000-0000000000ff" } as Parameters<typeof scriptFrame>[1]["key"];
  const attempt = play.state.steps.get(node)?.attempt ?? 1;
  return scriptFrame({ world: { digest, derive }, parkAfterMs: 1 }, { key, prepared, state: play.state, node, attempt });
}
function sent(play: Play, node: string): Frame {
  const frame = frameOf(play, node);
  if ("code" in frame) throw new Error(frame.message);
  return frame;
}
/** Its bindings by name; those that it does not have are absent. */
function given(play: Play, node: string): Readonly<Record<string, Given>> {
  const { context, props, lifecycle, notification } = sent(play, node);
  const texts = { context, props, lifecycle, notification };
  return Object.fromEntries(Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, JSON.parse(text)]])));
}
const codeOf = (play: Play, node: string): string => {
  const frame = frameOf(play, node);
  return "code" in frame ? frame.code : "sent";
};

const one = (on: Hook["on"], ...actions: Hook["actions"]): Hook => ({
  on,
  actions: actions.length > 0 ? actions : [{ kind: "script", script }],
});
const chain: Parts = { nodes: [step("a"), step("b")], edges: ["a>b"], result: "b" };

describe("a hook's script", () => {
  it("is told what happened, and sees what had an output when it was asked for", () => {
    const play = observed(chain, one("step_success"), one("run_success"), one("run_complete"));
    play.admit({ n: 1 });
    play.ok("a", { x: 1 });
    play.ok("b", 2);
    const of = (site: string) => given(play, site);
    const context = { payload: { n: 1 }, trigger: { n: 1 }, steps: { a: { x: 1 } } };
    const about = { id: "a", outcome: "succeeded", attempts: 1 };
    assert.deepEqual(of("@step_success/a/1"), { context, lifecycle: { event: "step_success", workflow: { id: "w" }, step: about } });
    play.ok("@step_success/a/1");
    play.ok("@step_success/b/1");
    assert.deepEqual(of("@run_success/1"), {
      context: { ...context, steps: { a: { x: 1 }, b: 2 } },
      lifecycle: { event: "run_success", workflow: { id: "w", outcome: "succeeded" } },
    });
  });
  it("is told of the failure, the step's last or the run's; before the first attempt of neither", () => {
    const parts = {
      nodes: [{ ...step("a"), retry: { maxAttempts: 2, backoff: { kind: "fixed" as const, delayMs: 1 } } } as Node],
      edges: [],
      result: "a",
    };
    const play = observed(parts, one("step_start"), one("step_failure"), one("run_failure"), one("run_complete"));
    play.admit();
    assert.deepEqual(given(play, "@step_start/a/1")["lifecycle"], {
      event: "step_start",
      workflow: { id: "w" },
      step: { id: "a", attempts: 0 },
    });
    play.ok("@step_start/a/1");
    play.bad("a");
    play.wait(1).fire();
    play.bad("a", { ...threw, message: "again" });
    const failure = { code: threw.code, message: "again" };
    assert.deepEqual(given(play, "@step_failure/a/1")["lifecycle"], {
      ...{ event: "step_failure", workflow: { id: "w" }, step: { id: "a", outcome: "failed", attempts: 2 }, failure },
    });
    play.ok("@step_failure/a/1");
    const told = given(play, "@run_failure/1")["lifecycle"];
    assert.deepEqual(
      [told?.["workflow"], (told?.["failure"] as Given | undefined)?.["code"]],
      [{ id: "w", outcome: "failed" }, "WOML_STEP_RETRIES_EXHAUSTED"],
    );
  });
  it("has keys of its own: another for each action and each iteration, the same in each attempt", () => {
    const keyOf = (play: Play, site: string): string => JSON.parse(sent(play, site).attempt).idempotencyKey;
    const play = observed(chain, one("run_start", { kind: "script", script }, { kind: "script", script }));
    play.admit();
    const [first, second] = [keyOf(play, "@run_start/1"), keyOf(play, "@run_start/2")];
    play.ok("@run_start/1");
    play.ok("@run_start/2");
    assert.equal(new Set([first, second, keyOf(play, "a")]).size, 3);
    // Written down: keys of runs that are stored already may not change.
    assert.equal(keyOf(play, "a"), "sha256:70e3774a7fb42d8dedd43d9e91786f3c6e7533669ed8bb603db05d277bbaf7fd");
  });
});

describe("what is reusable", () => {
  const reusable: Reusable = {
    props: [
      { name: "constructor", value: { kind: "literal", text: "{{x}}" } },
      { name: "n", value: { kind: "reference", path: ["payload", "n"] } },
      { name: "token", value: { kind: "secret", name: "API_KEY" } },
    ],
    onSuccess: [script],
  };
  const parts: Parts = { nodes: [{ kind: "step", id: "a", script, reusable }], edges: [], result: "a" };
  it("is given its props, values of their type and handles of secrets; and so is its own lifecycle", () => {
    const play = observed(parts);
    play.admit({ n: [1, null] });
    const { props, lifecycle } = given(play, "a");
    const { token, ...plain } = props ?? {};
    assert.deepEqual([plain, lifecycle], [{ constructor: "{{x}}", n: [1, null] }, undefined]);
    assert.match(String(token), /^woml_secret\.[0-9a-f]{32}\.n\.API_KEY\.$/);
    assert.deepEqual(sent(play, "a").secrets, { API_KEY: token });
    play.ok("a", 7);
    const own = given(play, "@use_success/a/1");
    assert.deepEqual(own["lifecycle"], {
      event: "step_success",
      workflow: { id: "w" },
      step: { id: "a", outcome: "succeeded", attempts: 1 },
    });
    assert.deepEqual([own["props"]?.["n"], own["context"]?.["steps"]], [[1, null], { a: 7 }]);
  });
  it("is not run without a value that it is to be given", () => {
    const play = observed(parts);
    play.admit({});
    assert.equal(codeOf(play, "a"), "WOML_REFERENCE_NOT_AVAILABLE");
  });
  it("in a loop is given the item of its iteration, and so is what observes it, after that has been forgotten too", () => {
    const props: Reusable["props"] = [{ name: "of", value: { kind: "reference", path: ["item", "id"] } }];
    const inner = { kind: "step" as const, id: "x", script, reusable: { props, onComplete: [script] } };
    const body = { nodes: [inner, { kind: "step" as const, id: "y", script }], edges: [{ from: "x", to: "y" }] };
    const loop: Node = { kind: "for-each", id: "l", items: ["payload", "all"], body };
    const play = observed({ nodes: [loop], edges: [], result: "l" }, one("step_complete"));
    play.admit({ all: [{ id: 1 }, { id: 2 }] });
    play.ok("x#0", 10);
    play.ok("y#0", 20);
    assert.deepEqual(given(play, "x#1")["props"], { of: 2 });
    const own = given(play, "@use_complete/x#0/1");
    const around = { item: { id: 1 }, iteration: { index: 0, total: 2 }, steps: { x: 10 } };
    assert.deepEqual(
      [own["props"], own["context"]],
      [{ of: 1 }, { payload: { all: [{ id: 1 }, { id: 2 }] }, trigger: { all: [{ id: 1 }, { id: 2 }] }, ...around }],
    );
    play.ok("@use_complete/x#0/1");
    assert.deepEqual(given(play, "@step_complete/x#0/1")["context"]?.["steps"], { x: 10 });
  });
});

describe("a notice", () => {
  const pager = (...message: NonNullable<Notice["message"]>): Notice => ({
    ...{ provider: "custom", script, reusable: { props: [{ name: "to", value: { kind: "literal", text: "ops" } }], onError: [script] } },
    ...(message.length > 0 && { message }),
  });
  const read = (...path: string[]): NonNullable<Notice["message"]>[number] => ({ kind: "reference", path });
  const text = (said: string): NonNullable<Notice["message"]>[number] => ({ kind: "text", text: said });
  const saying = (...message: NonNullable<Notice["message"]>): Play => {
    const play = observed(chain, one("run_complete", { kind: "notify", notices: [pager(...message)] }));
    play.admit({ n: 1.5, yes: true, none: null, list: [1] });
    play.ok("a", { deep: { text: "ü" } });
    play.ok("b");
    return play;
  };
  const SITE = "@run_complete/1.1";
  it("of a hook says its message, with texts, numbers and booleans in it, and its provider sees nothing else of the run", () => {
    const play = saying(
      read("payload", "n"),
      text(" "),
      read("payload", "yes"),
      text(" "),
      read("steps", "a", "deep", "text"),
      text(" "),
      read("lifecycle", "workflow", "outcome"),
    );
    const { context, props, notification, lifecycle } = given(play, SITE);
    assert.deepEqual([context, props, lifecycle], [{}, { to: "ops" }, undefined]);
    assert.deepEqual({ ...notification, idempotencyKey: "" }, { message: "1.5 true ü succeeded", idempotencyKey: "" });
    assert.equal(JSON.parse(sent(play, SITE).attempt).maxAttempts, 3);
  });
  it("fails where a value is not there or is none of them, where nothing is left to say, and where there is too much of it", () => {
    for (const path of [
      ["payload", "gone"],
      ["payload", "none"],
      ["payload", "list"],
      ["steps", "a", "deep"],
    ])
      assert.equal(codeOf(saying(read(...path)), SITE), "WOML_LIFECYCLE_TEMPLATE_REFERENCE_INVALID", path.join());
    const long = (length: number): string => codeOf(saying(text("x".repeat(length))), SITE);
    assert.deepEqual([long(65_536), long(65_537)], ["sent", "WOML_LIFECYCLE_TEMPLATE_TOO_LARGE"]);
  });
  it("of an approval asks for the decision, with a handle of the token for each answer", () => {
    const approval: Node = { kind: "approval", id: "ok", choice: "ok:end", name: "Spend", description: "Much.", notices: [pager()] };
    const play = observed({
      nodes: [approval, { kind: "choice", id: "ok:end" }],
      edges: ["ok>ok:end@approved", "ok>ok:end@rejected"],
      result: "ok",
    });
    play.admit();
    const { notification } = given(play, "@notice/ok/1");
    const { actions, message } = notification as { actions: readonly { decision: string; token: string }[]; message: string };
    assert.equal(message, "w: Spend waits for a decision, to approve or to reject. Much.");
    assert.deepEqual(
      actions.map(({ decision }) => decision),
      ["approved", "rejected"],
    );
    assert.equal(sent(play, "@notice/ok/1").secrets?.["woml_approval_token"], actions[0]?.token);
    for (const waitMs of [1_000, 5_000]) {
      play.bad("@notice/ok/1");
      play.wait(waitMs).fire();
    }
    play.bad("@notice/ok/1");
    const own = given(play, "@use_error/@notice/ok/1/1");
    assert.deepEqual(Object.keys(own).toSorted(), ["context", "lifecycle", "props"]);
    assert.deepEqual([own["context"], own["lifecycle"]?.["event"], own["lifecycle"]?.["step"]], [{}, "notice_failure", undefined]);
  });
});

it("scripts stand where the source map says, by names that iterations share", () => {
  assert.deepEqual(
    [
      "charge",
      "charge#3",
      "@run_start/2",
      "@step_failure/charge#3/1",
      "@run_failure/2.1",
      "@notice/approve/1",
      "@use_error/charge#3/1",
    ].map(scriptAt),
    ["charge", "charge", "hook:run_start:2", "hook:step_failure:1", "hook:run_failure:2:notify:1", "approve:notify:1", "charge:on-error:1"],
  );
  assert.equal(scriptAt("@use_complete/@run_failure/2.1/1"), "hook:run_failure:2:notify:1:on-complete:1");
  const place = placesOf("w", {
    file: "w.woml",
    scripts: { charge: { line: 2, column: 3 }, "charge:on-error:1": { line: 4, column: 5, file: "parts/x.woml" } },
  });
  assert.deepEqual([place("charge").file, place("charge:on-error:1")], ["w.woml", { file: "parts/x.woml", line: 4, column: 5 }]);
});

it("what a script is given has a bound in all", () => {
  const play = observed(chain, one("step_success"));
  play.admit({ text: "x".repeat(1_000_000) });
  for (const site of ["a", "b"]) play.ok(site, "y".repeat(1_000_000));
  assert.equal(codeOf(play, "@step_success/b/1"), "sent");
  const wide = observed({
    nodes: [...group("g"), ...["c", "d", "e", "f"].map((id) => step(id)), step("last")],
    edges: [..."cdef"].flatMap((id) => [`g:open>${id}`, `${id}>g`]).concat("g>last"),
    result: "last",
  });
  wide.admit();
  for (const id of "cdef") wide.ok(id, "y".repeat(1_048_576 - 20));
  assert.equal(codeOf(wide, "last"), "sent");
  const over = observed(chain);
  over.admit({ text: "x".repeat(4_194_304) });
  assert.equal(codeOf(over, "a"), "WOML_SCRIPT_CONTEXT_TOO_LARGE");
});
