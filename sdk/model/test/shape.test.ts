import assert from "node:assert/strict";
import { test } from "node:test";
import { canonical } from "../index.ts";
import { find } from "./find.ts";
import { accepted, flow, refused } from "./given.ts";
import { whole } from "./whole.ts";

const codes = (value: unknown) => refused(value).map(({ code, path }) => `${code} ${path}`);
const at = (index: number, change: Record<string, unknown>) => {
  const given = flow();
  return { ...given, nodes: given.nodes.map((node, place) => (place === index ? { ...node, ...change } : node)) };
};
const loop = (nodes: readonly object[], edges: readonly object[] = []) => {
  const given = flow();
  return { ...given, nodes: [...given.nodes, { kind: "for-each", id: "loop", items: ["payload", "list"], body: { nodes, edges } }] };
};

test("what is not a definition at all says so at its root", () => {
  for (const value of [null, 1, "definition", [], true]) assert.deepEqual(codes(value), ["WOML_DEFINITION_INVALID "]);
});

test("what is missing, unknown or of another type is named where it stands", () => {
  assert.deepEqual(codes({ ...flow(), extra: 1 }), ["WOML_DEFINITION_INVALID /extra"]);
  assert.deepEqual(codes(at(0, { timeout: 5 })), ["WOML_DEFINITION_INVALID /nodes/0/timeout"]);
  assert.deepEqual(codes(at(3, { script: { source: 5 } })), ["WOML_DEFINITION_INVALID /nodes/3/script/source"]);
  assert.deepEqual(codes(at(0, { id: "__proto__" })), ["WOML_DEFINITION_INVALID /nodes/0/id"]);
  assert.deepEqual(codes({ ...flow(), triggers: [{ id: "in", kind: "webhook" }] }), ["WOML_DEFINITION_INVALID /triggers/0"]);
  accepted({ ...flow(), triggers: [] });
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

test("kinds that nothing has are refused by name, in the body of a loop also those that cannot stand there", () => {
  assert.deepEqual(codes(at(0, { kind: "fetch" })), ["WOML_FEATURE_NOT_EXECUTABLE /nodes/0/kind"]);
  assert.deepEqual(codes({ ...flow(), triggers: [{ id: "in", kind: "mail", path: "/x" }] }), [
    "WOML_FEATURE_NOT_EXECUTABLE /triggers/0/kind",
  ]);
  assert.match(refused(at(0, { kind: "fetch" }))[0]?.message ?? "", /"fetch"/);
  assert.deepEqual(codes({ ...flow(), schemaVersion: 2 }), ["WOML_SCHEMA_VERSION_UNSUPPORTED /schemaVersion"]);
  for (const kind of ["for-each", "fork", "join", "approval"]) {
    assert.deepEqual(codes(loop([{ kind, id: "inner" }])), ["WOML_FEATURE_NOT_EXECUTABLE /nodes/9/body/nodes/0/kind"]);
  }
});

test("what is wrong in the body of a loop is named where it stands", () => {
  assert.deepEqual(codes(loop([])), ["WOML_DEFINITION_INVALID /nodes/9/body/nodes"]);
  assert.deepEqual(codes(loop([{ kind: "step", id: "inner", script: {} }])), ["WOML_DEFINITION_INVALID /nodes/9/body/nodes/0/script"]);
  assert.deepEqual(codes(loop([{ kind: "step", id: "inner", script: { source: "" } }], [{ from: "inner" }])), [
    "WOML_DEFINITION_INVALID /nodes/9/body/edges/0",
  ]);
  accepted(loop([{ kind: "step", id: "inner", script: { source: "" } }]));
});

test("names, labels and policy are kept as they were given", () => {
  const given = { ...flow(), policy: { timeoutMs: 1_000 }, workflow: { id: "a-b", name: "Größe", description: "\n x", version: "1" } };
  const taken = accepted(given);
  assert.deepEqual(taken.workflow, given.workflow);
  assert.deepEqual(taken.policy, given.policy);
});

test("a list in which texts stand twice is refused, once and in good time", () => {
  const twice = (texts: readonly string[]) => ({ ...flow(), triggers: [{ id: "in", kind: "telegram", botToken: "T", events: texts }] });
  assert.deepEqual(codes(twice(["a", "b", "a"])), ["WOML_DEFINITION_INVALID /triggers/0/events"]);
  assert.equal(refused(twice(["a", "a"]))[0]?.message, "must not have duplicate items");
  accepted(twice(["a", "b"]));
  const before = process.cpuUsage();
  assert.deepEqual(codes(twice(Array.from({ length: 400_000 }, () => "e"))), ["WOML_DEFINITION_INVALID /triggers/0/events"]);
  const { user, system } = process.cpuUsage(before);
  assert.ok(user + system < 10_000_000, `${user + system} µs`);
});

test("a part of the first contract says so or not: the definition is the same, and has the text that it had before there were numbers", () => {
  const before = whole();
  const given = whole();
  for (const part of [given.nodes[0], given.lifecycle?.[0]?.actions[0], given.lifecycle?.[0]?.actions[1], given.uses?.[0]]) {
    Object.assign(part ?? {}, { contract: 1 });
  }
  Object.assign(find(given, "step", "a").reusable ?? {}, { contract: 1 });
  assert.equal(canonical(accepted(given)), canonical(accepted(before)));
  assert.ok(!canonical(accepted(given)).includes("contract"));
  for (const contract of [0, -1, 1.5, "1", null])
    assert.deepEqual(codes(at(0, { contract })), ["WOML_DEFINITION_INVALID /nodes/0/contract"]);
});
