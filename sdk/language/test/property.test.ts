import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { accept, canonical } from "@woml/model";
import fc from "fast-check";
import { type Compiled, compile, render } from "../index.ts";
import { check, choose, result, step, workflow } from "./sources.ts";

const DIR = join(import.meta.dirname, "conformance");
const example = readFileSync(join(import.meta.dirname, "../../../examples/order-router.woml"), "utf8");
const corpus = readdirSync(DIR).filter((name) => name.endsWith(".woml"));
const using = `<woml><imports><uses capability="acme.pay" version="^1" as="pay"/></imports>${workflow(
  step("one", "return services.pay.charge({ key: secrets.KEY }, { name: 'once' });") +
    step("two", "return await fetch(context.payload.url);"),
).slice("<woml>".length)}`;
const documents = [example, using, using, ...corpus.map((name) => readFileSync(join(DIR, name), "utf8"))];

/** What holds of every answer, whatever the text. */
function judge(text: string, { diagnostics, definition, sourceMap, spans }: Compiled): void {
  assert.equal(
    definition === null,
    diagnostics.some(({ severity }) => severity === "error"),
  );
  assert.equal(sourceMap === null, definition === null);
  assert.equal(spans === null, definition === null);
  assert.ok(diagnostics.length <= 501);
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
    { numRuns: 3_000 },
  );
});

test("so is any text", () => {
  fc.assert(fc.property(fc.array(piece), (pieces) => judge(pieces.join(""), check(pieces.join("")))));
});

/** Valid flows: every reference names something that is there, every id is new. */
function flow(draw: () => number, depth: number): string {
  let next = 0;
  const items = (level: number, seen: readonly string[]): string => {
    const known = [...seen];
    const fresh = (): string => `n${next++}`;
    const reference = (): string => (known.length > 0 ? `{{context.steps.${known[draw() % known.length]}.x}}` : "{{context.payload.x}}");
    const item = (): string => {
      const id = fresh();
      const kind = level > 0 ? draw() % 3 : 0;
      const written =
        kind === 0
          ? step(id, `return context.steps.${known[0] ?? "none"};`)
          : kind === 1
            ? `<parallel id="${id}">${step(`${id}a`)}${step(`${id}b`)}</parallel>`
            : choose(id, reference(), [items(level - 1, known) + result(reference()), items(level - 1, known) + result(reference())]);
      known.push(...(kind === 1 ? [`${id}a`, `${id}b`] : [id]));
      return written;
    };
    return Array.from({ length: 1 + (draw() % 3) }, item).join("");
  };
  return items(depth, []) + step("last");
}

test("every flow whose references are dominated compiles, and the same however it is laid out", () => {
  fc.assert(
    fc.property(fc.infiniteStream(fc.nat(1_000)), fc.nat(3), (stream, depth) => {
      const text = workflow(flow(() => stream.next().value ?? 0, depth));
      const { definition, diagnostics } = check(text);
      assert.deepEqual(diagnostics, []);
      const spread = text.replace(/<(?!\/script)(?=\/?[a-z])/g, "\n<!-- - --><");
      assert.deepEqual(check(spread).definition, definition);
    }),
    { numRuns: 300 },
  );
});

test("the path of a source is no part of its definition", () => {
  const made = ["a.woml", "b/c.woml"].map((path) => compile({ path, text: example }));
  assert.deepEqual(made[0]?.definition, made[1]?.definition);
  assert.equal(made[1]?.sourceMap?.file, "b/c.woml");
});
