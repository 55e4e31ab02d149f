// What decide says of operations of the platform's own, and of calls that wait for another run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { STATE_LIMITS } from "@woml/model";
import type { StateEntry } from "@woml/prisma";
import { asRunId, type Called, project, timers } from "@woml/run";
import { releaseOf, termsOf } from "../builtin/contract.ts";
import { ownOf, tellsOf } from "../builtin/own.ts";
import { performState } from "../builtin/state.ts";
import { performWorkflows, type Wanted } from "../builtin/workflows.ts";
import type { Drawn } from "../decide/command.ts";
import { due } from "../due.ts";
import { called, define, fixed, group, Play, step } from "./play.ts";

const RUN = asRunId("00000000-0000-7000-8000-00000000000a");
const CHILD = asRunId("00000000-0000-7000-8000-00000000000c");
const ACTIVE = { version: "v", waits: false };
const call = (some: Partial<Called> = {}): Called =>
  called("keyed", {
    ...{ capability: "workflows", operation: "call", release: "builtin:workflows@1", name: "one", input: { id: "child", payload: {} } },
    ...{ timeoutMs: 5_000, child: { run: CHILD, version: "v" }, effect: { windowMs: null }, ...some },
  });
const wanted = (some: Partial<Wanted> = {}): Drawn => ({
  ...{ of: "workflows", run: CHILD, stored: null, digest: "d", target: ACTIVE, reached: null, ...some },
});
const asks = (play: Play, node: string, of = call(), drawn = wanted()): readonly string[] =>
  play.call(node, of, { asked: { called: of, drawn } });
const ends = (play: Play, child = CHILD): readonly string[] =>
  play.do({ kind: "report_child", child, ended: { status: "succeeded", result: 7 } });
const two = define({ nodes: [...group("p"), step("a"), step("b")], edges: ["p:open>a", "p:open>b", "a>p", "b>p"], result: "a" });
const one = (timeoutMs?: number): Play => {
  const play = new Play(define({ nodes: [step("a")], edges: [], result: "a", ...(timeoutMs ? { policy: { timeoutMs } } : {}) }));
  play.admit();
  return play;
};

test("a call waits: nobody performs it, its time is a timer, and the end of its run settles it and goes on with its script", () => {
  const play = one();
  assert.deepEqual(asks(play, "a"), ["operation_started a#1.1 try 1 script"]);
  assert.deepEqual(play.park("a"), ["attempt_parked a#1"]);
  assert.deepEqual(due(play.state, play.now), { run: [], operations: [], nextAt: 6_000 });
  assert.deepEqual(timers(play.state), [{ subject: "a:1:1", kind: "call", dueAt: 6_000 }]);
  assert.deepEqual([project(play.state).status, project(play.state).nextDue], ["waiting", 6_000]);
  assert.deepEqual(play.do({ kind: "report_child", child: CHILD, ended: null }), []);
  assert.deepEqual(ends(play, RUN), []);
  assert.deepEqual(ends(play), ["operation_settled a#1.1 succeeded", "attempt_resumed a#1"]);
  assert.deepEqual(ends(play), []);
});

