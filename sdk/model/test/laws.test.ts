import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import type { Code, Definition, Use } from "../index.ts";
import { cut, find, remove, step } from "./find.ts";
import { accepted, flow, refused } from "./given.ts";

/** Given the flow of given.ts, when it is changed like this, then exactly these violations are answered. */
type Case = readonly [when: string, change: (given: Definition) => void, ...then: `${Code} ${string}`[]];

const use = (alias: string, change: Partial<Use> = {}): Use => ({ alias, capability: alias, range: "*", ...change });
const CASES: Record<string, readonly Case[]> = {
  "unique-node-ids": [
    ["an id is taken twice", (g) => g.nodes.push(step("a")), "WOML_DUPLICATE_NODE_ID /nodes/9/id"],
    ["a step is called as a group is", (g) => g.nodes.push(step("c:select")), "WOML_DUPLICATE_NODE_ID /nodes/9/id"],
  ],
  "unique-trigger-ids": [
    ["a trigger is there twice", (g) => g.triggers.push({ id: "go", kind: "manual" }), "WOML_DUPLICATE_TRIGGER_ID /triggers/1/id"],
  ],
  "unique-edges": [["an edge is there twice", (g) => g.edges.push({ from: "x", to: "p" }), "WOML_DUPLICATE_EDGE /edges/10"]],
  "unique-aliases": [
    [
      "an alias stands for two capabilities",
      (g) => {
        g.uses = [use("http"), use("http", { capability: "acme.http" })];
      },
      "WOML_DUPLICATE_ALIAS /uses/1/alias",
    ],
  ],
  "readable-ranges": [
    [
      "a range is no range",
      (g) => {
        g.uses = [use("http", { range: "latest" })];
      },
      "WOML_CAPABILITY_RANGE_INVALID /uses/0/range",
    ],
  ],
  "known-calls": [
    [
      "a script calls what is not used",
      (g) => {
        g.uses = [use("http")];
        find(g, "step", "a").script.calls = ["http.request", "payments.charge"];
      },
      "WOML_UNKNOWN_ALIAS /nodes/0/script/calls/1",
    ],
  ],
  "known-endpoints": [
    [
      "an edge has no ends",
      (g) => g.edges.push({ from: "no", to: "one" }),
      "WOML_UNKNOWN_EDGE_ENDPOINT /edges/10/from",
      "WOML_UNKNOWN_EDGE_ENDPOINT /edges/10/to",
    ],
  ],
  "retry-delays": [
    [
      "the longest delay is below the first",
      (g) => {
        find(g, "step", "a").retry = { maxAttempts: 2, backoff: { kind: "exponential", delayMs: 100, maxDelayMs: 99 } };
      },
      "WOML_RETRY_MAX_DELAY_INVALID /nodes/0/retry/backoff/maxDelayMs",
    ],
  ],
  acyclic: [
    ["a step waits for itself", (g) => g.edges.push({ from: "e", to: "e" }), "WOML_CYCLIC_GRAPH /nodes/8"],
    ["the end leads back to the beginning", (g) => g.edges.push({ from: "e", to: "a" }), "WOML_CYCLIC_GRAPH /nodes/0"],
  ],
  "entry-kinds": [
    [
      "nothing leads to a parallel's end",
      (g) => cut(g, "y", "p") ?? cut(g, "x", "p"),
      "WOML_INVALID_PARALLEL_GROUP /nodes/3",
      "WOML_INVALID_PARALLEL_GROUP /nodes/4",
      "WOML_INVALID_ENTRY_NODE /nodes/5",
    ],
  ],
  "arm-edges": [
    [
      "an edge of a step has an arm",
      (g) => g.edges.push({ from: "e", to: "f", arm: "big" }) && g.nodes.push(step("f")),
      "WOML_INVALID_ARM_EDGE /edges/10",
    ],
    ["an edge of a select has none", (g) => g.edges.push({ from: "c:select", to: "z" }), "WOML_INVALID_ARM_EDGE /edges/10"],
    [
      "an edge names no arm of its select",
      (g) => g.edges.push({ from: "c:select", to: "z", arm: "odd" }),
      "WOML_INVALID_ARM_EDGE /edges/10",
    ],
    ["an arm has no edge", (g) => cut(g, "c:select", "z"), "WOML_INVALID_ARM_EDGE /nodes/1"],
  ],
  "choice-pairs": [
    [
      "a select opens a step",
      (g) => {
        find(g, "select", "c:select").choice = "e";
      },
      "WOML_INVALID_BRANCH_SELECTOR /nodes/1/choice",
      "WOML_INVALID_BRANCH_GROUP /nodes/7",
    ],
    [
      "two arms have one name",
      (g) => find(g, "select", "c:select").arms.push({ arm: "big", test: ["payload"] }),
      "WOML_INVALID_BRANCH_SELECTOR /nodes/1/arms",
    ],
    [
      "otherwise has the name of an arm",
      (g) => {
        find(g, "select", "c:select").otherwise = "big";
      },
      "WOML_INVALID_ARM_EDGE /edges/7",
      "WOML_INVALID_BRANCH_SELECTOR /nodes/1/arms",
      "WOML_INVALID_BRANCH_RESULT /nodes/7/results/1/arm",
    ],
    [
      "an arm is empty",
      (g) => remove(g, "z") ?? g.edges.push({ from: "c:select", to: "c", arm: "small" }),
      "WOML_INVALID_BRANCH_GROUP /edges/8",
      "WOML_UNKNOWN_REFERENCE /nodes/6/results/1/value",
    ],
    [
      "a choice has two selects",
      (g) => {
        g.nodes.push({ ...find(g, "select", "c:select"), id: "again" });
        g.edges.push({ from: "again", to: "y2", arm: "big" }, { from: "again", to: "z2", arm: "small" });
        g.nodes.push(step("y2"), step("z2"));
      },
      "WOML_INVALID_BRANCH_GROUP /nodes/7",
    ],
  ],
  "choice-results": [
    [
      "an arm has no result",
      (g) => find(g, "choice", "c").results?.splice(0, 1, { arm: "small", value: ["payload"] }),
      "WOML_INVALID_BRANCH_RESULT /nodes/7/results",
      "WOML_INVALID_BRANCH_RESULT /nodes/7/results/1/arm",
    ],
    [
      "a result is for no arm",
      (g) => find(g, "choice", "c").results?.push({ arm: "odd", value: ["payload"] }),
      "WOML_INVALID_BRANCH_RESULT /nodes/7/results/2/arm",
    ],
  ],
  "parallel-groups": [
    ["a child waits for something else too", (g) => g.edges.push({ from: "a", to: "x" }), "WOML_INVALID_PARALLEL_GROUP /nodes/3"],
    ["a child leads elsewhere too", (g) => g.edges.push({ from: "x", to: "c" }), "WOML_INVALID_PARALLEL_GROUP /nodes/3"],
    ["a stranger leads to the end", (g) => g.edges.push({ from: "z", to: "p" }), "WOML_INVALID_PARALLEL_GROUP /edges/10"],
    [
      "the open node leads to the end",
      (g) => g.edges.push({ from: "p:open", to: "p" }),
      "WOML_INVALID_PARALLEL_GROUP /edges/10",
      "WOML_INVALID_PARALLEL_GROUP /nodes/5",
    ],
    [
      "the open node names no parallel",
      (g) => {
        find(g, "open", "p:open").parallel = "a";
      },
      "WOML_INVALID_PARALLEL_GROUP /edges/4",
      "WOML_INVALID_PARALLEL_GROUP /edges/5",
      "WOML_INVALID_PARALLEL_GROUP /nodes/2/parallel",
      "WOML_INVALID_PARALLEL_GROUP /nodes/5",
    ],
    [
      "there is no child",
      (g) => remove(g, "x") ?? remove(g, "y"),
      "WOML_INVALID_PARALLEL_GROUP /nodes/2",
      "WOML_INVALID_ENTRY_NODE /nodes/3",
      "WOML_UNKNOWN_REFERENCE /nodes/5/results/0/value",
    ],
    [
      "a child is a choice's select",
      (g) => {
        find(g, "open", "p:open").parallel = "p";
        g.edges.push({ from: "p:open", to: "c:select" });
      },
      "WOML_INVALID_PARALLEL_GROUP /nodes/1",
      "WOML_CYCLIC_GRAPH /nodes/2",
    ],
  ],
  "closed-arms": [
    ["an arm is entered from outside", (g) => g.edges.push({ from: "a", to: "z" }), "WOML_INVALID_BRANCH_GROUP /edges/10"],
    ["an arm is left past its choice", (g) => g.edges.push({ from: "z", to: "e" }), "WOML_INVALID_BRANCH_GROUP /edges/10"],
    ["one arm leads into the other", (g) => g.edges.push({ from: "z", to: "p:open" }), "WOML_INVALID_BRANCH_GROUP /edges/10"],
    ["a step is in both arms", (g) => g.edges.push({ from: "c:select", to: "z", arm: "big" }), "WOML_INVALID_BRANCH_GROUP /edges/7"],
    ["a stranger leads to the choice", (g) => g.edges.push({ from: "a", to: "c" }), "WOML_INVALID_BRANCH_GROUP /edges/10"],
  ],
  "no-dead-end": [
    [
      "a step of an arm leads nowhere",
      (g) => g.nodes.push(step("w")) && g.edges.push({ from: "z", to: "w" }),
      "WOML_DEAD_END_NODE /nodes/9",
    ],
  ],
  "known-references": [
    [
      "a reference begins otherwise",
      (g) => {
        find(g, "select", "c:select").arms[0] = { arm: "big", test: ["item"] };
      },
      "WOML_INVALID_REFERENCE /nodes/1/arms/0/test",
    ],
    [
      "a reference stops at steps",
      (g) => {
        find(g, "select", "c:select").arms[0] = { arm: "big", test: ["steps"] };
      },
      "WOML_INVALID_REFERENCE /nodes/1/arms/0/test",
    ],
    [
      "a script needs a parallel",
      (g) => find(g, "step", "e").script.needs?.steps.push("p"),
      `WOML_UNKNOWN_REFERENCE /nodes/8/script/needs/steps/2`,
    ],
  ],
  "dominated-reference": [
    [
      "a script needs a step of an arm",
      (g) => find(g, "step", "e").script.needs?.steps.push("z"),
      "WOML_REFERENCE_NOT_DOMINATING /nodes/8/script/needs/steps/2",
    ],
    [
      "a script needs itself",
      (g) => find(g, "step", "e").script.needs?.steps.push("e"),
      "WOML_REFERENCE_NOT_DOMINATING /nodes/8/script/needs/steps/2",
    ],
    [
      "a script needs its sibling",
      (g) => {
        find(g, "step", "x").script.needs = { payload: false, steps: ["y"] };
      },
      "WOML_REFERENCE_NOT_DOMINATING /nodes/3/script/needs/steps/0",
    ],
    [
      "a test reads a step of its own arm",
      (g) => {
        find(g, "select", "c:select").arms[0] = { arm: "big", test: ["steps", "x"] };
      },
      "WOML_REFERENCE_NOT_DOMINATING /nodes/1/arms/0/test",
    ],
    [
      "a result reads the other arm",
      (g) => {
        (find(g, "choice", "c").results ?? [])[0] = { arm: "big", value: ["steps", "z"] };
      },
      "WOML_REFERENCE_NOT_DOMINATING /nodes/7/results/0/value",
    ],
    [
      "a result reads its own choice",
      (g) => {
        (find(g, "choice", "c").results ?? [])[0] = { arm: "big", value: ["steps", "c"] };
      },
      "WOML_REFERENCE_NOT_DOMINATING /nodes/7/results/0/value",
    ],
  ],
  "result-exists": [
    ["the result is no node", (g) => Object.assign(g, { result: "nobody" }), "WOML_INVALID_RESULT_NODE /result"],
    ["the result has no output", (g) => Object.assign(g, { result: "p" }), "WOML_INVALID_RESULT_NODE /result"],
  ],
  "result-certain": [["the result stands in an arm", (g) => Object.assign(g, { result: "x" }), "WOML_INVALID_RESULT_NODE /result"]],
};

