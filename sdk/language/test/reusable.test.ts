import assert from "node:assert/strict";
import { test } from "node:test";
import { checkWith, definition, FILES, importing, module, provider, told, withImports } from "./definitions.ts";
import { choose, result, step, workflow } from "./sources.ts";

const TAX = '<add-tax id="t" price="1" />';

test("a tag stands wherever a step may", () => {
  const two = (item: string): string =>
    choose("c", "{{context.payload.a}}", [`${item}${result("{{context.steps.t}}")}`, step("o") + result("{{context.steps.o}}")]);
  const places = [
    TAX,
    two(TAX),
    `<parallel id="p">${TAX}${step("s")}</parallel>${step("z")}`,
    `<choose><when test="{{context.payload.a}}">${TAX}</when><otherwise>${step("o")}</otherwise></choose>${step("z")}`,
    `<switch value="{{context.payload.a}}"><case value="x">${TAX}</case><default>${step("o")}</default></switch>${step("z")}`,
    `<fork id="f"><branch id="b">${TAX}</branch></fork>${step("z")}`,
    `<for-each id="l" items="{{context.payload.a}}"><add-tax id="t" price="{{context.item.p}}" /></for-each>`,
    `<approval id="a"><when-approved>${TAX}</when-approved><when-rejected /></approval>`,
  ];
  for (const steps of places) assert.deepEqual(told(importing(steps)), [], steps);
});

const MISPLACED = [
  ["<triggers>", workflow(step("a"), `<triggers>${TAX}</triggers>`)],
  ["<config>", workflow(step("a"), `<config>${TAX}</config><triggers><manual id="go" /></triggers>`)],
  ["<workflow>", workflow(step("a"), `${TAX}<triggers><manual id="go" /></triggers>`)],
  ["<woml>", workflow(step("a")).replace("</woml>", `${TAX}</woml>`)],
  ["<imports>", workflow(step("a")).replace("<woml>", `<woml><imports>${module("add-tax", "./lib/add-tax.woml")}${TAX}</imports>`)],
  ["<step>", workflow(`<step id="a"><script>1</script>${TAX}</step>`)],
  [
    "<choose>",
    workflow(
      choose("c", "{{context.payload.a}}", [step("x") + result("{{context.steps.x}}"), step("y") + result("{{context.steps.y}}")]).replace(
        "<otherwise>",
        `${TAX}<otherwise>`,
      ),
    ),
  ],
  ["<notify>", workflow(`<approval id="a"><notify>${TAX}</notify><when-approved /><when-rejected /></approval>`)],
] as const;
for (const [place, text] of MISPLACED) {
  test(`a step's tag may not stand in ${place}`, () => {
    const whole = text.includes("<imports>") ? text : withImports(module("add-tax", "./lib/add-tax.woml"), text);
    assert.ok(told(whole).includes(`WOML_REUSABLE_STEP_PLACEMENT_INVALID ${TAX}`), told(whole).join("\n"));
  });
}

test("a tag that nothing imports is no element", () => {
  assert.deepEqual(told(workflow(TAX)), [`WOML_UNKNOWN_ELEMENT ${TAX}`]);
  assert.deepEqual(told(importing(`${TAX}<add-tex id="u" price="2" />`)), ['WOML_UNKNOWN_ELEMENT <add-tex id="u" price="2" />']);
});

test("a tag has an id of the workflow's, and what else a step has", () => {
  assert.deepEqual(told(importing('<add-tax price="1" />')), ['WOML_MISSING_ATTRIBUTE <add-tax price="1" />']);
  assert.deepEqual(told(importing('<add-tax id="T" price="1" />')), ["WOML_INVALID_ID T"]);
  assert.deepEqual(told(importing(step("t") + TAX)), ["WOML_DUPLICATE_ID t"]);
  assert.deepEqual(told(importing(TAX + step("t"))), ["WOML_DUPLICATE_ID t"]);
  assert.deepEqual(told(importing('<add-tax id="t" price="1" name=" " />')), ["WOML_EMPTY_METADATA  "]);
  assert.deepEqual(told(importing('<add-tax id="t" price="1" retry="11" />')), ["WOML_RETRY_INVALID 11"]);
  assert.deepEqual(told(importing('<add-tax id="t" price="1" retry-delay="1s" />')), ["WOML_RETRY_BACKOFF_REQUIRES_RETRY retry-delay"]);
  assert.deepEqual(told(importing('<add-tax id="t" price="1" timeout="1s" />')), ["WOML_REUSABLE_PROP_UNKNOWN timeout"]);
});

test("a tag holds nothing, and what it holds is not looked into", () => {
  const code = "WOML_REUSABLE_TAG_CHILDREN_UNSUPPORTED";
  assert.deepEqual(told(importing('<plain id="t"> </plain>')), []);
  assert.deepEqual(told(importing('<plain id="t"><!-- none --></plain>')), []);
  assert.deepEqual(told(importing('<plain id="t"> text </plain>')), [`${code} text`]);
  assert.deepEqual(told(importing('<plain id="t"><script>import "x"</script></plain>')), [`${code} <script>`]);
  assert.deepEqual(told(importing('<plain id="t"><what /><step id="t" /></plain>')), [`${code} <what />`]);
});

test("the output of a tag is there for whatever comes after it", () => {
  const test_ = (id: string): string =>
    `<choose><when test="{{context.steps.${id}.a}}">${step("x")}</when><otherwise>${step("y")}</otherwise></choose>${step("z")}`;
  assert.deepEqual(told(importing(TAX + test_("t"))), []);
  assert.deepEqual(told(importing(test_("t") + TAX)), ["WOML_REFERENCE_NOT_DOMINATING t"]);
});

