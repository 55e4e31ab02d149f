import assert from "node:assert/strict";
import { test } from "node:test";
import { accept, canonical } from "@woml/model";
import fc from "fast-check";
import { checkWith, definition, module, provider, withImports } from "./definitions.ts";
import { step, workflow } from "./sources.ts";

const steps = [
  '<a-a id="t" price="{{context.payload.p}}" key="{{secrets.K}}" retry="2" />',
  `<parallel id="p"><a-a id="u" price="1" key="{{secrets.K}}" />${step("s")}</parallel>`,
  '<approval id="q"><notify><p-p room="{{context.steps.t.x}}" /></notify><when-approved /><when-rejected /></approval>',
  '<for-each id="l" items="{{context.payload.l}}"><b-b id="v" of="{{context.item.x}}" /></for-each>',
].join("");
const hook = '<lifecycle><on-error><notify><p-p room="r" message="{{lifecycle.failure.code}}" /></notify></on-error></lifecycle>';
const imports = module("a-a", "./lib/a.woml") + module("b-b", "./lib/b.woml") + module("p-p", "./p.woml");
const SOURCES: Readonly<Record<string, string>> = {
  "flow.woml": withImports(imports, workflow(steps, `${hook}<triggers><manual id="go" /></triggers>`)),
  "lib/a.woml": definition(
    '<prop name="price" required="true" /><prop name="key" required="true" secret="true" />',
    "return props.price;",
    "<lifecycle><on-success><script>await fetch('x')</script></on-success></lifecycle>",
  ),
  "lib/b.woml": withImports(module("c-c", "./a.woml"), definition('<prop name="of" />', "return context.steps.t;")),
  "p.woml": provider('<prop name="room" required="true" />'),
};
const PIECES = [
  ...["<", ">", '"', "=", "{{", "}}", "</script>", "<script>", "<!--", "-->", " id='t'", "<step>", "<provider kind='notification'>"],
  ...["<props>", "<prop name='x'/>", "<a-a id='t'/>", "<p-p/>", "<b-b>", "</b-b>", "./lib/b.woml", "../", "{{context.steps.v}}"],
  ...["{{context.item}}", "{{secrets.K}}", "name", "workflow", "required", "true", "false", "p.woml", "key", "telegram"],
];

/** One place of one document, what is taken from there, and what is put there. */
const change = fc.record({
  file: fc.constantFrom(...Object.keys(SOURCES)),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  cut: fc.integer({ min: 0, max: 30 }),
  put: fc.constantFrom("", ...PIECES),
});

function changed(changes: readonly { file: string; at: number; cut: number; put: string }[]): Readonly<Record<string, string>> {
  const sources = { ...SOURCES };
  for (const { file, at, cut, put } of changes) {
    const text = sources[file] ?? "";
    const start = Math.floor(at * text.length);
    sources[file] = text.slice(0, start) + put + text.slice(start + cut);
  }
  return sources;
}

test("the documents are sound as they stand", () => {
  const { diagnostics, definition: made } = checkWith(SOURCES["flow.woml"] ?? "", SOURCES);
  assert.deepEqual(
    diagnostics.map(({ file, code }) => `${file} ${code}`),
    ["lib/b.woml WOML_MODULE_UNUSED"],
  );
  assert.ok(made);
});

test("whatever becomes of the documents, every remark stands in one of them, and what is made is accepted", () => {
  const property = fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
    const sources = changed(changes);
    const { diagnostics, definition: made } = checkWith(sources["flow.woml"] ?? "", sources);
    assert.equal(
      made === null,
      diagnostics.some(({ severity }) => severity === "error"),
    );
    for (const { file, start, end } of diagnostics) {
      const text = sources[file];
      assert.ok(text !== undefined && start && end && start.offset <= end.offset && end.offset <= text.length);
    }
    if (made) assert.deepEqual(accept(JSON.parse(canonical(made))), { definition: made });
  });
  fc.assert(property, { numRuns: 400 });
});
