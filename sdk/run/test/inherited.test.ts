import assert from "node:assert/strict";
import { test } from "node:test";
import { type Definition, graph } from "@woml/model";
import type { NewEvent, RunEvents } from "../event.ts";
import { asRunId, BrokenLog, eventViews, foldAll, inherit, remembering, stepViews } from "../index.ts";
import { INHERITED } from "../inherit.ts";
import { admission, logOf } from "../spec.ts";
import { again, begin, broke, called, decidedFailed, done, failed, started, terms } from "./events.ts";

type Inherited = RunEvents["effect_inherited"];
const effect = (some: Partial<Inherited> = {}): NewEvent => ({
  type: "effect_inherited",
  data: {
    ...{ node: "a", nth: 1, key: "k1", run: "r0", performed: "a:1:1", beside: [] },
    ...{ called: called(terms("unsafe")), outcome: { status: "succeeded", result: 7 } },
    ...some,
  },
});
const key = (some: Partial<RunEvents["key_inherited"]> = {}): NewEvent => ({
  type: "key_inherited",
  data: { node: "a", key: "k1", windowFrom: 7, ...some },
});
const output: NewEvent = { type: "output_inherited", data: { node: "z", output: 1 } };
const resumed = { run: "r0", from: "a" };
const chained = admission({ resumed, origin: "r0" });
const reusing = (some: Partial<RunEvents["operation_started"]> = {}): NewEvent => ({
  type: "operation_started",
  data: {
    ...{ node: "a", attempt: 1, call: 1, key: "k1", try: 1, by: "script", seen: [], reused: 0 },
    called: called(terms("unsafe")),
    ...some,
  },
});

test("outputs and effects are inherited before the start, and an effect is one of an attempt before all others", () => {
  const state = foldAll(logOf(chained, output, effect(), effect({ nth: 2, key: "k2" }), started(), begin("a"), reusing()));
  assert.deepEqual([state.outputs.get("z"), state.operations.get("a:0:1")?.result, state.byKey.get("k1")], [1, 7, ["a:0:1", "a:1:1"]]);
  assert.equal(state.steps.get("a")?.attempt, 1);
});

const keyed = called(terms("keyed", { windowMs: 5_000 }));
const underIt = (some: Partial<RunEvents["operation_started"]> = {}): NewEvent =>
  reusing({ reused: null, called: keyed, windowFrom: 7, ...some });

test("what is sent under a key that an earlier run had used has its window from there; without one it has its own", () => {
  const state = foldAll(
    logOf(chained, key(), started(), begin("a"), underIt(), reusing({ call: 2, key: "k2", reused: null, called: keyed })),
  );
  assert.deepEqual([state.operations.get("a:1:1")?.windowFrom, state.operations.get("a:1:2")?.windowFrom], [7, 1_000]);
});

test("a step whose output was taken over is shown as inherited; of what is no step, and of older logs, nothing is said", () => {
  const taken: NewEvent = { type: "output_inherited", data: { node: "a", output: 7, isStep: true } };
  const steps = stepViews(logOf(chained, taken, output, started(), begin("b")));
  assert.deepEqual(
    steps.map(({ id, status, output: of, attempts }) => [id, status, of, attempts.length]),
    [
      ["a", "inherited", 7, 0],
      ["b", "running", null, 1],
    ],
  );
});

const definition: Definition = {
  ...{ schemaVersion: 1, workflow: { id: "w" }, triggers: [{ id: "go", kind: "manual" }], result: "b" },
  nodes: ["a", "b"].map((id) => ({ kind: "step", id, script: { source: "" } })),
  edges: [{ from: "a", to: "b" }],
};
/** Whether a run may be resumed at b that has failed there, after these events. */
function isTooLarge(...events: readonly NewEvent[]): boolean {
  const taken = inherit(graph(definition), foldAll(logOf(...events, begin("b"), broke("b"), decidedFailed, failed), remembering), {
    run: asRunId("00000000-0000-7000-8000-000000000001"),
    from: "b",
  });
  return "fault" in taken && taken.fault === "WOML_RESUME_TOO_LARGE";
}

test("a run takes over so many bytes of another, and no more", () => {
  const around = JSON.stringify([{ node: "a", output: "", isStep: true }]).length + JSON.stringify([]).length;
  const most = INHERITED.bytes - around;
  for (const [bytes, tooLarge] of [
    [most, false],
    [most + 1, true],
  ] as const)
    assert.equal(isTooLarge(admission(), started(), begin("a"), done("a", 1, "x".repeat(bytes))), tooLarge);
});

