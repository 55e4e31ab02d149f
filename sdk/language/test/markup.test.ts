import assert from "node:assert/strict";
import { test } from "node:test";
import { SOURCE_LIMIT } from "../index.ts";
import { splitHint } from "../script-end.ts";
import { check, choose, codes, growth, LINEAR, marked, result, step, workflow } from "./sources.ts";

const MALFORMED = "WOML_MALFORMED_MARKUP";
const ATTRIBUTE = "WOML_INVALID_ATTRIBUTE";
const DECLARATION = "WOML_DECLARATION_NOT_ALLOWED";
const ARMS: readonly [string, string] = [step("x") + result("{{context.payload}}"), step("y") + result("{{context.payload}}")];

for (const [name, text, code, mark] of [
  ["nothing", "", MALFORMED, ""],
  ["blanks", " \n", MALFORMED, ""],
  ["only text", "woml", MALFORMED, "woml"],
  ["text before the root", `x${workflow(step("a"))}`, MALFORMED, "x"],
  ["text after the root", `${workflow(step("a"))}\n x `, MALFORMED, "x"],
  ["a second root, at the end of its tag", `${workflow(step("a"))}<woml a=">"></woml>`, MALFORMED, ">"],
  ["a second root that closes itself", `${workflow(step("a"))}<woml />`, "WOML_MULTIPLE_ROOTS", "<woml />"],
  ["a root behind one that closes itself", "<woml/><woml></woml>", "WOML_MULTIPLE_ROOTS", "<woml>"],
  ["text behind a root that closes itself", "<woml/> x ", "WOML_TEXT_OUTSIDE_ROOT", "x"],
  ["a mismatch", "<woml><a></b></woml>", MALFORMED, "</b>"],
  ["a root that is not closed", "<woml><workflow></workflow>", MALFORMED, "<woml>"],
  ["elements that are not closed: the outermost is marked", "<woml><workflow><steps>", MALFORMED, "<woml>"],
  ["a tag without end", "<woml><workflow id='a'", MALFORMED, "<woml>"],
  ["a tag in a tag", "<woml><workflow id='a' <steps></steps></workflow></woml>", ATTRIBUTE, "<steps"],
  ["a tag in a tag, without a blank", "<woml><workflow id='a'<steps x='>'></steps></workflow></woml>", ATTRIBUTE, "<steps"],
  ["a quote that is not closed", "<woml a='></woml>", ATTRIBUTE, " "],
  ["a stray <, behind it", "<woml> < </woml>", MALFORMED, " "],
  ["a < that opens no tag, where that could end", '<woml>a <b"}</woml>', MALFORMED, ">"],
  ["an impossible name", "<woml><1a b='c' /></woml>", MALFORMED, " "],
  ["a name in a name", "<woml><a/b></woml>", MALFORMED, ">"],
  ["no name", "<woml><></woml>", MALFORMED, ">"],
  ["no name in a closing tag", "<woml></ woml>", MALFORMED, " "],
  ["an incomplete closing tag", "<woml></woml x>", MALFORMED, "</"],
  ["a closing tag without end", "<woml></woml ", MALFORMED, ""],
  ["a bare & in text", "<woml>a & b</woml>", MALFORMED, "&"],
  ["a bare & in a schema", "<woml><schema>&lt;&nbsp;&#65;&#x41;&;</schema></woml>", MALFORMED, "&"],
  ["a comment without end", "<woml><!-- </woml>", MALFORMED, "<!--"],
  ["a script without end", "<woml><script a='>'>1 </Script> </script ></woml>", "WOML_UNCLOSED_RAW_BODY", "<script a='>'>"],
  ["a declaration without end", "<woml><?xml </woml>", DECLARATION, "<?"],
] as const) {
  test(`${name} leaves no tree, and is the whole answer`, () => {
    assert.deepEqual(codes(text), [code]);
    assert.deepEqual(marked(text), [mark]);
  });
}

