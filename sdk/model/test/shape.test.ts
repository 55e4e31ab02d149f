import assert from "node:assert/strict";
import { test } from "node:test";
import { accepted, flow, refused } from "./given.ts";

const codes = (value: unknown) => refused(value).map(({ code, path }) => `${code} ${path}`);
const at = (index: number, change: Record<string, unknown>) => {
  const given = flow();
  return { ...given, nodes: given.nodes.map((node, place) => (place === index ? { ...node, ...change } : node)) };
};

test("what is not a definition at all says so at its root", () => {
  for (const value of [null, 1, "definition", [], true]) assert.deepEqual(codes(value), ["WOML_DEFINITION_INVALID "]);
});

test("what is missing, unknown or of another type is named where it stands", () => {
  assert.deepEqual(codes({ ...flow(), extra: 1 }), ["WOML_DEFINITION_INVALID /extra"]);
  assert.deepEqual(codes(at(0, { timeout: 5 })), ["WOML_DEFINITION_INVALID /nodes/0/timeout"]);
  assert.deepEqual(codes(at(3, { script: { source: 5 } })), ["WOML_DEFINITION_INVALID /nodes/3/script/source"]);
  assert.deepEqual(codes(at(0, { id: "__proto__" })), ["WOML_DEFINITION_INVALID /nodes/0/id"]);
  assert.deepEqual(codes({ ...flow(), triggers: [] }), ["WOML_DEFINITION_INVALID /triggers"]);
  assert.deepEqual(codes({ ...flow(), policy: { timeoutMs: 0 } }), ["WOML_DEFINITION_INVALID /policy/timeoutMs"]);
  assert.deepEqual(codes(at(0, { retry: { maxAttempts: 2, backoff: { kind: "fixed", delayMs: 1, maxDelayMs: 2 } } })), [
    "WOML_DEFINITION_INVALID /nodes/0/retry/backoff",
  ]);
});

test("faults of several members come in one answer", () => {
  const given = { ...at(0, { id: "" }), edges: [{ from: "a" }, { from: "a", to: "c:select", label: "x" }], result: 7 };
  assert.deepEqual(codes(given), [
    "WOML_DEFINITION_INVALID /edges/0",
    "WOML_DEFINITION_INVALID /edges/1/label",
    "WOML_DEFINITION_INVALID /nodes/0/id",
    "WOML_DEFINITION_INVALID /result",
  ]);
});

test("kinds that the engine does not run are refused by name", () => {
  assert.deepEqual(codes(at(0, { kind: "approval" })), ["WOML_FEATURE_NOT_EXECUTABLE /nodes/0/kind"]);
  assert.deepEqual(codes({ ...flow(), triggers: [{ id: "in", kind: "webhook", path: "/x" }] }), [
    "WOML_FEATURE_NOT_EXECUTABLE /triggers/0/kind",
  ]);
  assert.match(refused(at(0, { kind: "approval" }))[0]?.message ?? "", /"approval"/);
  assert.deepEqual(codes({ ...flow(), schemaVersion: 2 }), ["WOML_SCHEMA_VERSION_UNSUPPORTED /schemaVersion"]);
});

test("names, labels and policy are kept as they were given", () => {
  const given = { ...flow(), policy: { timeoutMs: 1_000 }, workflow: { id: "a-b", name: "Größe", description: "\n x", version: "1" } };
  const taken = accepted(given);
  assert.deepEqual(taken.workflow, given.workflow);
  assert.deepEqual(taken.policy, given.policy);
});