test("a call whose time is over fails, and what its run comes to then changes nothing", () => {
  const play = one();
  asks(play, "a");
  play.park("a");
  assert.deepEqual(play.wait(4_999).fire(), []);
  assert.match(play.wait(1).fire()[0] ?? "", /^operation_settled a#1\.1 failed WOML_WORKFLOW_CALL_TIMED_OUT/);
  assert.deepEqual(ends(play), []);
});

test("whatever ends a step lets its calls go in the same answer", () => {
  const settled = "operation_settled a#1.1 failed WOML_WORKFLOW_CALL_CANCELLED";
  const cancelled = one();
  asks(cancelled, "a");
  assert.deepEqual(cancelled.cancel(), [
    ...["cancel_requested", settled, "step_cancelled a#1 cancelled", "outcome_decided cancelled", "run_cancelled"],
  ]);
  const late = one(500);
  asks(late, "a");
  assert.deepEqual(late.wait(500).fire().slice(0, 3), ["deadline_reached", settled, "step_cancelled a#1 timed_out"]);
  const beside = new Play(two);
  beside.admit();
  asks(beside, "a");
  assert.deepEqual(beside.bad("b").slice(0, 3), ["step_failed b#1 WOML_SCRIPT_THROWN", settled, "step_cancelled a#1 fail_fast"]);
  assert.equal(beside.state.ended, "failed");
});

test("what is drawn on settles in the answer that starts it, and says what the append changes", () => {
  const play = one();
  const entry: StateEntry = { value: 4, version: 2, bytes: 2, keys: 1, totalBytes: 2, floor: 0 };
  const of = called("keyed", {
    ...{ capability: "state", operation: "increment", release: "builtin:state@1", name: "n", input: { key: "k", by: 3 } },
  });
  const ask = { kind: "call_operation", node: "a", attempt: 1, call: 1, key: "x", seen: [] } as const;
  const command = { ...ask, asked: { called: of, drawn: { of: "state", entry } } } as const;
  const events = play.ask(command);
  assert.deepEqual(
    events.map(({ type }) => type),
    ["operation_started", "operation_settled"],
  );
  const write = { key: "k", expected: 2, floor: 0, value: "7", version: 3, bytes: 2, added: 0 };
  assert.deepEqual(ownOf(RUN, play.state, { command, request: null }, events), { write });
  // B2: stale, refused or failed, it changes nothing.
  assert.deepEqual(ownOf(RUN, play.state, { command, request: null }, []), {});
  const text = { ...command, asked: { called: of, drawn: { of: "state", entry: { ...entry, value: "four" } } } } as const;
  assert.deepEqual(ownOf(RUN, play.state, { command: text, request: null }, play.ask(text)), {});
});

test("B2: what a later attempt is answered from the log is neither written nor asked for again", () => {
  const play = new Play(define({ nodes: [step("a", fixed(2, 0))], edges: [], result: "a" }));
  play.admit();
  const start = call({ operation: "start", timeoutMs: 0 });
  const command = {
    kind: "call_operation",
    node: "a",
    attempt: 1,
    call: 1,
    key: "x",
    seen: [],
    asked: { called: start, drawn: wanted() },
  } as const;
  const own = ownOf(RUN, play.state, { command, request: null }, play.ask(command));
  assert.deepEqual(own.starts?.[0]?.body.parent, { run: RUN, node: "a", attempt: 1, call: 1, lineage: ["w"], isAwaited: false });
  assert.deepEqual(play.do(command).length, 2);
  play.bad("a");
  play.fire();
  const again = { ...command, attempt: 2 };
  const events = play.ask(again);
  assert.equal(events[0]?.type === "operation_started" ? events[0].data.reused : null, 1);
  assert.deepEqual(ownOf(RUN, play.state, { command: again, request: null }, events), {});
});

test("only the end of a run that somebody waits for is told, once", () => {
  const play = one();
  const before = play.state;
  const parent = { run: RUN, node: "p", attempt: 1, call: 1, lineage: ["p"], isAwaited: true };
  const awaited = { ...before, admitted: before.admitted && { ...before.admitted, parent } };
  assert.deepEqual(tellsOf({ ...awaited, ended: "failed" }, awaited), { tells: RUN });
  assert.deepEqual(tellsOf(awaited, awaited), {});
  assert.deepEqual(tellsOf({ ...awaited, ended: "failed" }, { ...awaited, ended: "failed" }), {});
  const started = { ...before, admitted: before.admitted && { ...before.admitted, parent: { ...parent, isAwaited: false } } };
  assert.deepEqual(tellsOf({ ...started, ended: "failed" }, started), {});
});

test("what a workflow may keep ends at its quota, and what stands can be changed and deleted there", () => {
  const some = { value: null, version: 0, bytes: 0, keys: 0, totalBytes: 0, floor: 0 };
  const set = called("keyed", { capability: "state", operation: "set", release: "builtin:state@1", input: { key: "kk", value: 1234 } });
  const code = (entry: Partial<StateEntry>): string => {
    const said = performState(set, { ...some, ...entry });
    return "failure" in said ? said.failure.code : "kept";
  };
  const { keys, bytes } = STATE_LIMITS;
  assert.deepEqual([code({ keys: keys - 1 }), code({ keys })], ["kept", "WOML_STATE_QUOTA_EXCEEDED"]);
  assert.deepEqual([code({ totalBytes: bytes - 6 }), code({ totalBytes: bytes - 5 })], ["kept", "WOML_STATE_QUOTA_EXCEEDED"]);
  const there = { value: 1, version: 3, bytes: 6, keys, totalBytes: bytes };
  assert.equal(code(there), "kept");
  const gone = performState({ ...set, operation: "delete" }, { ...some, ...there });
  assert.deepEqual("write" in gone && gone.write, { key: "kk", expected: 3, floor: 0, value: null, version: 3, bytes: 0, added: -6 });
});

test("a contract number that this engine does not have is refused, and so is an operation that the contract does not have", () => {
  assert.equal(releaseOf("state", 2), "builtin:state@2");
  const codes = [termsOf("builtin:state@2", "get"), termsOf("builtin:state@1", "put"), termsOf("builtin:toString@1", "get")];
  assert.deepEqual(
    codes.map((said) => "code" in said && said.code),
    ["WOML_CONTRACT_UNSUPPORTED", "WOML_OPERATION_UNKNOWN", "WOML_CONTRACT_UNSUPPORTED"],
  );
});

test("a call is refused by what stands above it and by what it asks for", () => {
  const { state } = one();
  const code = (of: Called, more: Partial<Wanted>, lineage: readonly string[] = []): string | undefined => {
    const parent = { run: RUN, node: "p", attempt: 1, call: 1, lineage, isAwaited: true };
    const at = { ...state, admitted: state.admitted && { ...state.admitted, parent } };
    const said = performWorkflows(at, of, { ...(wanted(more) as Wanted) });
    return said === null ? "waits" : "failure" in said ? said.failure.code : "done";
  };
  const start = call({ operation: "start" });
  const above = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `w${n}`);
  const waiting = { target: { version: "v", waits: true } };
  assert.equal(code(call(), {}), "waits");
  assert.equal(code(start, {}), "done");
  assert.equal(code(call(), waiting), "WOML_WORKFLOW_CALL_WAIT_UNSUPPORTED");
  assert.equal(code(start, waiting), "done");
  assert.equal(code(call(), { target: { missing: "none" } }), "WOML_WORKFLOW_TARGET_NOT_FOUND");
  assert.equal(code(call(), { target: { missing: "unreadable" } }), "WOML_WORKFLOW_DEFINITION_MISMATCH");
  assert.equal(code(call(), {}, above(31)), "waits");
  assert.equal(code(call(), {}, above(32)), "WOML_WORKFLOW_CALL_DEPTH_EXCEEDED");
  assert.equal(code(start, {}, [...above(3), "child"]), "WOML_WORKFLOW_CALL_CYCLE");
  const stored = { digest: "d", version: "v", ended: null };
  assert.equal(code(call(), { stored }), "waits");
  assert.equal(code(call(), { stored: { ...stored, digest: "other" } }), "WOML_WORKFLOW_CALL_IDEMPOTENCY_CONFLICT");
  assert.equal(code(call(), { stored: { ...stored, ended: { status: "succeeded", result: 1 } } }), "done");
  assert.equal(code(call(), { stored: { ...stored, ended: "refused" } }), "WOML_WORKFLOW_CALL_FAILED");
  assert.equal(code(call(), { stored: { ...stored, ended: { status: "cancelled" } } }), "WOML_WORKFLOW_CALL_CANCELLED");
});
