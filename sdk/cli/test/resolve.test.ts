import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { platform } from "./platform.ts";
import { folderWith, MAIN, womlHere } from "./woml.ts";

const RUN = { id: "run_1", workflow: "w", version: "v", status: "RUNNING", labels: [], waiting: null, createdAt: "", endedAt: null };
const ANSWERS = { run: { head: 9, unresolvedEffects: ["pay:1:1"] }, resolveUnknown: { run: RUN } };

for (const [args, input, says] of [
  [["--succeeded", '{"id":1}'], { outcome: "SUCCEEDED", result: { id: 1 }, expectedHead: 9 }, "succeeded"],
  [
    ["--succeeded", "null", "--message", "seen", "--head", "7"],
    { outcome: "SUCCEEDED", result: null, message: "seen", expectedHead: 7 },
    "succeeded",
  ],
  [["--failed", "no trace of it"], { outcome: "FAILED", message: "no trace of it", expectedHead: 9 }, "failed"],
  [["--retry"], { outcome: "RETRY", expectedHead: 9 }, "is performed again"],
] as const) {
  test(`resolve ${args.join(" ")}`, async (t) => {
    const { place, asked } = await platform(t, ANSWERS);
    const said = await womlHere(t, folderWith(t, {}), ["runs", "resolve", "run_1", "pay:1:1", ...args, ...place]);
    assert.deepEqual([said.code, said.stdout], [0, `run_1  pay:1:1  ${says}\n`]);
    assert.deepEqual(asked.at(-1)?.variables.input, { run: "run_1", operation: "pay:1:1", ...input });
  });
}

test("one verdict, and one that can be read", async (t) => {
  const { place, asked } = await platform(t, { run: null });
  for (const [args, code, says] of [
    [[], 2, /^WOML_CLI_ARGUMENTS_INVALID: Say what became of it/],
    [["--retry", "--failed", "x"], 2, /^WOML_CLI_ARGUMENTS_INVALID: Say what became of it/],
    [["--failed", "x", "--message", "y"], 2, /^WOML_CLI_ARGUMENTS_INVALID: --failed says why itself/],
    [["--succeeded", "ch_1"], 2, /^WOML_RESOLUTION_RESULT_INVALID: What it answered is no JSON/],
    [["--retry", "--head", "zero"], 2, /^WOML_CLI_ARGUMENTS_INVALID: --head is "zero"/],
  ] as const) {
    const said = await womlHere(t, folderWith(t, {}), ["runs", "resolve", "run_1", "pay:1:1", ...args, ...place]);
    assert.deepEqual([said.code, said.stdout], [code, ""]);
    assert.match(said.stderr, says);
  }
  assert.equal(asked.length, 0);
  const gone = await womlHere(t, folderWith(t, {}), ["runs", "resolve", "run_2", "pay:1:1", "--retry", ...place]);
  assert.deepEqual([gone.code, gone.stderr], [1, "WOML_RUN_NOT_FOUND: There is no run run_2.\n"]);
});

test("operations of a run, for people and for programs", async (t) => {
  const called = { capability: "http", operation: "request", release: "sha256:0", name: null, inputDigest: "0".repeat(64), input: {} };
  const effect = { class: "pure", windowMs: null, conclusiveNotFoundAfterMs: null, pendingMaxMs: null };
  const at = "2026-01-01T00:00:00.000Z";
  const started = { node: "a", attempt: 1, call: 1, key: "0".repeat(64), try: 1, by: "script", seen: [], reused: null };
  const events = [{ seq: 1, type: "operation_started", at, data: { ...started, called: { ...called, effect, timeoutMs: 1 } } }];
  const log = { edges: events.map((node) => ({ node })), pageInfo: { hasNextPage: false, endCursor: null } };
  const { place } = await platform(t, { run: { ...RUN, events: log } });
  const said = await womlHere(t, folderWith(t, {}), ["runs", "operations", "run_1", ...place]);
  assert.deepEqual(said.stdout.split("\n").slice(0, 2), [
    "CALL   OPERATION     CLASS  OUTCOME  TRIES  BY      SINCE                     EVIDENCE",
    `a:1:1  http.request  pure   open     1      script  ${at}`,
  ]);
  const json = await womlHere(t, folderWith(t, {}), ["runs", "operations", "run_1", "-o", "json", ...place]);
  assert.deepEqual(JSON.parse(json.stdout)[0].id, "a:1:1");
});

test("the value of a secret comes from stdin, without the line break at its end", async (t) => {
  const { place, asked } = await platform(t, { setSecret: { secret: { name: "A", createdAt: "", updatedAt: "" } } });
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", MAIN, "secrets", "set", "A", ...place], {
    env: { PATH: process.env["PATH"] ?? "" },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.end("line one\nline two\n");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  assert.deepEqual([stdout, stderr], ["A  set\n", ""]);
  assert.deepEqual(asked[0]?.variables.input, { name: "A", value: "line one\nline two" });
});
