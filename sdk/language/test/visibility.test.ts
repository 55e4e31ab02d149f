import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../index.ts";
import { NO_PROJECT } from "../project.ts";
import { open } from "../reader.ts";
import { type Element, elementsOf, textOf } from "../tree.ts";
import { idsOf, visibilityOf } from "../visibility.ts";
import { check, codes, marked, result, step, workflow } from "./sources.ts";

const PAYLOAD = result("{{context.payload}}");
/** Reads one output, where it stands. */
const read = (id: string, as = `r${id}`): string =>
  `<choose id="${as}"><when test="{{context.steps.${id}}}">${step(`${as}x`)}${PAYLOAD}</when><otherwise>${step(`${as}y`)}${PAYLOAD}</otherwise></choose>`;
const control = (first: string, second: string): string =>
  `<choose><when test="{{context.payload}}">${first}</when><otherwise>${second}</otherwise></choose>`;
const choice = (first: string, second: string): string =>
  `<choose id="c"><when test="{{context.payload}}">${first}${PAYLOAD}</when><otherwise>${second}${PAYLOAD}</otherwise></choose>`;
const selected = (first: string, second: string): string =>
  `<switch id="s" value="{{context.payload}}"><case value="k">${first}${PAYLOAD}</case><default>${second}${PAYLOAD}</default></switch>`;
const fork = (a: string, b: string, join = "all"): string =>
  `<fork id="f" join="${join}"><branch id="a">${a}</branch><branch id="b">${b}</branch></fork>`;
const approval = (yes: string, no = ""): string =>
  `<approval id="p"><when-approved>${yes}</when-approved><when-rejected>${no}</when-rejected></approval>`;
const loop = (body: string, items = "{{context.payload}}"): string => `<for-each id="l" items="${items}">${body}</for-each>`;
const parallel = `<parallel id="g">${step("x")}${step("y")}</parallel>`;

for (const [name, steps] of [
  ["an earlier step", step("x") + read("x")],
  ["every step of an earlier group", parallel + read("x") + read("y")],
  ["an earlier choose", choice(step("x"), step("y")) + read("c")],
  ["an earlier switch", selected(step("x"), step("y")) + read("s")],
  ["an earlier item of its arm", choice(step("x") + read("x"), step("y"))],
  ["what was there before its arm", step("o") + control(read("o"), step("y")) + step("z")],
  ["what was there before both", step("o") + selected(control(read("o"), step("y")), step("z"))],
  ["a decision, behind it", approval("") + read("p")],
  ["a decision, in its arms", approval(read("p"), step("n"))],
  ["an earlier loop", loop(step("x")) + read("l")],
  ["an earlier item of its loop", loop(step("x") + read("x"))],
  ["what was there before its loop", step("o") + loop(read("o"))],
  ["an earlier item of its branch", fork(step("x") + read("x"), step("y")) + step("z")],
  ["what was there before its fork", step("o") + fork(read("o"), step("y")) + step("z")],
  ["all that joined branches are certain to make", fork(step("x") + step("x2"), step("y")) + read("x") + read("x2") + read("y")],
  ["a group in a joined branch", fork(parallel, step("z")) + read("x")],
  ["a choose in a joined branch", fork(choice(step("x"), step("y")), step("z")) + read("c")],
  ["the branch that is waited for", fork(step("x"), step("y"), "b") + read("y")],
] as const) {
  test(`a reference sees ${name}`, () => assert.deepEqual(codes(workflow(steps)), []));
}