for (const [name, text, code, mark] of [
  ["an XML declaration", `<?xml version="1.0"?>${workflow(step("a"))}`, DECLARATION, '<?xml version="1.0"?>'],
  ["a doctype with a subset", `<!DOCTYPE a [<!ENTITY b "]">\n]>${workflow(step("a"))}`, DECLARATION, '<!DOCTYPE a [<!ENTITY b "]">\n]>'],
  ["CDATA", workflow(`<![CDATA[ </steps> ]]>${step("a")}`), DECLARATION, "<![CDATA[ </steps> ]]>"],
  ["an attribute without value", workflow(step("a", "", "retry")), ATTRIBUTE, "retry"],
  ["an attribute without quotes", workflow(step("a", "", "retry=3")), ATTRIBUTE, "retry"],
  ["an id without quotes, which is not missed", workflow("<step id=a><script /></step>"), ATTRIBUTE, "id"],
  ["attributes without a blank between them", workflow(`<step id="a"name="b"><script /></step>`), ATTRIBUTE, "name"],
  ["an impossible attribute name", workflow(step("a", "", '1x="2"')), ATTRIBUTE, "1x"],
  ["a value without a name", workflow(step("a", "", '="2"')), ATTRIBUTE, '"2"'],
  ["an attribute without an equals sign", workflow(step("a", "", 'retry "3"')), ATTRIBUTE, "retry"],
  ["quotes in a value in quotes", workflow(step("a", "", 'name="say "hello, world" twice"')), ATTRIBUTE, "hello,"],
  ["quotes in a reference", workflow(choose("c", '{{context.payload["a"]}}', ARMS) + step("z")), ATTRIBUTE, 'a"]}}"'],
  ["a value in the place of what is required", workflow(`<step ="a"><script /></step>`), ATTRIBUTE, '"a"'],
  ["an attribute twice", workflow(step("a", "", 'id="b"')), "WOML_DUPLICATE_ATTRIBUTE", "id"],
] as const) {
  test(`${name} is reported, and reading goes on`, () => {
    assert.ok(codes(text).includes(code), codes(text).join());
    assert.equal(marked(text)[codes(text).indexOf(code)], mark);
    const worse = text.replace("</steps></workflow>", '<step id="last" retry="0"><script /></step></steps></workflow>');
    assert.equal(codes(worse).at(-1), "WOML_RETRY_INVALID");
  });
}

test("attribute text: the five entities are decoded, all else stays as typed", () => {
  const name = "&lt;&gt;&amp;&quot;&apos; &#65; &nbsp; & > <\n\t";
  const node = check(workflow(`<step id='a' name='${name}'><script /></step>`)).definition?.nodes[0];
  assert.ok(node?.kind === "step");
  assert.equal(node.name, "<>&\"' &#65; &nbsp; & > <\n\t");
});

test("a script is kept character for character, up to the first literal </script>", () => {
  const body = "\r\n\treturn '<!-- <![CDATA[ <?x <script> &lt; é 🚀';  \r\n";
  const { definition, sourceMap, diagnostics } = check(workflow(step("a", body)));
  assert.deepEqual(diagnostics, []);
  const node = definition?.nodes[0];
  assert.ok(node?.kind === "step");
  assert.equal(node.script.source, body);
  assert.deepEqual(sourceMap?.scripts, { a: { line: 1, column: workflow(step("a", body)).indexOf(body) + 1 } });
});

test("comments, blanks in closing tags, single quotes, a BOM, CRLF", () => {
  const text = `\ufeff<!-- a --><woml >\r\n<workflow id='w'><!-- <script> --><triggers ><manual id = 'm'/></triggers ><steps>\r\n${step("a")}</steps></workflow ></woml>\r\n<!-- b -->`;
  assert.deepEqual(codes(text), []);
});

const hintOf = (body: string): string => {
  const { diagnostics } = check(workflow(step("a", body)));
  assert.deepEqual(
    diagnostics.map(({ code }) => code),
    [MALFORMED],
    body,
  );
  return diagnostics[0]?.hint ?? "";
};

