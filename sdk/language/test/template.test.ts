import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Part, printTemplate, readTemplate } from "../template.ts";
import { check, codes, growth, LINEAR, marked, step, workflow } from "./sources.ts";

const hook = (name: string, message: string, steps = step("one")): string =>
  workflow(
    steps,
    `<triggers><manual id="go" /></triggers><lifecycle><${name}><notify><telegram chats="5" bot-token="{{secrets.BOT}}" message="${message}" /></notify></${name}></lifecycle>`,
  );
const told = (text: string): readonly string[] => codes(text).map((code, at) => `${code.replace("WOML_", "")} ${marked(text)[at]}`);
const INVALID = "LIFECYCLE_TEMPLATE_INVALID";

for (const [message, ...expected] of [
  ["x"],
  [" "],
  ["m".repeat(4_096)],
  ["Order {{context.payload.a}} of {{ context.payload.b.c.$d._e }} is late: {{\n context.steps.one.a.b\t}}."],
  ["One { brace } alone, and }{ too."],
  ["{{lifecycle.event}}".repeat(32)],
  ["&lt;b&gt; {{context.payload.a}} &amp;"],
  ["{{context.steps.one.__proto__}}"],
  ["", `${INVALID} `],
  ["m".repeat(4_097), `${INVALID} ${"m".repeat(4_097)}`],
  ["{{lifecycle.event}}".repeat(33), `${INVALID} ${"{{lifecycle.event}}".repeat(33)}`],
  ["late {{context.payload.a", `${INVALID} late {{context.payload.a`],
  ["late }} again", `${INVALID} late }} again`],
  ["{{context.payload.a}} }}", `${INVALID} {{context.payload.a}} }}`],
  ["{{context.{{payload.a}}", `${INVALID} {{context.{{payload.a}}`],
  ["a {{}} b", `${INVALID} `],
  ["a {{ context.payload }} b", `${INVALID} context.payload`],
  ["{{context}}", `${INVALID} context`],
  ["{{context.trigger.a}}", `${INVALID} context.trigger.a`],
  ["{{context.steps}}", `${INVALID} context.steps`],
  ["{{context.steps.one}}", `${INVALID} context.steps.one`],
  ["{{context.item.a}}", `${INVALID} context.item.a`],
  ["{{context.payload.list[0]}}", `${INVALID} context.payload.list[0]`],
  ["{{context.payload.a || 1}}", `${INVALID} context.payload.a || 1`],
  ["{{context.payload.}}", `${INVALID} context.payload.`],
  ["{{payload.a}}", `${INVALID} payload.a`],
  ["{{Lifecycle.event}}", `${INVALID} Lifecycle.event`],
  ["{{lifecycle}}", `${INVALID} lifecycle`],
  ["{{lifecycle.workflow}}", `${INVALID} lifecycle.workflow`],
  ["{{lifecycle.workflow.name}}", `${INVALID} lifecycle.workflow.name`],
  ["{{lifecycle.failure.cause}}", `${INVALID} lifecycle.failure.cause`],
  ["{{lifecycle.event.a}}", `${INVALID} lifecycle.event.a`],
  [`{{context.payload.${"a.".repeat(61)}b}}`, `${INVALID} context.payload.${"a.".repeat(61)}b`],
  [`{{context.payload.${"a".repeat(257)}}}`, `${INVALID} context.payload.${"a".repeat(257)}`],
  ["{{secrets.KEY}}", "SECRET_SINK_UNSUPPORTED {{secrets.KEY}}"],
  ["Key: {{ secrets.KEY }}", "SECRET_SINK_UNSUPPORTED Key: {{ secrets.KEY }}"],
  ["Of {{context.steps.nope.a}}", "LIFECYCLE_STEP_UNKNOWN context.steps.nope.a"],
  ["&amp;&amp; {{ context.steps.nope.a }}", "LIFECYCLE_STEP_UNKNOWN context.steps.nope.a"],
  ["{{lifecycle.nothing}} {{context.steps.nope.a}}", `${INVALID} lifecycle.nothing`],
] as const) {
  test(`${expected.join() || "taken"}: ${message.slice(0, 80)}`, () => {
    assert.deepEqual(told(hook("on-error", message)), expected);
  });
}

test("a message names steps that stand anywhere, and nothing else", () => {
  const steps = `<parallel id="p">${step("left")}</parallel><for-each id="loop" items="{{context.payload}}">${step("inner")}</for-each>${step("one")}`;
  assert.deepEqual(told(hook("on-error", "{{context.steps.left.a}}{{context.steps.inner.a}}", steps)), []);
  for (const id of ["p", "loop"]) {
    assert.deepEqual(told(hook("on-error", `{{context.steps.${id}.a}}`, steps)), [`LIFECYCLE_STEP_UNKNOWN context.steps.${id}.a`]);
  }
});

