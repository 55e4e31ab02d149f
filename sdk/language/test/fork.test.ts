import assert from "node:assert/strict";
import { test } from "node:test";
import { check, choose, codes, marked, result, step, workflow } from "./sources.ts";

const one = step("one");
const branch = (id: string, body = step(`${id}1`)): string => `<branch id="${id}">${body}</branch>`;
const fork = (body: string, join?: string): string => `<fork id="f"${join === undefined ? "" : ` join="${join}"`}>${body}</fork>`;
const two = branch("a") + branch("b");

for (const [name, steps] of [
  ["of two branches", fork(two) + one],
  ["of one", fork(branch("a")) + one],
  ["that waits for all", fork(two, "all") + one],
  ["that waits for none", fork(two, "none") + one],
  ["that waits for some", fork(two, " b\n a\t") + one],
  ["whose branch has the id of a step", step("a") + fork(branch("a", step("x"))) + one],
  ["with which the workflow ends, behind a step", one + fork(two)],
  [
    "with which the workflow ends, behind a switch",
    `<switch id="s" value="{{context.payload}}"><case value="k">${step("x")}${result("{{context.payload}}")}</case><default>${step("y")}${result("{{context.payload}}")}</default></switch>${fork(two)}`,
  ],
  ["with which the workflow ends, behind a loop", `<for-each id="l" items="{{context.payload}}">${one}</for-each>${fork(two)}`],
  [
    "with which the workflow ends, behind an approval",
    `<approval id="p"><when-approved /><when-rejected /></approval><choose><when test="{{context.payload}}">${one}</when><otherwise>${step("x")}</otherwise></choose>${fork(two)}`,
  ],
  ["in an arm", choose("c", "{{context.payload}}", [fork(two) + result("{{context.steps.a1}}"), one + result("{{context.payload}}")])],
] as const) {
  test(`a fork ${name}`, () => assert.deepEqual(codes(workflow(steps)), []));
}

for (const [code, steps, mark] of [
  ["FORK_EMPTY", `<fork id="f"></fork>${one}`, '<fork id="f">'],
  ["FORK_BRANCH_EMPTY", fork(branch("a", "")) + one, '<branch id="a">'],
  ["FORK_BRANCH_ID_RESERVED", fork(branch("all", step("x"))) + one, "all"],
  ["FORK_BRANCH_ID_RESERVED", fork(branch("none", step("x"))) + one, "none"],
  ["FORK_BRANCH_ID_DUPLICATE", fork(branch("a") + branch("a", step("x"))) + one, "a"],
  ["FORK_JOIN_INVALID", fork(two, "") + one, ""],
  ["FORK_JOIN_INVALID", fork(two, "  ") + one, "  "],
  ["FORK_JOIN_INVALID", fork(two, "a,b") + one, "a,b"],
  ["FORK_JOIN_INVALID", fork(two, "a all") + one, "all"],
  ["FORK_JOIN_INVALID", fork(two, "none b") + one, "none"],
  ["FORK_JOIN_INVALID", fork(two, "A") + one, "A"],
  ["FORK_JOIN_DUPLICATE", fork(two, "a b a") + one, "a"],
  ["FORK_JOIN_UNKNOWN_BRANCH", fork(two, "a c") + one, "c"],
  ["FORK_TERMINAL_RESULT_REQUIRED", fork(two), '<fork id="f">'],
  [
    "FORK_TERMINAL_RESULT_REQUIRED",
    `<choose><when test="{{context.payload}}">${one}</when><otherwise>${step("x")}</otherwise></choose>${fork(two)}`,
    '<fork id="f">',
  ],
] as const) {
  test(`${code} at ${mark}`, () => {
    assert.deepEqual(codes(workflow(steps)), [`WOML_${code}`]);
    assert.deepEqual(marked(workflow(steps)), [mark]);
  });
}

test("the hint of a join knows the branches", () => {
  const [hint] = check(workflow(fork(branch("north") + branch("south"), "nort") + one)).diagnostics.map(({ hint }) => hint);
  assert.equal(hint, "Did you mean north?");
});

test("only joined branches lead to the join, whatever the order of join", () => {
  const texts = ["c a", "a c"].map((join) => workflow(fork(two + branch("c"), join) + one));
  const [first, second] = texts.map((text) => check(text).definition);
  assert.deepEqual(first, second);
  assert.deepEqual(
    first?.edges.map(({ from, to, arm }) => [from, to, arm].join(" ").trim()),
    ["a1 f", "c1 f", "f one", "f:fork a1 a", "f:fork b1 b", "f:fork c1 c", "f:fork f"],
  );
  assert.deepEqual(
    first?.nodes.filter(({ kind }) => kind !== "step"),
    [
      { kind: "join", id: "f", branches: ["a", "c"] },
      { kind: "fork", id: "f:fork", join: "f" },
    ],
  );
  assert.equal(first?.result, "one");
});
