import assert from "node:assert/strict";
import { test } from "node:test";
import { platform } from "./platform.ts";
import { folderWith, womlHere } from "./woml.ts";

const workflow = (scripts: Readonly<Record<string, string>>, retry = ""): string => {
  const steps = Object.entries(scripts).map(([id, script]) => `<step id="${id}"${retry}><script>${script}</script></step>`);
  return `<woml><workflow id="w"><triggers><manual id="go"/></triggers><steps>${steps.join("")}</steps></workflow></woml>`;
};
const step = (id: string, source: string): object => ({ kind: "step", id, script: { source } });
const definition = {
  schemaVersion: 1,
  workflow: { id: "w" },
  triggers: [{ id: "go", kind: "manual" }],
  nodes: [step("a", "return 1;"), step("b", "return 2;")],
  edges: [{ from: "a", to: "b" }],
  result: "b",
};
const failure = { code: "WOML_SCRIPT_THROWN", kind: "script_threw", message: "no" };
const admission = { workflow: "w", version: `sha256:${"0".repeat(64)}`, trigger: { kind: "manual", id: "go" }, payload: {}, labels: [] };
const log = [
  ["run_admitted", admission],
  ["run_started", { deadlineAt: null }],
  ["step_started", { node: "a", attempt: 1 }],
  ["step_succeeded", { node: "a", attempt: 1, output: 1, cpuMs: 1 }],
  ["step_started", { node: "b", attempt: 1 }],
  ["step_failed", { node: "b", attempt: 1, failure, cpuMs: 1 }],
  ["outcome_decided", { status: "failed", failure }],
  ["run_failed", { failure }],
].map(([type, data], at) => ({ seq: at + 1, type, at: `2026-01-01T00:00:0${at}.000Z`, data }));
const RUN = { id: "run_1", workflow: "w", version: "ver_1", status: "FAILED", labels: [], waiting: null, createdAt: "", endedAt: "" };
const ANSWERS = {
  run: { ...RUN, events: { edges: log.map((node) => ({ node })), pageInfo: { hasNextPage: false, endCursor: null } } },
  version: { definition },
};
const FILES = {
  "same.woml": workflow({ a: "return 1;", b: "return 2;" }),
  "retry.woml": workflow({ a: "return 1;", b: "return 2;" }, ' retry="2" retry-delay="1s"'),
  "short.woml": workflow({ a: "return 9;" }),
  "broken.woml": workflow({ a: "return 1;", b: "return context.steps.nobody;" }),
  "same.json": JSON.stringify(definition),
  "broken.json": JSON.stringify({ ...definition, result: "nobody" }),
};

test("what another definition would have decided, for people", async (t) => {
  const { place, asked } = await platform(t, ANSWERS);
  const against = (file: string) => womlHere(t, folderWith(t, FILES), ["what-if", "run_1", "--against", file, ...place]);
  for (const file of ["same.woml", "same.json"]) assert.deepEqual((await against(file)).stdout, "no differences\n");
  assert.deepEqual((await against("retry.woml")).stdout.split("\n"), [
    "2 differences",
    "WHAT  WHERE  RECORDED                    WHAT IF",
    "step  b      failed: WOML_SCRIPT_THROWN  would run",
    "run          failed: WOML_SCRIPT_THROWN  unknown",
    "would run, and nothing is recorded of it: b",
    "",
  ]);
  const short = await against("short.woml");
  assert.equal(short.code, 0);
  assert.match(short.stdout, /^step +b +failed: WOML_SCRIPT_THROWN +–$/m);
  assert.match(short.stdout, /^has another script, and what that had come to was taken: a$/m);
  assert.ok(asked.every(({ field }) => field === "run" || field === "version"));
});

test("the same for programs", async (t) => {
  const { place } = await platform(t, ANSWERS);
  const said = await womlHere(t, folderWith(t, FILES), ["what-if", "run_1", "--against", "retry.woml", "--json", ...place]);
  assert.equal(said.code, 0, said.stderr);
  assert.deepEqual(JSON.parse(said.stdout), {
    ...{ run: "run_1", against: "retry.woml", wouldRun: ["b"], rewritten: [] },
    differences: [
      { what: "step", of: "b", recorded: "failed: WOML_SCRIPT_THROWN", whatIf: "would run" },
      { what: "run", of: "", recorded: "failed: WOML_SCRIPT_THROWN", whatIf: "unknown" },
    ],
  });
});

test("a definition with errors is told them, and no platform is asked; nor is a run that is not there", async (t) => {
  const { place, asked } = await platform(t, { run: null });
  for (const [file, says] of [
    ["broken.woml", /nobody/],
    ["broken.json", /^WOML_/],
  ] as const) {
    const said = await womlHere(t, folderWith(t, FILES), ["what-if", "run_1", "--against", file, ...place]);
    assert.deepEqual([said.code, said.stdout], [3, ""]);
    assert.match(said.stderr, says);
  }
  assert.equal(asked.length, 0);
  const gone = await womlHere(t, folderWith(t, FILES), ["what-if", "run_2", "--against", "same.woml", ...place]);
  assert.deepEqual([gone.code, gone.stderr], [1, "WOML_RUN_NOT_FOUND: There is no run run_2.\n"]);
});

test("a log that does not begin with an admission cannot be replayed", async (t) => {
  const events = { edges: log.slice(1).map((node) => ({ node })), pageInfo: { hasNextPage: false, endCursor: null } };
  const { place } = await platform(t, { ...ANSWERS, run: { ...RUN, events } });
  const said = await womlHere(t, folderWith(t, FILES), ["what-if", "run_1", "--against", "same.woml", ...place]);
  assert.deepEqual([said.code, said.stderr.split(":")[0]], [1, "WOML_WHAT_IF_NOT_POSSIBLE"], said.stderr);
});
