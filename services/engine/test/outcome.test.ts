import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { OutcomeName, ScriptOutcome } from "@woml/sandbox";
import type { Asked } from "../judge.ts";
import { verdict } from "../perform/outcome.ts";
import { askOf, lostWithEngine, rejected } from "../perform/report.ts";
import { nothingRan, ok, threw } from "./stage.ts";

const flight = { node: "a", attempt: 2, resumed: 1 };
const reportOf = (outcome: ScriptOutcome): Asked => askOf(flight, outcome, { calls: 0, recorded: 0, hasMoved: false }).of();

describe("what an outcome of the sandbox means", () => {
  const codes: { readonly [K in OutcomeName]?: string } = {
    script_threw: "WOML_SCRIPT_THROWN",
    script_syntax: "WOML_SCRIPT_SYNTAX_INVALID",
    invalid_result: "WOML_SCRIPT_NON_JSON_RESULT",
    result_too_large: "WOML_SCRIPT_RESULT_TOO_LARGE",
    cpu_exceeded: "WOML_SCRIPT_CPU_EXCEEDED",
    wall_exceeded: "WOML_SCRIPT_TIMEOUT",
    memory_exceeded: "WOML_SCRIPT_MEMORY_EXCEEDED",
    protocol_violation: "WOML_SCRIPT_PROTOCOL_VIOLATION",
  };
  for (const [outcome, code] of Object.entries(codes))
    it(`${outcome} is ${code}`, () => {
      const said = verdict("a", { ...nothingRan(outcome as OutcomeName), detail: "/at", cpuMs: 7 });
      assert.ok("status" in said && said.status === "failed");
      assert.deepEqual([said.failure.code, said.failure.kind, said.failure.step, said.cpuMs], [code, outcome, "a", 7]);
      assert.match(said.failure.message, /\(\/at\)$/);
    });

  it("a thrown error keeps its message and stack", () => {
    const said = verdict("a", threw);
    assert.ok("status" in said && said.status === "failed");
    assert.deepEqual([said.failure.message, said.failure.stack], ["no", "at a.woml:1:1"]);
  });
  it("an error without a message is told by its name", () => {
    const said = verdict("a", { ...threw, failure: { name: "RangeError", message: "", stack: "" } });
    assert.ok("status" in said && said.status === "failed");
    assert.deepEqual([said.failure.message, said.failure.stack], ["RangeError", undefined]);
  });
  it("PC-16: a result is parsed strictly, whatever the sandbox says of it", () => {
    assert.deepEqual(verdict("a", ok({ n: [1] })), { status: "succeeded", output: { n: [1] }, cpuMs: 1 });
    for (const result of ["", "{", "undefined", '"\\u0000"', '{"a":"\\ud800"}', '{"__proto__":1}', "[".repeat(300) + "]".repeat(300)]) {
      const said = verdict("a", { ...ok(null), result });
      assert.ok("status" in said && said.status === "failed" && said.failure.code === "WOML_SCRIPT_NON_JSON_RESULT", result);
    }
    const large = verdict("a", ok("x".repeat(1_048_576)));
    assert.ok("status" in large && large.status === "failed" && large.failure.code === "WOML_SCRIPT_RESULT_TOO_LARGE");
  });
  it("what an action returns is nobody's, and most return nothing", () => {
    for (const outcome of ["invalid_result", "result_too_large"] as const) {
      assert.deepEqual(verdict("@run_start/1", { ...nothingRan(outcome), cpuMs: 3 }), { status: "succeeded", output: null, cpuMs: 3 });
    }
    assert.deepEqual(verdict("@run_start/1", ok(5)), { status: "succeeded", output: 5, cpuMs: 1 });
  });
  it("what was lost is run again", () => {
    assert.deepEqual(verdict("a", nothingRan("worker_crashed")), { lost: "worker" });
    for (const outcome of ["host_unavailable", "cancelled"] as const) assert.deepEqual(verdict("a", nothingRan(outcome)), { lost: "host" });
  });
});

describe("reports", () => {
  const kindOf = (outcome: Partial<ScriptOutcome>, done: Partial<Parameters<typeof askOf>[2]> = {}): string => {
    const asked = askOf(flight, { ...ok(1), ...outcome }, { calls: 2, recorded: 2, hasMoved: true, ...done });
    return `${asked.of().command.kind}${asked.isFinal ? ", held back" : ""}`;
  };
  it("of a script that only waits, or whose time is over while calls are open, park it", () => {
    assert.equal(kindOf({ outcome: "waiting" }), "park_attempt");
    assert.equal(kindOf({ outcome: "wall_exceeded", open: [2] }), "park_attempt");
    assert.equal(kindOf({ outcome: "wall_exceeded", open: [] }), "report_attempt, held back");
    assert.equal(kindOf({ outcome: "wall_exceeded" }), "report_attempt, held back");
  });
  it("of a script that waits for nothing are not believed, so that it cannot be begun for ever", () => {
    for (const outcome of ["waiting", "wall_exceeded"] as const)
      assert.equal(kindOf({ outcome, open: [1] }, { hasMoved: false }), "report_attempt, held back");
  });
  it("of a replay that did something else, or ended before all that is recorded, say so", () => {
    assert.equal(kindOf({ outcome: "diverged", detail: "x" }), "diverge_attempt");
    for (const outcome of ["ok", "script_threw", "invalid_result", "result_too_large"] as const)
      assert.equal(kindOf({ outcome }, { calls: 1 }), "diverge_attempt");
    assert.equal(kindOf({ outcome: "cpu_exceeded" }, { calls: 1 }), "report_attempt, held back");
    assert.equal(kindOf({ outcome: "worker_crashed" }, { calls: 1 }), "resume_attempt");
  });
  it("name the call whose failure was thrown on, if there was such a call", () => {
    const named = (call: number): unknown => {
      const { command } = askOf(
        flight,
        { ...threw, failure: { name: "E", message: "m", stack: "", call } },
        { calls: 2, recorded: 0, hasMoved: true },
      ).of();
      return command.kind === "report_attempt" && command.outcome.status === "failed" ? command.outcome.call : null;
    };
    assert.deepEqual([named(2), named(3), named(0)], [2, undefined, undefined]);
  });
  it("carry node, attempt and, for a loss, how often it had been resumed", () => {
    const lost = { kind: "resume_attempt", node: "a", attempt: 2 };
    assert.deepEqual(reportOf(nothingRan("worker_crashed")), { command: { ...lost, lost: "worker" }, request: null, resumed: 1 });
    assert.deepEqual(lostWithEngine(flight), { command: { ...lost, lost: "engine" }, request: null, resumed: 1 });
  });
  it("that the store refuses become a small failure, once", () => {
    const less = rejected(reportOf(ok("what it refuses")));
    assert.ok(less?.command.kind === "report_attempt" && less.command.outcome.status === "failed");
    assert.deepEqual([less.command.outcome.failure.code, less.command.outcome.cpuMs], ["WOML_EVENT_REJECTED", 1]);
    assert.equal(rejected(less), null);
    assert.equal(rejected(lostWithEngine(flight)), null);
  });
});
