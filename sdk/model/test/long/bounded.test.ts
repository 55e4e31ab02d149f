import assert from "node:assert/strict";
import { test } from "node:test";
import { graph, LIMITS } from "../../index.ts";
import { accepted, flow, refused } from "../given.ts";

/** A chain of as many steps as given, and as many edges: the first links make the chain, the others jump ahead. */
function chain(nodes: number, edges: number) {
  const given = flow();
  const id = (at: number) => `s${at}`;
  given.nodes = Array.from({ length: nodes }, (_, at) => ({ kind: "step", id: id(at), script: { source: "" } }));
  given.edges = [];
  for (let jump = 1; given.edges.length < edges; jump++) {
    for (let at = 0; at + jump < nodes && given.edges.length < edges; at++) given.edges.push({ from: id(at), to: id(at + jump) });
  }
  given.result = "s0";
  return given;
}
const codes = (value: unknown) => refused(value).map(({ code, path }) => `${code} ${path}`);

test("5,000 nodes and 20,000 edges are taken, and walked in no time worth naming", () => {
  const taken = accepted(chain(LIMITS.nodes, LIMITS.edges));
  const spent = cpuMs(() => {
    const walk = graph(taken);
    assert.equal(walk.visible("s4999").length, 4_999);
    assert.equal(walk.sees("s4999", "s17"), true);
  });
  assert.ok(spent < 1_500, `${spent} ms`);
});

test("one more of either is refused", () => {
  assert.deepEqual(codes(chain(LIMITS.nodes + 1, 0)), ["WOML_TOO_MANY_NODES /nodes"]);
  assert.deepEqual(codes(chain(LIMITS.nodes, LIMITS.edges + 1)), ["WOML_TOO_MANY_EDGES /edges"]);
});

test("a script of 256 KiB is taken, counted in UTF-8; one byte more is refused", () => {
  const given = flow();
  const [first] = given.nodes;
  assert.ok(first?.kind === "step");
  first.script.source = "é".repeat(LIMITS.sourceBytes / 2);
  accepted(given);
  first.script.source += "x";
  assert.deepEqual(codes(given), ["WOML_SCRIPT_SOURCE_TOO_LARGE /nodes/0/script/source"]);
});

test("ids of 263 characters are taken, one more is refused", () => {
  const rename = (id: string) => JSON.parse(JSON.stringify(flow()).replaceAll('"e"', `"${id}"`));
  accepted(rename("e".repeat(263)));
  assert.deepEqual(codes(rename("e".repeat(264))).slice(0, 1), ["WOML_DEFINITION_INVALID /edges/9/to"]);
});

test("a select of thousands of empty arms is judged without squaring them", () => {
  const given = flow();
  const select = given.nodes.find((node) => node.kind === "select");
  const choice = given.nodes.find((node) => node.kind === "choice");
  assert.ok(select && choice);
  for (let at = 0; at < 15_000; at++) {
    select.arms.push({ arm: `x${at}`, test: ["payload"] });
    choice.results?.push({ arm: `x${at}`, value: ["payload"] });
    given.edges.push({ from: select.id, to: "z", arm: `x${at}` });
  }
  const spent = cpuMs(() => assert.equal(refused(given).length, LIMITS.violations));
  assert.ok(spent < 4_000, `${spent} ms`);
});