test("a run takes over so many operations of another, and no more", () => {
  for (const [count, tooLarge] of [
    [INHERITED.operations, false],
    [INHERITED.operations + 1, true],
  ] as const) {
    const effects = Array.from({ length: count }, (_, at) => effect({ nth: at + 1, key: `k${at}` }));
    const first = admission({ resumed: { run: "r0", from: "b" }, origin: "r0" });
    assert.equal(isTooLarge(first, ...effects, started()), tooLarge);
    assert.equal(isTooLarge(first, ...effects.slice(0, -1), key({ key: "k" }), started()), tooLarge, "a key is one");
  }
});

test("what is shown spells other runs as an API does, and takes what is no such event as it stands", () => {
  const other = "00000000-0000-7000-8000-000000000001";
  const parent = { run: other, node: "a", attempt: 1, call: 1, lineage: [], isAwaited: true };
  const first = admission({ resumed: { run: other, from: "a" }, origin: other, rerunOf: other, parent });
  const [admitted, inherited] = eventViews(logOf(first, effect({ run: other }))).map(({ data }) => data as unknown as object);
  const { resumed: shown, origin, rerunOf, parent: caller } = (admitted ?? {}) as Partial<RunEvents["run_admitted"]>;
  assert.deepEqual(
    [shown, origin, rerunOf, caller?.run],
    [{ run: `run_${other}`, from: "a" }, `run_${other}`, `run_${other}`, `run_${other}`],
  );
  assert.equal(((inherited ?? {}) as Partial<Inherited>).run, `run_${other}`);
  const broken = { type: "effect_inherited", data: { run: 7 } } as unknown as NewEvent;
  assert.deepEqual(eventViews(logOf(broken))[0]?.data, { run: 7 });
});

const refused: readonly (readonly [string, string, ...(NewEvent | number)[]])[] = [
  ["an output in a run that resumes none", "WOML_LOG_INHERITED", admission(), output],
  ["an output behind the start", "WOML_LOG_INHERITED", chained, started(), output],
  ["an effect behind the start", "WOML_LOG_INHERITED", chained, started(), effect()],
  ["an effect where keys are of the run itself", "WOML_LOG_INHERITED", admission({ resumed }), effect()],
  ["an effect that may be repeated freely", "WOML_LOG_INHERITED", chained, effect({ called: called(terms("pure")) })],
  ["a key twice", "WOML_LOG_INHERITED", chained, effect(), effect({ nth: 2 })],
  ["a number left out", "WOML_LOG_INHERITED", chained, effect({ nth: 2 })],
  ["a number twice", "WOML_LOG_INHERITED", chained, effect(), effect({ key: "k2" })],
  ["a failure", "WOML_LOG_DATA", chained, effect({ outcome: { status: "failed" } as unknown as Inherited["outcome"] })],
  ["what is inherited, performed again", "WOML_LOG_KEY", chained, effect(), started(), begin("a"), reusing({ reused: null })],
  ["a key behind the start", "WOML_LOG_INHERITED", chained, started(), key()],
  ["a key where keys are of the run itself", "WOML_LOG_INHERITED", admission({ resumed }), key()],
  ["a key twice, or of what was done", "WOML_LOG_INHERITED", chained, key(), key({ windowFrom: 8 })],
  ["a key of what was done", "WOML_LOG_INHERITED", chained, effect(), key()],
  ["a key that will be used", "WOML_LOG_INHERITED", chained, key({ windowFrom: 1_001 })],
  ["a key without a time", "WOML_LOG_DATA", chained, key({ windowFrom: "7" as unknown as number })],
  [
    "an operation that hides since when its key is known",
    "WOML_LOG_KEY",
    chained,
    key(),
    started(),
    begin("a"),
    underIt({ windowFrom: 1_000 }),
  ],
  ["an operation that says another time", "WOML_LOG_KEY", chained, key(), started(), begin("a"), underIt({ windowFrom: 6 })],
  ["an operation that says a time of nothing", "WOML_LOG_KEY", chained, started(), begin("a"), underIt()],
  ["an operation under the key of another step", "WOML_LOG_KEY", chained, key({ node: "b" }), started(), begin("a"), underIt()],
  [
    "a repeat behind the window of its key",
    "WOML_LOG_REPEAT",
    chained,
    ...[key({ windowFrom: 1_000 }), started(), begin("a"), 4_000, underIt({ windowFrom: 1_000 }), 1_000, again(1, 2)],
  ],
  ["what is inherited, for another step", "WOML_LOG_KEY", chained, effect({ node: "b" }), started(), begin("a"), reusing()],
  [
    "something else in its place",
    "WOML_LOG_KEY",
    chained,
    effect(),
    started(),
    begin("a"),
    reusing({ called: called(terms("unsafe"), { inputDigest: "other" }) }),
  ],
];
for (const [what, code, ...events] of refused)
  test(`F29, F19: refuses ${what}`, () => {
    assert.throws(
      () => foldAll(logOf(...events)),
      (error) => error instanceof BrokenLog && error.code === code,
    );
  });
