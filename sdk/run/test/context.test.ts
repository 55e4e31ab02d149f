import assert from "node:assert/strict";
import { test } from "node:test";
import { type Definition, graph } from "@woml/model";
import { contextText } from "../context.ts";
import { foldAll } from "../fold.ts";
import { admission, logOf } from "../spec.ts";
import * as e from "./events.ts";

type Needs = { readonly payload: boolean; readonly steps: string[] };
const step = (id: string, needs?: Needs) => ({ kind: "step" as const, id, script: needs ? { source: "", needs } : { source: "" } });

/** a → d ← (nothing of b, which runs beside). */
function diamond(needs?: Needs): Definition {
  return {
    schemaVersion: 1,
    workflow: { id: "w" },
    triggers: [{ id: "go", kind: "manual" }],
    nodes: [step("a"), step("b"), step("d", needs)],
    edges: [{ from: "a", to: "d" }],
    result: "d",
  };
}
const payload = { z: 1, a: [null, "ü"] };
const state = foldAll(logOf(admission({ payload }), e.started(), e.begin("a"), e.begin("b"), e.done("a", 1, { big: [1, 2] }), e.done("b")));
const text = (needs?: Needs, node = "d"): string => contextText(graph(diamond(needs)), state, node);

test("a script that may reach for anything sees payload and all that surely completed before it, not what happens to be done", () => {
  assert.equal(text(), '{"payload":{"z":1,"a":[null,"ü"]},"trigger":{"z":1,"a":[null,"ü"]},"steps":{"a":{"big":[1,2]}}}');
});

test("a script is sent only what it needs, and of that only what it can see", () => {
  assert.equal(text({ payload: false, steps: ["a", "b"] }), '{"steps":{"a":{"big":[1,2]}}}');
  assert.deepEqual(JSON.parse(text({ payload: true, steps: [] })), { payload, trigger: payload, steps: {} });
});

test("a first step sees no outputs", () => {
  assert.deepEqual(JSON.parse(text(undefined, "a")), { payload, trigger: payload, steps: {} });
});

test("an output is written as text once, however many steps read it", () => {
  let written = 0;
  const output = { toJSON: () => ++written };
  const counted = foldAll(logOf(admission(), e.started(), e.begin("a"), e.done("a", 1, output as never)));
  // It was written once to be measured.
  written = 0;
  const definition = graph(diamond());
  assert.equal(contextText(definition, counted, "d"), contextText(definition, counted, "d"));
  assert.equal(written, 1);
});