const NOT = "REFERENCE_NOT_DOMINATING";
const APART = "FORK_REFERENCE_NOT_VISIBLE";
for (const [name, steps, code, mark] of [
  ["nothing", read("nobody"), "UNKNOWN_REFERENCE", "nobody"],
  ["itself", read("rx", "rx"), NOT, "rx"],
  ["what comes later", read("x") + step("x"), NOT, "x"],
  ["a group", parallel + read("g"), NOT, "g"],
  ["a fork", fork(step("x"), step("y")) + read("f"), NOT, "f"],
  ["the arm of a choose, behind it", choice(step("x"), step("y")) + read("x"), NOT, "x"],
  ["the arm of a choose without an id", control(step("x"), step("y")) + read("x"), NOT, "x"],
  ["the arm of a switch", selected(step("x"), step("y")) + read("y"), NOT, "y"],
  ["another arm", choice(step("x"), read("x")), NOT, "x"],
  ["its own choose, from an arm", choice(read("c"), step("y")), NOT, "c"],
  ["the arm of an approval", approval(step("x")) + read("x"), NOT, "x"],
  ["the body of a loop", loop(step("x")) + read("x"), NOT, "x"],
  ["its own loop", loop(read("l")), NOT, "l"],
  ["another branch", fork(step("x"), read("x")) + step("z"), APART, "x"],
  ["another branch, deeper", fork(choice(step("x"), step("y")), control(read("x"), step("w"))) + step("z"), APART, "x"],
  ["a branch that is not waited for", fork(step("x"), step("y"), "b") + read("x"), APART, "x"],
  ["a branch, when none is waited for", fork(step("x"), step("y"), "none") + read("y"), APART, "y"],
  ["an arm in a joined branch", fork(choice(step("x"), step("y")), step("w")) + read("x"), NOT, "x"],
  ["a joined branch, before the fork", read("x") + fork(step("x"), step("y")) + step("z"), NOT, "x"],
  ["a later step, through which it would loop", loop(step("z"), "{{context.steps.x}}") + step("x"), "FOR_EACH_ITEMS_NOT_VISIBLE", "x"],
  ["another branch, through which it would loop", fork(step("x"), loop(step("z"), "{{context.steps.x}}")) + step("w"), APART, "x"],
] as const) {
  test(`a reference does not see ${name}`, () => {
    assert.deepEqual(codes(workflow(steps)), [`WOML_${code}`]);
    assert.deepEqual(marked(workflow(steps)), [mark]);
  });
}

test("the value of a switch and the result of an arm see by the same rule", () => {
  const value = `<switch id="s" value="{{context.steps.x}}"><case value="k">${step("m")}${PAYLOAD}</case><default>${step("n")}${PAYLOAD}</default></switch>`;
  assert.deepEqual(codes(workflow(step("x") + value)), []);
  assert.deepEqual(marked(workflow(value + step("x"))), ["x"]);
  assert.deepEqual(marked(workflow(choice(step("x"), step("y")).replace(PAYLOAD, result("{{context.steps.y}}")))), ["y"]);
});

for (const [name, steps, hint] of [
  ["that comes later", read("x") + step("x"), "It comes later: move it in front of what reads it."],
  [
    "in a choose with an id",
    choice(step("x"), step("y")) + read("x"),
    'It is made in one arm alone: refer to {{context.steps.c}}, whichever arm of "c" is taken.',
  ],
  [
    "in one without",
    control(step("x"), step("y")) + read("x"),
    "It is made in one arm alone: give the <choose> an id and every arm a <result>, and refer to that id.",
  ],
  [
    "in another arm",
    choice(step("x"), read("x")),
    "Only one arm of the <choose> is taken: refer to something before it, or in the same arm.",
  ],
  [
    "in an arm of an approval",
    approval(step("x")) + read("x"),
    "It is made in one arm alone: read it in the same arm, or refer to the decision.",
  ],
  [
    "in a loop",
    loop(step("x")) + read("x"),
    "It is made anew by each iteration: end the loop with a <result>, and refer to {{context.steps.l.results}}.",
  ],
  [
    "in the arm whose test reads it",
    choice(step("x"), step("y")).replace(/test="[^"]*"/, 'test="{{context.steps.x}}"'),
    "It is made in this <when>, which is entered when this has been read: refer to something before it.",
  ],
  [
    "in the loop whose items read it",
    loop(step("x")).replace(/items="[^"]*"/, 'items="{{context.steps.x}}"'),
    "It is made in this <for-each>, which is entered when this has been read: refer to something before it.",
  ],
  ["around what reads it", choice(read("c"), step("y")), "It is there only when what reads it has ended: refer to something before it."],
  [
    "in an arm in a joined branch",
    fork(choice(step("x"), step("y")), step("w")) + read("x"),
    'It is made in one arm alone: refer to {{context.steps.c}}, whichever arm of "c" is taken.',
  ],
] as const) {
  test(`what helps against a reference to an output ${name}`, () => {
    assert.deepEqual(
      check(workflow(steps)).diagnostics.map(({ hint }) => hint),
      [hint],
    );
  });
}

