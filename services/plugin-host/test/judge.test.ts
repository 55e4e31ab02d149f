import assert from "node:assert/strict";
import { test } from "node:test";
import type { OperationManifest } from "@woml/capability";
import { redactor } from "../broker/redact.ts";
import { parseFound } from "../found.ts";
import { type Ending, type Judged, judgeFound, judgePerformed, type Traffic } from "../judge.ts";
import { depthOf } from "../texts.ts";

const operation: OperationManifest = {
  ...{ effect: "unsafe", input: {}, output: { type: "number" }, timeoutMs: 1, maxInputBytes: 1, maxOutputBytes: 1_048_576 },
  retryable: ["BUSY"],
};
const QUIET: Traffic = { asked: false, left: false, ambiguous: false, curable: new Set(), summary: "-" };
const LEFT: Traffic = { ...QUIET, asked: true, left: true };
const AMBIGUOUS: Traffic = { ...LEFT, ambiguous: true };
const threw = (code: string | null, ambiguous = false): Ending => ({ ended: "threw", code, message: "m", ambiguous });

function status(ending: Ending, traffic: Traffic, effect: Judged["effect"] = "unsafe"): string {
  const performed = judgePerformed(ending, { operation, effect, traffic, redactor: redactor({}) });
  return performed.status === "failed" ? `failed${performed.retryable ? ", retryable" : ""}` : performed.status;
}
const BROKEN: readonly Ending[] = [
  { ended: "lost", how: "SIGKILL" },
  { ended: "timed_out", afterMs: 1 },
  { ended: "unfit", why: "not_json" },
  { ended: "unfit", why: "too_large" },
  { ended: "performed", text: '"text"' },
  { ended: "performed", text: "{" },
  { ended: "found", text: '{"status":"succeeded","result":1}' },
  threw(null),
  threw("no code at all"),
];

test("1: what ends without an answer is ambiguous exactly when a byte may have left, not where the operation is pure", () => {
  for (const ending of BROKEN) {
    for (const effect of ["unsafe", "keyed", "reattachable"] as const) {
      const told = [QUIET, LEFT, AMBIGUOUS].map((traffic) => status(ending, traffic, effect));
      assert.deepEqual(told, ["failed, retryable", "ambiguous", "ambiguous"], JSON.stringify(ending));
    }
    if (ending.ended === "lost") continue;
    for (const traffic of [QUIET, LEFT, AMBIGUOUS]) assert.equal(status(ending, traffic, "pure"), "failed, retryable");
  }
});

test("1: a pure call that lost its process is performed again if it had asked for something", () => {
  const lost: Ending = { ended: "lost", how: "SIGKILL" };
  const told = [QUIET, { ...QUIET, asked: true }, LEFT].map((traffic) => status(lost, traffic, "pure"));
  assert.deepEqual(told, ["failed, retryable", "ambiguous", "ambiguous"]);
});

test("1: a pure call that passes on that its answer was lost is performed again; what the plugin made of that is its own word", () => {
  const lost = { ...LEFT, curable: new Set(["WOML_EGRESS_ANSWER_LOST"]) };
  assert.equal(status(threw("WOML_EGRESS_ANSWER_LOST"), lost, "pure"), "ambiguous");
  assert.equal(status(threw("WOML_EGRESS_ANSWER_LOST"), LEFT, "pure"), "failed");
  assert.equal(status(threw("BUSY"), lost, "pure"), "failed, retryable");
});

test("2: an ambiguous request makes a failed call ambiguous, whatever the plugin made of it", () => {
  assert.deepEqual(
    [QUIET, LEFT, AMBIGUOUS].map((traffic) => status(threw("DECLINED"), traffic)),
    ["failed", "failed", "ambiguous"],
  );
  assert.equal(status(threw("DECLINED", true), QUIET), "ambiguous");
  assert.equal(status(threw("DECLINED", true), AMBIGUOUS, "pure"), "failed");
  assert.equal(status(threw("BUSY"), LEFT), "failed, retryable");
  assert.equal(status(threw("WOML_EGRESS_DNS_FAILED"), QUIET), "failed");
  const curable = { ...QUIET, curable: new Set(["WOML_EGRESS_DNS_FAILED"]) };
  assert.equal(status(threw("WOML_EGRESS_DNS_FAILED"), curable), "failed, retryable");
});

test("3: a plugin that succeeds after an ambiguous request has succeeded", () => {
  assert.equal(status({ ended: "performed", text: "7" }, AMBIGUOUS), "succeeded");
});

test("4: the bound of a result counts bytes, also after secrets were taken out, and its nesting is bounded", () => {
  const many = `[${Array(150_000).fill('"abcd"').join(",")}]`;
  const judged = {
    operation: { ...operation, output: {} },
    effect: "unsafe",
    traffic: QUIET,
    redactor: redactor({ LONG_NAME: "abcd" }),
  } as const;
  assert.ok(Buffer.byteLength(many) > 1_048_576);
  const short = `[${Array(100_000).fill('"abcd"').join(",")}]`;
  assert.ok(Buffer.byteLength(short) < 1_048_576);
  for (const text of [many, short]) {
    const performed = judgePerformed({ ended: "performed", text }, judged);
    assert.ok(performed.status === "failed" && performed.code === "WOML_PLUGIN_RESULT_TOO_LARGE", text.slice(0, 20));
  }
  const nested = (depth: number) => judgePerformed({ ended: "performed", text: "[".repeat(depth) + "]".repeat(depth) }, judged).status;
  assert.deepEqual([nested(1_000), nested(1_001)], ["succeeded", "failed"]);
  assert.deepEqual([depthOf('["]\\"[",{"[":[]}]'), depthOf('"["'), depthOf("7")], [3, 0, 0]);
});

test("5: a message is what can be stored, without secrets", () => {
  const judged: Judged = { operation, effect: "unsafe", traffic: QUIET, redactor: redactor({ KEY: "hunter2" }) };
  const performed = judgePerformed(
    { ended: "threw", code: "X", message: `a\0\ud800 hunter2${"x".repeat(5_000)}`, ambiguous: false },
    judged,
  );
  assert.ok(performed.status === "failed");
  assert.ok(
    performed.message.startsWith("a\ufffd\ufffd [secret KEY]xxx") && performed.message.length === 1_024,
    performed.message.slice(0, 40),
  );
});

test("a finding whose result does not fit is none; what ended otherwise means that the plugin cannot tell", () => {
  const judged: Judged = { operation, effect: "reattachable", traffic: LEFT, redactor: redactor({}) };
  const found = (text: string) => judgeFound({ ended: "found", text }, judged).status;
  assert.equal(found('{"status":"succeeded","result":7}'), "succeeded");
  assert.equal(found('{"status":"succeeded","result":"7"}'), "unknown");
  for (const ending of [...BROKEN, threw("DECLINED")]) {
    if (ending.ended !== "found") assert.equal(judgeFound(ending, judged).status, "unknown", JSON.stringify(ending));
  }
  const none = [
    '{"status":"__proto__"}',
    '{"status":"failed","code":"lower","message":""}',
    '{"status":"pending","askAgainMs":"1"}',
    "[]",
    "",
    "{}",
  ];
  for (const text of none) assert.equal(typeof parseFound(text), "string", text);
});
