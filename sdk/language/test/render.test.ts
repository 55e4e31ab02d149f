import assert from "node:assert/strict";
import { test } from "node:test";
import { type Diagnostic, render } from "../index.ts";
import { check, step, workflow } from "./sources.ts";

const shown = (text: string): string => {
  const { diagnostics } = check(text);
  return diagnostics.map((diagnostic) => render(diagnostic, text)).join("\n");
};

test("a line for people, the place with the line before it, the hint", () => {
  const text =
    '<woml>\n  <workflow id="w">\r\n    <triggers><manual id="go" /></triggers>\n    <steps>\n      <step id="a" retry="0"><script /></step></steps></workflow></woml>';
  assert.equal(
    shown(text),
    [
      'flow.woml:5:27 error WOML_RETRY_INVALID: "0" is no number of attempts.',
      "  4 |     <steps>",
      '  5 |       <step id="a" retry="0"><script /></step></steps></workflow></woml>',
      "    |                           ^",
      "  hint: An integer of 1 to 10.",
    ].join("\n"),
  );
});

test("before the first line nothing is shown, though it is empty", () => {
  const [, ...frame] = shown("\n<foo/>").split("\n");
  assert.deepEqual(frame.slice(0, 2), ["  2 | <foo/>", "    | ^^^^^^"]);
});

test("a BOM does not shift the marks", () => {
  const [, line = "", marks = ""] = shown("\ufeff<foo/>").split("\n");
  assert.equal(line.indexOf("<foo/>"), marks.indexOf("^"));
  assert.ok(!line.includes("\ufeff"));
});

test("of a long line only the part around the place is shown", () => {
  const lines = shown(workflow(step("a", "x".repeat(5_000)) + step("B") + step("c", "x".repeat(5_000)))).split("\n");
  assert.equal(lines.length, 4);
  assert.ok(lines.every((line) => line.length < 140));
  assert.equal(lines[1]?.[lines[2]?.indexOf("^") ?? 0], "B");
});

test("no character is cut in half", () => {
  for (const before of [0, 1]) {
    const name = `${"x".repeat(before)}${"\u{1f389}".repeat(200)}`;
    assert.ok(shown(workflow(`<step name="${name}" id="B!" description="${name}"><script>return 1;</script></step>`)).isWellFormed());
  }
});

test("a span over several lines is underlined to the end of its first", () => {
  const [, , marks] = shown('<woml><workflow\n id="w" id="w"\n><triggers><manual id="m"/></triggers><steps\n/></workflow></woml>')
    .split("\n")
    .slice(-4);
  assert.match(marks ?? "", /\^{6}$/);
});

test("nothing in a source can write to a terminal", () => {
  const text = workflow(`${step("a", "", 'name="\u001b[2J\u202e" retry="\u001b]0;x\u0007"')}`);
  assert.doesNotMatch(shown(text).replaceAll("\n", ""), /[\p{Cc}\u202e]/u);
});

test("a diagnostic without a place is a line", () => {
  const diagnostic: Diagnostic = {
    file: "a\u001b.woml",
    code: "WOML_X",
    severity: "warning",
    message: "No.",
    hint: null,
    start: null,
    end: null,
  };
  assert.equal(render(diagnostic, ""), "a .woml warning WOML_X: No.");
});