for (const [law, cases] of Object.entries(CASES)) {
  for (const [when, change, ...then] of cases) {
    test(`${law}: ${when}`, () => {
      const given = flow();
      change(given);
      assert.deepEqual(
        refused(given).map(({ code, path }) => `${code} ${path}`),
        then,
      );
    });
  }
}

test("every law has a case here, in laws-whole.test.ts, laws-around.test.ts or bounded.test.ts", () => {
  const files = readdirSync(new URL("../laws/", import.meta.url)).map((file) => file.replace(".ts", ""));
  const others = ["whole", "around"].map((name) => readFileSync(new URL(`laws-${name}.test.ts`, import.meta.url), "utf8")).join("");
  const cases = files.filter((law) => others.includes(`  "${law}": [`) || others.includes(`  ${law}: [`));
  assert.deepEqual(
    files.filter((law) => !(law in CASES) && !cases.includes(law)),
    [],
  );
  assert.deepEqual(
    Object.keys(CASES).filter((law) => !files.includes(law)),
    [],
  );
});

test("legal: several entries, several last nodes, a choice as the result, a diamond, results that look past the arm", () => {
  const given = flow();
  remove(given, "e");
  given.result = "c";
  given.nodes.push(step("b"), step("d"), step("b1"), step("b2"));
  given.edges.push({ from: "b", to: "b1" }, { from: "b", to: "b2" }, { from: "b1", to: "d" }, { from: "b2", to: "d" });
  (find(given, "choice", "c").results ?? [])[1] = { arm: "small", value: ["steps", "a"] };
  accepted(given);
});
