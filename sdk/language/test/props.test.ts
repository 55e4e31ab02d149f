import assert from "node:assert/strict";
import { test } from "node:test";
import { checkWith, definition, importing, module, told, withImports } from "./definitions.ts";
import { check, codes, marked, step, workflow } from "./sources.ts";

const tax = (attributes: string): string => `<add-tax id="t" ${attributes} />`;
const key = (attributes: string): string => `<with-key id="t" ${attributes} />`;

const GOOD = [
  tax('price="1"'),
  tax('price=""'),
  tax('price="a } b }} c { {"'),
  tax('price="{{context.payload}}"'),
  tax('price="{{context.payload.a.$b}}" country-code="{{context.payload.c}}"'),
  tax('price="{{context.trigger.a}}"'),
  step("s") + tax('price="{{context.steps.s}}"'),
  step("s") + tax('price="{{context.steps.s.total}}" country-code="de"'),
  key('api-key="{{secrets.TOKEN}}"'),
  key('api-key="{{secrets.A1_B}}" note="free"'),
];
for (const steps of GOOD) test(`taken: ${steps}`, () => assert.deepEqual(told(importing(steps)), []));

const BAD = [
  [tax(""), "WOML_REUSABLE_PROP_REQUIRED", tax("")],
  [tax('country-code="de"'), "WOML_REUSABLE_PROP_REQUIRED", tax('country-code="de"')],
  [tax('price="1" vat="2"'), "WOML_REUSABLE_PROP_UNKNOWN", "vat"],
  [tax('price="1" countryCode="2"'), "WOML_REUSABLE_PROP_UNKNOWN", "countryCode"],
  [tax('price="1" message="2"'), "WOML_REUSABLE_PROP_UNKNOWN", "message"],
  [tax('price="1" version="2"'), "WOML_REUSABLE_PROP_UNKNOWN", "version"],
  [tax('price="1" tags="2"'), "WOML_REUSABLE_PROP_UNKNOWN", "tags"],
  [tax('price="{{context.payload.a}} "'), "WOML_REUSABLE_PROP_VALUE_INVALID", "{{context.payload.a}} "],
  [tax('price="{{ context.payload.a }}"'), "WOML_REUSABLE_PROP_VALUE_INVALID", "{{ context.payload.a }}"],
  [tax('price="{{context.payload.items[0]}}"'), "WOML_REUSABLE_PROP_VALUE_INVALID", "{{context.payload.items[0]}}"],
  [
    tax('price="{{context.payload.a}}{{context.payload.b}}"'),
    "WOML_REUSABLE_PROP_VALUE_INVALID",
    "{{context.payload.a}}{{context.payload.b}}",
  ],
  [tax('price="{{context.steps}}"'), "WOML_REUSABLE_PROP_VALUE_INVALID", "{{context.steps}}"],
  [tax('price="{{props.a}}"'), "WOML_REUSABLE_PROP_VALUE_INVALID", "{{props.a}}"],
  [tax('price="{{"'), "WOML_REUSABLE_PROP_VALUE_INVALID", "{{"],
  [tax('price="Bearer {{secrets.TOKEN}}"'), "WOML_REUSABLE_PROP_VALUE_INVALID", "Bearer {{secrets.TOKEN}}"],
  [tax('price="{{secrets.TOKEN}}"'), "WOML_REUSABLE_SECRET_PROP_UNDECLARED", "{{secrets.TOKEN}}"],
  [key('api-key="abc"'), "WOML_REUSABLE_SECRET_PROP_INVALID", "abc"],
  [key('api-key=""'), "WOML_REUSABLE_SECRET_PROP_INVALID", ""],
  [key('api-key="{{secrets.token}}"'), "WOML_REUSABLE_SECRET_PROP_INVALID", "{{secrets.token}}"],
  [key('api-key="{{context.payload.a}}"'), "WOML_REUSABLE_SECRET_PROP_INVALID", "{{context.payload.a}}"],
  [key('api-key="Bearer {{secrets.TOKEN}}"'), "WOML_REUSABLE_SECRET_PROP_INVALID", "Bearer {{secrets.TOKEN}}"],
  [key('api-key="{{secrets.T}}" name="{{secrets.T}}"'), "WOML_SECRET_SINK_UNSUPPORTED", "{{secrets.T}}"],
  [tax('price="{{context.steps.nobody}}"'), "WOML_UNKNOWN_REFERENCE", "nobody"],
  [tax('price="{{context.steps.t.a}}"'), "WOML_REUSABLE_PROP_CONTEXT_UNAVAILABLE", "t"],
  [`${tax('price="{{context.steps.later}}"')}${step("later")}`, "WOML_REUSABLE_PROP_CONTEXT_UNAVAILABLE", "later"],
  [
    `<parallel id="p">${step("s")}${tax('price="{{context.steps.s}}"')}</parallel>${step("z")}`,
    "WOML_REUSABLE_PROP_CONTEXT_UNAVAILABLE",
    "s",
  ],
  [tax('price="{{context.item.a}}"'), "WOML_ITERATION_REFERENCE_OUTSIDE_FOR_EACH", "{{context.item.a}}"],
] as const;
for (const [steps, code, mark] of BAD) {
  test(`${code}: ${steps}`, () => assert.deepEqual(told(importing(steps)), [`${code} ${mark}`]));
}

