import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { OutcomeName } from "@woml/sandbox";
import { verdict } from "../perform/outcome.ts";
import { lostWithEngine, rejected, reportOf } from "../perform/report.ts";
import { nothingRan, ok, threw } from "./stage.ts";

const flight = { node: "a", attempt: 2, resumed: 1, landed: false, takeBack: () => undefined };

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
  it("a result is parsed strictly, whatever the sandbox says of it", () => {
    assert.deepEqual(verdict("a", ok({ n: [1] })), { status: "succeeded", output: { n: [1] }, cpuMs: 1 });
    for (const result of ["", "{", "undefined", '"\\u0000"', '{"a":"\\ud800"}', '{"__proto__":1}', "[".repeat(300) + "]".repeat(300)]) {
      const said = verdict("a", { ...ok(null), result });
      assert.ok("status" in said && said.status === "failed" && said.failure.code === "WOML_SCRIPT_NON_JSON_RESULT", result);
    }
    const large = verdict("a", ok("x".repeat(1_048_576)));
    assert.ok("status" in large && large.status === "failed" && large.failure.code === "WOML_SCRIPT_RESULT_TOO_LARGE");
  });
  it("what was lost is run again", () => {
    assert.deepEqual(verdict("a", nothingRan("worker_crashed")), { lost: "worker" });
    for (const outcome of ["host_unavailable", "cancelled"] as const) assert.deepEqual(verdict("a", nothingRan(outcome)), { lost: "host" });
  });
});

describe("reports", () => {
  it("carry node, attempt and, for a loss, how often it had been resumed", () => {
    const lost = { kind: "resume_attempt", node: "a", attempt: 2 };
    assert.deepEqual(reportOf(flight, nothingRan("worker_crashed")), { command: { ...lost, lost: "worker" }, request: null, resumed: 1 });
    assert.deepEqual(lostWithEngine(flight), { command: { ...lost, lost: "engine" }, request: null, resumed: 1 });
  });
  it("that the store refuses become a small failure, once", () => {
    const less = rejected(reportOf(flight, ok("what it refuses")));
    assert.ok(less?.command.kind === "report_attempt" && less.command.outcome.status === "failed");
    assert.deepEqual([less.command.outcome.failure.code, less.command.outcome.cpuMs], ["WOML_EVENT_REJECTED", 1]);
    assert.equal(rejected(less), null);
    assert.equal(rejected(lostWithEngine(flight)), null);
  });
});
