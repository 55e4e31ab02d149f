import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { accept, canonical, unsupported } from "@woml/model";
import { tried } from "@woml/model/testing";
import fc from "fast-check";
import { type Compiled, compile, outline, render } from "../index.ts";
import { PROJECT, workflowOf, write } from "./flows.ts";
import { check, step, workflow } from "./sources.ts";

const DIR = join(import.meta.dirname, "../../../e2e/conformance/documents");
const example = readFileSync(join(import.meta.dirname, "../../../examples/order-router.woml"), "utf8");
const corpus = readdirSync(DIR).filter((name) => name.endsWith(".woml"));
const using = `<woml><imports><uses capability="acme.pay" version="^1" as="pay"/></imports>${workflow(
  step("one", "return services.pay.charge({ key: secrets.KEY }, { name: 'once' });") +
    step("two", "return await fetch(context.payload.url);"),
).slice("<woml>".length)}`;
const documents = [example, using, using, ...corpus.map((name) => readFileSync(join(DIR, name), "utf8"))];

/** What holds of every answer, whatever the text. */
function judge(text: string, { diagnostics, definition, sourceMap, spans }: Compiled): void {
  const isWrong = diagnostics.some(({ severity }) => severity === "error");
  // A reusable definition may be sound, and makes none.
  if (definition) assert.ok(!isWrong);
  else assert.ok(isWrong || outline({ path: "flow.woml", text }, () => undefined).defines !== "workflow");
  assert.equal(sourceMap === null, definition === null);
  assert.equal(spans === null, definition === null);
  assert.ok(diagnostics.length <= 101);
  let last = 0;
  for (const diagnostic of diagnostics) {
    const { start, end, message, hint } = diagnostic;
    assert.ok(start && end && start.offset <= end.offset && end.offset <= text.length);
    assert.ok(start.offset >= last);
    last = start.offset;
    const before = text.slice(0, start.offset);
    assert.equal(start.line, before.split("\n").length);
    assert.equal(start.column, start.offset - before.lastIndexOf("\n"));
    assert.ok(message.endsWith(".") && hint !== null);
    assert.doesNotMatch(render(diagnostic, text).replaceAll("\n", ""), /\p{Cc}/u);
  }
  if (definition) assert.deepEqual(accept(JSON.parse(canonical(definition))), { definition });
}

const piece = fc.oneof(
  fc.constantFrom(
    "<",
    ">",
    "/",
    '"',
    "'",
    "=",
    "{{",
    "}}",
    "</script>",
    "<script>",
    "<!--",
    "-->",
    "<?",
    "<![CDATA[",
    "]]>",
    "\0",
    "\ud800",
    "\n",
  ),
  fc.constantFrom(
    "<step>",
    "</step>",
    "<choose>",
    "</when>",
    "<otherwise>",
    "<parallel id='p'>",
    "</parallel>",
    "<result />",
    " id='a'",
    "<switch value='{{context.payload}}'>",
    "<case value='a'>",
    "<for-each id='l' items='{{context.payload}}'>",
    "<approval id='p'>",
    "<when-approved>",
    "<branch id='b'>",
    " join='all'",
    " retry='2'",
  ),
  fc.constantFrom(
    "context",
    ".steps",
    "await ",
    "(",
    "}",
    "`",
    "fetch",
    "services",
    ".http",
    ".pay.charge()",
    "secrets",
    ".KEY",
    "{{context.steps.a}}",
    "<fork id='f'/>",
  ),
  fc.string({ maxLength: 5, unit: "binary" }),
);
const edit = fc.record({ at: fc.nat(), cut: fc.nat(12), piece });

test("a mutated document is answered, never thrown at", () => {
  fc.assert(
    fc.property(fc.constantFrom(...documents), fc.array(edit, { minLength: 1, maxLength: 4 }), (document, edits) => {
      const text = edits.reduce((before, { at, cut, piece }) => {
        const place = at % (before.length + 1);
        return before.slice(0, place) + piece + before.slice(place + cut);
      }, document);
      judge(text, check(text));
    }),
    { numRuns: tried(3_000) },
  );
});

test("so is any text", () => {
  fc.assert(fc.property(fc.array(piece), (pieces) => judge(pieces.join(""), check(pieces.join("")))));
});

test("a workflow of every construct compiles, and to the same definition however it is written", () => {
  fc.assert(
    fc.property(fc.infiniteStream(fc.nat(999)), fc.nat(3), (stream, depth) => {
      const draw = (): number => stream.next().value ?? 0;
      const { root } = workflowOf(draw, depth);
      const [first, second] = [0, 1].map(() => compile({ path: "flow.woml", text: write(root, draw) }, PROJECT));
      assert.deepEqual(
        first?.diagnostics.filter(({ severity }) => severity === "error"),
        [],
      );
      assert.ok(first?.definition);
      assert.deepEqual(second?.definition, first.definition);
      for (const { subject } of unsupported(first.definition)) assert.ok(first.spans?.subjects.has(subject), subject);
    }),
    { numRuns: tried(200) },
  );
});

const UNSEEN: ReadonlySet<string> = new Set([
  "WOML_UNKNOWN_REFERENCE",
  "WOML_REFERENCE_NOT_DOMINATING",
  "WOML_FORK_REFERENCE_NOT_VISIBLE",
  "WOML_FOR_EACH_ITEMS_NOT_VISIBLE",
  "WOML_REUSABLE_PROP_CONTEXT_UNAVAILABLE",
]);

test("of references to anything, each that cannot see it is refused once, and nothing else is", () => {
  fc.assert(
    fc.property(fc.infiniteStream(fc.nat(999)), fc.nat(3), (stream, depth) => {
      const draw = (): number => stream.next().value ?? 0;
      const { root, refused } = workflowOf(draw, depth, true);
      const { diagnostics, definition } = compile({ path: "flow.woml", text: write(root, draw) }, PROJECT);
      const errors = diagnostics.filter(({ severity }) => severity === "error");
      assert.equal(definition === null, refused > 0);
      if (refused > 90) return;
      assert.ok(errors.every(({ code }) => UNSEEN.has(code)));
      assert.equal(errors.length, refused);
    }),
    { numRuns: tried(200) },
  );
});

test("the path of a source is no part of its definition", () => {
  const made = ["a.woml", "b/c.woml"].map((path) => compile({ path, text: example }));
  assert.deepEqual(made[0]?.definition, made[1]?.definition);
  assert.equal(made[1]?.sourceMap?.file, "b/c.woml");
});