const EVERYWHERE = ["lifecycle.event", "lifecycle.workflow.id"];
const OF_STEP = ["lifecycle.step.id", "lifecycle.step.attempts"];
const FAILED = ["lifecycle.failure.code", "lifecycle.failure.message"];
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  "on-start": EVERYWHERE,
  "on-step-start": [...EVERYWHERE, ...OF_STEP],
  "on-step-success": [...EVERYWHERE, ...OF_STEP, "lifecycle.step.outcome", "lifecycle.workflow.outcome"],
  "on-step-failure": [...EVERYWHERE, ...OF_STEP, "lifecycle.step.outcome", "lifecycle.workflow.outcome", ...FAILED],
  "on-step-complete": [...EVERYWHERE, ...OF_STEP, "lifecycle.step.outcome", "lifecycle.workflow.outcome"],
  "on-success": [...EVERYWHERE, "lifecycle.workflow.outcome"],
  "on-error": [...EVERYWHERE, "lifecycle.workflow.outcome", ...FAILED],
  "on-cancel": [...EVERYWHERE, "lifecycle.workflow.outcome"],
  "on-complete": [...EVERYWHERE, "lifecycle.workflow.outcome"],
};
const ALL = [...EVERYWHERE, ...OF_STEP, "lifecycle.step.outcome", "lifecycle.workflow.outcome", ...FAILED];

for (const [name, known] of Object.entries(KNOWN)) {
  test(`what ${name} knows of what has happened`, () => {
    for (const reference of ALL) {
      const expected = known.includes(reference) ? [] : [`${INVALID} ${reference}`];
      assert.deepEqual(told(hook(name, `{{${reference}}}`)), expected, reference);
    }
  });
}

test("hints say what is there, or where", () => {
  const hint = (name: string, message: string): string | null | undefined => check(hook(name, message)).diagnostics[0]?.hint;
  assert.equal(hint("on-error", "{{lifecycle.falure.code}}"), "Did you mean lifecycle.failure.code?");
  assert.equal(hint("on-success", "{{lifecycle.failure.code}}"), "It is known in <on-step-failure>, <on-error>.");
  assert.equal(hint("on-error", "{{context.steps.on.a}}"), "Did you mean one?");
  assert.match(hint("on-error", "{{context.trigger.a}}") ?? "", /context\.payload/);
});

const name = fc.stringMatching(/^[a-zA-Z.$_[\] ]{1,12}$/).map((text) => text.trim());
const parts: fc.Arbitrary<readonly Part[]> = fc
  .array(
    fc.oneof(
      fc.stringMatching(/^[a-z \n]{1,9}$/),
      name.map((text) => ({ text })),
    ),
  )
  .map((pieces) =>
    pieces.flatMap((piece, at): Part[] => {
      if (typeof piece !== "string") return [{ kind: "reference", name: piece.text, range: { start: 0, end: 0 } }];
      return typeof pieces[at - 1] === "string" ? [] : [{ kind: "text", text: piece }];
    }),
  );
const unplaced = (list: readonly Part[]): readonly unknown[] =>
  list.map((part) => (part.kind === "text" ? part : { kind: part.kind, name: part.name }));

test("what is printed is read as what it was", () => {
  fc.assert(
    fc.property(parts, (made) => {
      const text = printTemplate(made);
      const template = readTemplate(text);
      assert.ok("parts" in template);
      assert.deepEqual(unplaced(template.parts), unplaced(made));
      for (const part of template.parts)
        if (part.kind === "reference") assert.equal(text.slice(part.range.start, part.range.end), part.name);
    }),
  );
});

test("a name that ends in a brace is printed apart from those that close it", () => {
  for (const text of ["{{} }}}", "{{a} }}", "{{ {a}}", "{{ {} }}"]) {
    const template = readTemplate(text);
    assert.ok("parts" in template, text);
    const again = readTemplate(printTemplate(template.parts));
    assert.ok("parts" in again, text);
    assert.deepEqual(unplaced(again.parts), unplaced(template.parts), text);
  }
});

test("any text is a template or has a stray brace, and what it is read as is read so again", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom("{", "}", "{{", "}}", " ", "context.payload.a"), fc.string())), (pieces) => {
      const text = pieces.join("");
      const template = readTemplate(text);
      if ("stray" in template) assert.ok(text.startsWith(template.stray, template.at));
      else {
        const printed = printTemplate(template.parts);
        const again = readTemplate(printed);
        assert.ok("parts" in again);
        assert.equal(printTemplate(again.parts), printed);
      }
    }),
  );
});

test("a hostile message costs no more than its length", () => {
  for (const piece of ["{{", "}}", "{{a}}", "{{ ", "&lt;", "{{context.steps.a.b}}", "{{context.payload.a.", "#a ", ","]) {
    const times = growth(40_000, (length) => {
      const text = hook("on-error", piece.repeat(length / piece.length)).replace(
        'chats="5"',
        `chats="${piece.repeat(length / 4 / piece.length)}"`,
      );
      return () => assert.ok(codes(text).length > 0);
    });
    assert.ok(times < LINEAR, `${piece}: ${times} times the cost at 16 times the length`);
  }
});
