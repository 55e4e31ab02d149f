// Hostile flows: what costs more than their length is caught by doubling them, so that no clock's speed matters.
import assert from "node:assert/strict";
import { test } from "node:test";
import { check, codes, result, step, workflow } from "../sources.ts";

const PAYLOAD = result("{{context.payload}}");
const numbered = (count: number, piece: (at: number) => string): string => Array.from({ length: count }, (_, at) => piece(at)).join("");
const empty = (id: string): string => `<step id="${id}"><script/></step>`;
/** As long as a word may be that a slip is looked for in. */
const long = (at: number, letter: string): string => `a${at}${letter.repeat(56)}`;
const tests = (count: number, id: (at: number) => string): string =>
  `<choose id="c">${numbered(count, (at) => `<when test="{{context.steps.${id(at)}}}"/>`)}<otherwise/></choose>`;

function took(text: string): number {
  const begun = performance.now();
  check(text);
  return performance.now() - begun;
}

for (const [name, make] of [
  [
    "references to nothing, each nearly an id",
    (size) => numbered(400 * size, (at) => empty(long(at, "x"))) + tests(400 * size, (at) => long(at, "y")),
  ],
  [
    "references to one of a fork with a long join",
    (size) => {
      const names = Array.from({ length: 400 * size }, (_, at) => `b${at}`);
      const branches = names.map((id) => `<branch id="${id}">${empty(`s${id}`)}</branch>`).join("");
      return `<fork id="f" join="${names.slice(1).join(" ")}">${branches}</fork>${tests(400 * size, () => "sb0")}`;
    },
  ],
  [
    "arms without items",
    (size) => `<choose>${numbered(2_000 * size, () => `<when test="{{context.payload}}"/>`)}<otherwise>${PAYLOAD}</otherwise></choose>`,
  ],
  [
    "one id many times",
    (size) =>
      numbered(
        400 * size,
        () => `<choose><when test="{{context.steps.a}}">${empty("a")}</when><otherwise>${empty("b")}</otherwise></choose>`,
      ),
  ],
  [
    "cases",
    (size) =>
      `<switch id="s" value="{{context.payload}}">${numbered(400 * size, (at) => `<case value="${at}">${empty(`s${at}`)}${PAYLOAD}</case>`)}<default>${empty("z")}${PAYLOAD}</default></switch>`,
  ],
  [
    "a loop of many items",
    (size) => `<for-each id="l" items="{{context.payload}}">${numbered(500 * size, (at) => empty(`s${at}`))}</for-each>`,
  ],
  ["approvals", (size) => numbered(300 * size, (at) => `<approval id="p${at}"><when-approved/><when-rejected/></approval>`)],
] as [string, (size: number) => string][]) {
  test(`twice as many cost about twice: ${name}`, () => {
    const [single, double] = [workflow(make(1) + step("last")), workflow(make(2) + step("last"))];
    took(single);
    const isLinear = (): boolean => took(double) < 3 * took(single);
    // A busy machine may spoil one measurement, not all.
    assert.ok(Array.from({ length: 5 }).some(isLinear));
  });
}

test("the deepest flow is walked, and one deeper is refused", () => {
  const loops = (depth: number): string =>
    `<choose><when test="{{context.payload}}">`.repeat(depth) +
    empty("a") +
    numbered(depth, (at) => `</when><otherwise>${empty(`o${at}`)}</otherwise></choose>`);
  assert.deepEqual(codes(workflow(loops(97) + step("last"))), []);
  assert.deepEqual(codes(workflow(loops(99) + step("last"))), ["WOML_NESTING_TOO_DEEP"]);
});

test("attributes as long as a source may be", () => {
  const million = "a ".repeat(400_000);
  const fork = (join: string): string => `<fork id="f" join="${join}"><branch id="b">${step("x")}</branch></fork>${step("z")}`;
  assert.deepEqual(codes(workflow(fork(million))), ["WOML_FORK_JOIN_UNKNOWN_BRANCH"]);
  assert.deepEqual(codes(workflow(fork(" ".repeat(800_000)))), ["WOML_FORK_JOIN_INVALID"]);
  const loop = (items: string): string => `<for-each id="l" items="${items}">${step("x")}</for-each>`;
  assert.deepEqual(codes(workflow(loop(`{{context.payload${".a".repeat(400_000)}`))), ["WOML_FOR_EACH_ITEMS_INVALID"]);
  assert.deepEqual(codes(workflow(loop(`{{context.payload.${"a".repeat(800_000)}}}`))), ["WOML_FOR_EACH_ITEMS_INVALID"]);
});
