import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Findings } from "../findings.ts";
import { compile } from "../index.ts";
import { parse } from "../parser.ts";
import { print } from "../print.ts";
import { PROJECT, workflowOf, write } from "./flows.ts";

function printed(text: string): string {
  const findings = new Findings();
  const root = parse(text, findings);
  assert.ok(root && !findings.hasError);
  return print(root, text);
}

for (const [name, text, expected] of [
  ["an element a line, indented", "<woml><a><b/></a><c></c></woml>", "<woml>\n  <a>\n    <b />\n  </a>\n  <c />\n</woml>\n"],
  ["attributes in their order, with one kind of quote", "<a y='1'\n\tx=\"it's\"/>", '<a y="1" x="it\'s" />\n'],
  ["entities, and what only looks like one", "<a x='&lt;&amp;lt;&#9;&nope;\"'/>", '<a x="&lt;&amp;lt;&amp;#9;&amp;nope;&quot;" />\n'],
  ["no comments", "<!-- a --><a><!-- b --></a><!-- c -->", "<a />\n"],
  [
    "scripts as they are",
    "<a><script>\r\n if (1 < 2) '&lt;<b>'\t\n</script></a>",
    "<a>\n  <script>\r\n if (1 < 2) '&lt;<b>'\t\n</script>\n</a>\n",
  ],
  ["an empty script, and none", "<a><script></script><script/></a>", "<a>\n  <script></script>\n  <script />\n</a>\n"],
  [
    "schemas as they are",
    '<a><schema> {"a": <!-- b -->1,\n"c": "&amp;"} </schema></a>',
    '<a>\n  <schema> {"a": 1,\n"c": "&amp;"} </schema>\n</a>\n',
  ],
  ["text where none belongs", "<a> x <b/> y\n</a>", "<a>\n  x\n  <b />\n  y\n</a>\n"],
] as const) {
  test(`printed: ${name}`, () => {
    assert.equal(printed(text), expected);
    assert.equal(printed(expected), expected);
  });
}

test("what is printed means the same, and is printed the same again", () => {
  fc.assert(
    fc.property(fc.infiniteStream(fc.nat(999)), fc.nat(3), (stream, depth) => {
      const draw = (): number => stream.next().value ?? 0;
      const text = write(workflowOf(draw, depth).root, draw);
      const canonical = printed(text);
      assert.equal(printed(canonical), canonical);
      const made = [text, canonical].map((source) => compile({ path: "flow.woml", text: source }, PROJECT).definition);
      assert.ok(made[0]);
      assert.deepEqual(made[1], made[0]);
    }),
    { numRuns: 100 },
  );
});