test("a prop that is written wrongly is not missing too, and the hint says what was meant", () => {
  const { diagnostics } = checkWith(importing(tax('prices="1"')));
  assert.deepEqual(
    diagnostics.map(({ code, hint }) => [code, hint]),
    [["WOML_REUSABLE_PROP_UNKNOWN", "Did you mean price?"]],
  );
  assert.deepEqual(told(importing(tax('vat="1"'))), [`WOML_REUSABLE_PROP_REQUIRED ${tax('vat="1"')}`, "WOML_REUSABLE_PROP_UNKNOWN vat"]);
});

for (const [props, body, mark, hint] of [
  ['<prop name="rate" />', "return props.rat;", "props.rat", /^Did you mean rate\?$/],
  ['<prop name="country-code" />', "return props['country-code'];", "props['country-code']", /^Did you mean countryCode\?$/],
  ['<prop name="rate" />', "return props.vat + props.vat;", "props.vat", /camel case/],
  ["", "return props.rate;", "props.rate", /^Declare it: <props>/],
] as const) {
  test(`a prop that its definition does not declare is warned where a script reads it: ${body}`, () => {
    const text = definition(props, body);
    const [diagnostic, ...more] = check(text).diagnostics;
    assert.deepEqual([diagnostic?.code, diagnostic?.severity], ["WOML_REUSABLE_PROP_UNKNOWN", "warning"]);
    assert.match(diagnostic?.hint ?? "", hint);
    assert.deepEqual(marked(text), [mark]);
    assert.deepEqual(more, []);
  });
}

test("a prop that cannot be told, or that has been reported, is not unknown to a script", () => {
  for (const body of ["return props[attempt.number];", "return props.hasOwnProperty('a');", "const props2 = props; return props2.a;"])
    assert.deepEqual(codes(definition('<prop name="rate" />', body)), []);
  assert.deepEqual(codes(definition('<porp name="rate" />', "return props.rate;")), ["WOML_PROPS_INVALID_CHILD"]);
  assert.deepEqual(codes(definition("<prop />", "return props.rate;")), ["WOML_MISSING_ATTRIBUTE"]);
});

test("a loop gives its item and iteration to props", () => {
  const loop = (value: string): string => `<for-each id="l" items="{{context.payload.a}}">${tax(`price="${value}"`)}</for-each>`;
  for (const value of ["{{context.item}}", "{{context.item.price}}", "{{context.iteration.index}}", "{{context.iteration.total}}"]) {
    assert.deepEqual(told(importing(loop(value))), [], value);
  }
  assert.deepEqual(told(importing(loop("{{context.iteration.count}}"))), ["WOML_REUSABLE_PROP_VALUE_INVALID {{context.iteration.count}}"]);
});

test("a prop may have the name of an attribute that every tag has", () => {
  const files = { "d.woml": definition('<prop name="name" required="true" /><prop name="version" />') };
  const with_ = (attributes: string): string => withImports(module("d-d", "./d.woml"), workflow(`<d-d id="t" ${attributes} />`));
  assert.deepEqual(told(with_('name="N" version=""'), files), []);
  assert.deepEqual(told(with_(""), files), ['WOML_REUSABLE_PROP_REQUIRED <d-d id="t"  />']);
});
