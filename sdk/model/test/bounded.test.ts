import assert from "node:assert/strict";
import { test } from "node:test";
import { graph, LIMITS } from "../index.ts";
import { accepted, flow, refused } from "./given.ts";

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

/** Processor time, which a busy machine does not stretch as it does the clock's. */
function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return process.cpuUsage(before).user / 1_000;
}