test("nodes, edges and scripts in bodies of loops count like others", () => {
  const loops = (count: number, nodes: number) => {
    const given = flow();
    const body = (at: number) =>
      Array.from({ length: nodes }, (_, n) => ({ kind: "step" as const, id: `l${at}s${n}`, script: { source: "" } }));
    given.nodes = Array.from({ length: count }, (_, at) => ({
      ...{ kind: "for-each" as const, id: `l${at}`, items: at === 0 ? ["payload"] : ["steps", `l${at - 1}`] },
      body: {
        nodes: body(at),
        edges: body(at)
          .slice(1)
          .map(({ id }, n) => ({ from: `l${at}s${n}`, to: id })),
      },
      result: ["steps", `l${at}s0`],
    }));
    given.edges = given.nodes.slice(1).map(({ id }, at) => ({ from: `l${at}`, to: id }));
    given.result = `l${count - 1}`;
    return given;
  };
  const spent = cpuMs(() => {
    accepted(loops(2_500, 1));
    const walk = graph(accepted(loops(50, 99)));
    assert.equal(walk.body("l49").visible("l49s98").length, 49 + 98);
  });
  assert.ok(spent < 3_000, `${spent} ms`);
  assert.deepEqual(codes(loops(50, 100)), ["WOML_TOO_MANY_NODES /nodes"]);
});

test("thousands of branches, joined or not, are judged without squaring them", () => {
  const forked = (count: number, isJoined: boolean) => {
    const given = flow();
    const names = Array.from({ length: count }, (_, at) => `b${at}`);
    given.nodes = names.map((name) => ({ kind: "step", id: `s-${name}`, script: { source: "" } }));
    given.nodes.push({ kind: "fork", id: "f:fork", join: "f" }, { kind: "join", id: "f", branches: isJoined ? names : [] });
    given.nodes.push({ kind: "step", id: "last", script: { source: "" } });
    given.edges = names.map((name) => ({ from: "f:fork", to: `s-${name}`, arm: name }));
    given.edges.push({ from: "f:fork", to: "f" }, { from: "f", to: "last" });
    if (isJoined) given.edges.push(...names.map((name) => ({ from: `s-${name}`, to: "f" })));
    given.result = "last";
    return given;
  };
  const spent = cpuMs(() => {
    assert.equal(graph(accepted(forked(4_990, true))).visible("last").length, 4_990);
    assert.equal(graph(accepted(forked(4_990, false))).visible("last").length, 0);
    const crossed = forked(4_990, false);
    for (let at = 1; at < 4_990; at++) crossed.edges.push({ from: `s-b${at}`, to: "s-b0" }, { from: `s-b${at}`, to: "f" });
    assert.equal(refused(crossed).length, LIMITS.violations);
  });
  assert.ok(spent < 4_000, `${spent} ms`);
});

test("approvals nested as deep as JSON and nodes allow are walked without squaring them", () => {
  const given = flow();
  const count = 2_400;
  given.nodes = [{ kind: "step", id: "last", script: { source: "" } }];
  given.edges = [];
  for (let at = 0; at < count; at++) {
    given.nodes.push({ kind: "approval", id: `a${at}`, choice: `a${at}:end` }, { kind: "choice", id: `a${at}:end` });
    given.edges.push({ from: `a${at}`, to: `a${at}:end`, arm: "rejected" });
    if (at > 0) given.edges.push({ from: `a${at - 1}`, to: `a${at}`, arm: "approved" }, { from: `a${at}:end`, to: `a${at - 1}:end` });
  }
  given.edges.push({ from: `a${count - 1}`, to: `a${count - 1}:end`, arm: "approved" }, { from: "a0:end", to: "last" });
  given.result = "last";
  given.nodes.push(
    { kind: "fork", id: "f:fork", join: "f" },
    { kind: "join", id: "f", branches: [] },
    { kind: "step", id: "side", script: { source: "" } },
  );
  given.edges.push({ from: "last", to: "f:fork" }, { from: "f:fork", to: "side", arm: "side" }, { from: "f:fork", to: "f" });
  const spent = cpuMs(() => {
    const walk = graph(accepted(given));
    assert.equal(walk.armOf(`a${count - 1}`)?.depth, count - 1);
    assert.deepEqual(walk.visible("last"), ["a0"]);
  });
  assert.ok(spent < 3_000, `${spent} ms`);
});

/** Processor time, which a busy machine does not stretch as it does the clock's. */
function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return process.cpuUsage(before).user / 1_000;
}
