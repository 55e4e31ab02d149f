import assert from "node:assert/strict";
import { test } from "node:test";
import { importing, module, provider, told, withImports } from "./definitions.ts";
import { step, workflow } from "./sources.ts";

const asking = (chat: string): string =>
  importing(`<approval id="a"><notify>${chat}</notify><when-approved /><when-rejected /></approval>`);
const telling = (chat: string): string =>
  importing(step("a"), `<lifecycle><on-error><notify>${chat}</notify></on-error></lifecycle><triggers><manual id="go" /></triggers>`);

test("a provider's tag stands in the <notify> of an approval or of a hook", () => {
  assert.deepEqual(told(asking('<chat room="a" />')), []);
  assert.deepEqual(told(asking('<chat room="{{context.payload.room}}" token="{{secrets.T}}" />')), []);
  assert.deepEqual(told(telling('<chat room="a" message="It failed: {{lifecycle.failure.code}}" />')), []);
});

const CHAT = '<chat room="a" />';
const MISPLACED = [
  importing(CHAT + step("a")),
  importing(`<parallel id="p">${CHAT}${step("s")}</parallel>${step("z")}`),
  importing(step("a"), `<triggers><manual id="go" />${CHAT}</triggers>`),
  importing(step("a"), `<lifecycle><on-error>${CHAT}<script>1</script></on-error></lifecycle><triggers><manual id="go" /></triggers>`),
  importing(`<approval id="a">${CHAT}<when-approved /><when-rejected /></approval>`),
];
for (const text of MISPLACED) {
  test(`elsewhere it may not stand: ${text.slice(text.indexOf("<workflow"))}`, () => {
    assert.ok(told(text).includes(`WOML_REUSABLE_PROVIDER_PLACEMENT_INVALID ${CHAT}`), told(text).join("\n"));
  });
}

const BAD = [
  [asking("<chat />"), "WOML_REUSABLE_PROP_REQUIRED", "<chat />"],
  [asking('<chat room="a" rom="b" />'), "WOML_REUSABLE_PROP_UNKNOWN", "rom"],
  [asking('<chat room="a" id="b" />'), "WOML_REUSABLE_PROP_UNKNOWN", "id"],
  [asking('<chat room="a" name="b" />'), "WOML_REUSABLE_PROP_UNKNOWN", "name"],
  [asking('<chat room="a" retry="2" />'), "WOML_REUSABLE_PROP_UNKNOWN", "retry"],
  [asking('<chat room="a" token="abc" />'), "WOML_REUSABLE_SECRET_PROP_INVALID", "abc"],
  [asking('<chat room="{{secrets.T}}" />'), "WOML_REUSABLE_SECRET_PROP_UNDECLARED", "{{secrets.T}}"],
  [asking('<chat room="{{context.payload.a}}!" />'), "WOML_REUSABLE_PROP_VALUE_INVALID", "{{context.payload.a}}!"],
  [asking('<chat room="{{context.steps.nobody}}" />'), "WOML_UNKNOWN_REFERENCE", "nobody"],
  [asking('<chat room="{{context.steps.a.decision}}" />'), "WOML_REUSABLE_PROP_CONTEXT_UNAVAILABLE", "a"],
  [asking('<chat room="a">hello</chat>'), "WOML_REUSABLE_TAG_CHILDREN_UNSUPPORTED", "hello"],
  [telling('<chat room="{{context.steps.nobody}}" message="m" />'), "WOML_UNKNOWN_REFERENCE", "nobody"],
  [telling('<chat room="{{context.item}}" message="m" />'), "WOML_ITERATION_REFERENCE_OUTSIDE_FOR_EACH", "{{context.item}}"],
  [telling('<chat room="a" />'), "WOML_REUSABLE_PROVIDER_MESSAGE_REQUIRED", '<chat room="a" />'],
  [telling('<chat room="a" message="" />'), "WOML_PROVIDER_MESSAGE_INVALID", ""],
  [telling('<chat room="a" message="{{secrets.T}}" />'), "WOML_SECRET_SINK_UNSUPPORTED", "{{secrets.T}}"],
] as const;
for (const [text, code, mark] of BAD) {
  test(`${code}: ${text.slice(text.indexOf("<chat"), text.indexOf("</notify>"))}`, () => {
    assert.deepEqual(told(text), [`${code} ${mark}`]);
  });
}

test("a hook's provider may be given any output, but not that of what has none", () => {
  const more = (id: string): string =>
    `<lifecycle><on-error><notify><chat room="{{context.steps.${id}.a}}" message="m" /></notify></on-error></lifecycle>`;
  const steps = `<parallel id="p">${step("q")}</parallel>${step("z")}`;
  assert.deepEqual(told(importing(steps, `${more("q")}<triggers><manual id="go" /></triggers>`)), []);
  assert.deepEqual(told(importing(steps, `${more("p")}<triggers><manual id="go" /></triggers>`)), [
    "WOML_REUSABLE_PROP_CONTEXT_UNAVAILABLE p",
  ]);
});

test("an approval says itself what it asks", () => {
  assert.deepEqual(told(asking('<chat room="a" message="hello" />')), ["WOML_REUSABLE_PROP_UNKNOWN message"]);
});

test("of a provider's tag every attribute is a prop, whatever its name", () => {
  const files = { "p.woml": provider('<prop name="id" /><prop name="version" /><prop name="retry" />') };
  const chat = '<p-p id="Not an id!" version="" retry="99" />';
  const text = workflow(`<approval id="a"><notify>${chat}</notify><when-approved /><when-rejected /></approval>`);
  assert.deepEqual(told(withImports(module("p-p", "./p.woml"), text), files), []);
});