test("an id that is nearly one is told", () => {
  const [diagnostic] = check(workflow(step("customer") + read("custmer"))).diagnostics;
  assert.equal(diagnostic?.hint, "Did you mean customer?");
});

test("the id inside a reference is found behind entities", () => {
  const text = workflow(step("a", "", 'name="&amp;"') + read("nobody"));
  assert.deepEqual(marked(text), ["nobody"]);
});

function scriptOf(element: Element, id: string): Element | null {
  if (element.name === "script" && textOf(element.parent ?? element, "id") === id) return element;
  for (const child of elementsOf(element)) {
    const found = scriptOf(child, id);
    if (found) return found;
  }
  return null;
}

test("what a script sees, and what its ids stand for", () => {
  const text = workflow(`${step("o")}${parallel}${fork(step("m"), step("n"), "a")}${loop(step("i"))}${step("z")}<stepp id="q" />`);
  const { document } = open({ path: "flow.woml", text }, NO_PROJECT);
  assert.ok(document.root);
  const visibility = visibilityOf(document);
  const seen = (at: string): string =>
    [...idsOf(document).keys()].filter((id) => visibility.sees(scriptOf(document.root, at) ?? document.root, id)).join(" ");
  assert.equal(seen("o"), "");
  assert.equal(seen("x"), "o");
  assert.equal(seen("n"), "o x y");
  assert.equal(seen("i"), "o x y m");
  assert.equal(seen("z"), "o x y m l");
  assert.deepEqual(
    [...idsOf(document)].map((entry) => entry.join(" ")),
    ["o step", "g parallel", "x step", "y step", "f fork", "m step", "n step", "l for-each", "i step", "z step", "q unknown"],
  );
});

test("a loop's own places see item and iteration, its items and what is behind it do not", () => {
  for (const value of ["{{context.item}}", "{{context.item.a.b}}", "{{context.iteration.index}}", "{{context.iteration.total}}"]) {
    const chosen = `<choose id="c"><when test="${value}">${step("m")}${result(value)}</when><otherwise>${step("n")}${PAYLOAD}</otherwise></choose>`;
    assert.deepEqual(codes(workflow(loop(chosen))), []);
    assert.deepEqual(codes(workflow(chosen)), ["WOML_ITERATION_REFERENCE_OUTSIDE_FOR_EACH", "WOML_ITERATION_REFERENCE_OUTSIDE_FOR_EACH"]);
  }
});

test("props of reusable tags are judged where the tag stands", () => {
  const files = new Map([["tax.woml", '<woml><props><prop name="rate" /></props><step><script>return props.rate;</script></step></woml>']]);
  const judged = (steps: string): readonly string[] => {
    const text = workflow(steps).replace("<woml>", '<woml><imports><module name="add-tax" from="./tax.woml" /></imports>');
    return compile({ path: "flow.woml", text }, { files, modules: new Map() }).diagnostics.map(({ code }) => code);
  };
  const tag = (value: string): string => `<add-tax id="t" rate="${value}" />`;
  assert.deepEqual(judged(step("x") + tag("{{context.steps.x.rate}}")), []);
  assert.deepEqual(judged(loop(tag("{{context.item.rate}}"))), []);
  assert.deepEqual(judged(tag("{{context.steps.x}}") + step("x")), ["WOML_REUSABLE_PROP_CONTEXT_UNAVAILABLE"]);
  assert.deepEqual(judged(tag("{{context.steps.nobody}}")), ["WOML_UNKNOWN_REFERENCE"]);
  assert.deepEqual(judged(tag("{{context.item}}")), ["WOML_ITERATION_REFERENCE_OUTSIDE_FOR_EACH"]);
  assert.deepEqual(judged(`<parallel id="g">${step("x")}${tag("{{context.steps.x}}")}</parallel>${step("z")}`), [
    "WOML_REUSABLE_PROP_CONTEXT_UNAVAILABLE",
  ]);
});