for (const [body, split] of [
  ['return "</script>";', '"</scr" + "ipt>"'],
  ["return '<b>it</script> is';", "'<b>it</scr' + 'ipt> is'"],
  ["return f(/'/, 'a\\'</script>');", "'a\\'</scr' + 'ipt>'"],
  [`return "${"long ".repeat(9)}</script>${"long ".repeat(9)}";`, 'ng long long long long </scr" + "ipt>…"'],
  ["return `\n</script>`;", `\`</scr\${""}ipt>\``],
  ["return /[/]</script>/;", "<\\/script>"],
  ["return 1; // </script>", "</ script>"],
  ["/* </script> */", "</ script>"],
  ['return "<b></script></b>";', '"<b></scr" + "ipt></b>"'],
  ["return a / b /* ' */; </script>", '"</scr" + "ipt>"'],
] as const) {
  test(`a \`</script>\` inside something of JavaScript ends the script, and the hint says how to write it: ${body.slice(0, 40)}`, () => {
    assert.ok(hintOf(body).includes(split), hintOf(body));
  });
}

test("what was meant as the end of a script is shown", () => {
  for (const end of ["</script >", "</SCRIPT>", "</ script>"]) {
    const [{ hint } = {}] = check(workflow(`<step id="a"><script>1;\n\n${end}</step>`)).diagnostics;
    assert.equal(hint, `Line 3 has "${end}": write </script>, in lower case and without blanks.`);
  }
  assert.equal(check(workflow("<step id='a'><script>1;</step>")).diagnostics[0]?.hint, "Close it with </script>.");
});

test("what a script ends in is found in linear time", () => {
  for (const piece of ["=/[", "=/[\n", "`", "'\n", "/*", "a/", "return /", "\\", "=/a\n/"]) {
    const times = growth(125_000, (length) => {
      const body = piece.repeat(length / piece.length);
      return () => splitHint(`${body}</script>`, { start: 0, end: body.length });
    });
    assert.ok(times < LINEAR, `${piece}: ${times} times the cost at 16 times the length`);
  }
});

test("names are those of XML: what the language does not know is unknown, not malformed", () => {
  assert.deepEqual(codes(workflow(`<étape.a:b-1_·/>${step("a", "", 'größe="1"')}`)), ["WOML_UNKNOWN_ELEMENT", "WOML_UNKNOWN_ATTRIBUTE"]);
  assert.deepEqual(codes(workflow(`<-a/>${step("a")}`)), [MALFORMED]);
});

test("lines and columns count UTF-16 units from 1 and lines end at LF alone", () => {
  const text = workflow(`\r\n\u2028${"🚀".length === 2 ? "<!--🚀-->" : ""}<step id="A"><script /></step>`);
  const { start, end } = check(text).diagnostics[0] ?? {};
  assert.equal(start?.line, 2);
  assert.equal(start?.column, '\u2028<!--🚀--><step id="'.length + 1);
  assert.equal(start?.offset, text.indexOf('A"'));
  assert.equal(end?.offset, (start?.offset ?? 0) + 1);
});

test("U+0000 and halves of surrogate pairs are refused at every place, and alone", () => {
  const text = workflow(`${step("a", "return '\0 \ud800 \udc00 🚀';")}<oops/>\udbff`);
  assert.deepEqual(codes(text), Array(4).fill("WOML_SOURCE_CHARACTER_INVALID"));
  assert.deepEqual(marked(text), ["\0", "\ud800", "\udc00", "\udbff"]);
});

test("a source is at most 1 MiB and a script 256 KiB, of UTF-8", () => {
  const pad = (text: string, bytes: number) => text.replace("</woml>", `<!--${" ".repeat(bytes - text.length - 7)}--></woml>`);
  assert.deepEqual(codes(pad(workflow(step("a")), SOURCE_LIMIT)), []);
  const over = pad(workflow(step("a")), SOURCE_LIMIT).replace("<!-- ", "<!--é");
  assert.deepEqual(codes(over), ["WOML_SOURCE_TOO_LARGE"]);
  assert.equal(check(over).diagnostics[0]?.start?.offset, SOURCE_LIMIT - 1);
  const body = (filling: string) => workflow(step("a", `//${filling}`));
  assert.deepEqual(codes(body("é".repeat(131_071))), []);
  assert.deepEqual(codes(body(`x${"é".repeat(131_071)}`)), ["WOML_SCRIPT_SOURCE_TOO_LARGE"]);
  assert.deepEqual(marked(body(`x${"é".repeat(131_071)}`)), ["é"]);
});