test("an import that cannot be used is said once, and its tags are known", () => {
  const one = (from: string, files: Readonly<Record<string, string>>): readonly string[] =>
    told(withImports(module("x-y", from), workflow('<x-y id="t" what="1" />')), files);
  assert.deepEqual(one("./nope.woml", {}), ["WOML_REUSABLE_SOURCE_NOT_FOUND ./nope.woml"]);
  assert.deepEqual(one("./w.woml", { "w.woml": workflow(step("a")) }), ["WOML_REUSABLE_WORKFLOW_IMPORT_FORBIDDEN ./w.woml"]);
  assert.deepEqual(one("./flow.woml", {}), ["WOML_REUSABLE_WORKFLOW_IMPORT_FORBIDDEN ./flow.woml"]);
  assert.deepEqual(one("./d.woml", { "d.woml": definition("", "return (;") }), ["d.woml: WOML_SCRIPT_SYNTAX_INVALID ;"]);
  assert.deepEqual(one("./d.woml", { "d.woml": "<woml><step>" }).length, 1);
  assert.deepEqual(one("./d.woml", { "d.woml": "<woml />" }), ["d.woml: WOML_DOCUMENT_STRUCTURE_INVALID <woml />"]);
});

test("an absent file is told as its reader says", () => {
  const absent = { code: "WOML_MODULE_PROJECT_BOUNDARY", message: "It is outside.", hint: "Move it." };
  const text = withImports(module("x-y", "../d.woml"));
  assert.deepEqual(told(text, { "../d.woml": absent }), ["WOML_MODULE_PROJECT_BOUNDARY ../d.woml"]);
  assert.equal(checkWith(text, { "../d.woml": absent }).diagnostics[0]?.message, "It is outside.");
});

test("what is imported for nothing is a warning, but not beside an error", () => {
  const unused = withImports(module("add-tax", "./lib/add-tax.woml"));
  assert.deepEqual(told(unused), ['WOML_MODULE_UNUSED <module name="add-tax" from="./lib/add-tax.woml" />']);
  assert.notEqual(checkWith(unused).definition, null);
  assert.deepEqual(told(unused.replace("return 1;", "return (;")), ["WOML_SCRIPT_SYNTAX_INVALID ;"]);
});

test("the names of chat providers may be taken, with a warning", () => {
  const text = withImports(module("telegram", "./lib/plain.woml"), workflow('<telegram id="t" />'));
  assert.deepEqual(told(text), ["WOML_BUILTIN_PROVIDER_SHADOWED telegram"]);
  const chat = `<approval id="a"><notify><discord room="x" /></notify><when-approved /><when-rejected /></approval>`;
  assert.deepEqual(told(withImports(module("discord", "./lib/chat.woml"), workflow(chat))), ["WOML_BUILTIN_PROVIDER_SHADOWED discord"]);
  for (const name of ["slack", "step", "on-failure"]) {
    assert.deepEqual(told(withImports(module(name, "./lib/plain.woml"))), [`WOML_REUSABLE_ALIAS_RESERVED ${name}`]);
  }
});

test("a document of a definition alone has neither errors nor a definition", () => {
  for (const text of [...Object.values(FILES), definition("", "return 1;"), provider()]) {
    const { diagnostics, definition: made, sourceMap, spans } = checkWith(String(text), {});
    assert.deepEqual([diagnostics, made, sourceMap, spans], [[], null, null, null]);
  }
});

test("what a definition imports is usable in it alone", () => {
  const files = {
    "lib/a.woml": withImports(module("b-b", "./b.woml"), definition("", "return 1;")),
    "lib/b.woml": definition("", "return 2;"),
  };
  const text = withImports(module("a-a", "./lib/a.woml"), workflow('<a-a id="x" /><b-b id="y" />'));
  assert.deepEqual(told(text, files), [
    'WOML_UNKNOWN_ELEMENT <b-b id="y" />',
    'lib/a.woml: WOML_MODULE_UNUSED <module name="b-b" from="./b.woml" />',
  ]);
});

test("every document is judged once, in the order in which they are named", () => {
  const broken = definition("", "return (;");
  const files = {
    "a.woml": withImports(module("c-c", "./c.woml"), definition("", "return 1;")),
    "b.woml": withImports(module("c-c", "./c.woml"), broken),
    "c.woml": broken,
  };
  const text = withImports(module("a-a", "./a.woml") + module("b-b", "./b.woml"), workflow('<a-a id="x" /><b-b id="y" />'));
  const answer = told(text, files);
  assert.deepEqual(
    answer.filter((line) => line.includes("SYNTAX")),
    ["c.woml: WOML_SCRIPT_SYNTAX_INVALID ;", "b.woml: WOML_SCRIPT_SYNTAX_INVALID ;"],
  );
  assert.equal(checkWith(text, files).definition, null);
});

test("definitions that import each other are refused where the circle closes", () => {
  const part = (name: string): string => withImports(module("x-x", `./${name}.woml`), definition("", "return 1;"));
  const text = withImports(module("a-a", "./a.woml"), workflow('<a-a id="x" />'));
  assert.deepEqual(told(text, { "a.woml": part("a") }), ["a.woml: WOML_REUSABLE_IMPORT_CYCLE ./a.woml"]);
  const three = { "a.woml": part("b"), "b.woml": part("c"), "c.woml": part("a") };
  assert.deepEqual(
    told(text, three).filter((line) => !line.includes("UNUSED")),
    ["c.woml: WOML_REUSABLE_IMPORT_CYCLE ./a.woml"],
  );
  assert.deepEqual(told(part("flow"), {}), ["WOML_REUSABLE_IMPORT_CYCLE ./flow.woml"]);
});
