import assert from "node:assert/strict";
import { test } from "node:test";
import { check, choose, codes, marked, result, step, workflow } from "./sources.ts";

const one = step("one");
/** Steps around what is looked at have ids of their own. */
let count = 0;
const filler = (): string => step(`filler${count++}`);
const PAYLOAD = "{{context.payload.a}}";
const branch = (inside: string): string => `<fork id="f"><branch id="b">${inside}</branch></fork>${filler()}`;
const loop = (inside: string): string => `<for-each id="l" items="${PAYLOAD}">${inside}</for-each>`;
const arm = (inside: string): string =>
  `<choose><when test="${PAYLOAD}">${inside}</when><otherwise>${filler()}</otherwise></choose>${filler()}`;
const control = (inside: string): string =>
  `<switch value="${PAYLOAD}"><case value="a">${inside}</case><default>${filler()}</default></switch>${filler()}`;
const approved = (inside: string): string => `<approval id="a"><when-approved>${inside}</when-approved><when-rejected /></approval>`;
const parallel = (inside: string): string => `<parallel id="p">${inside}</parallel>${filler()}`;
const triggers = (inside: string): string => workflow(one, `<triggers>${inside}</triggers>`);
const hooks = (inside: string): string => workflow(one, `<triggers><manual id="go" /></triggers><lifecycle>${inside}</lifecycle>`);
const approval = '<approval id="x"><when-approved /><when-rejected /></approval>';
const fork = `<fork id="x"><branch id="y">${step("s")}</branch></fork>`;
const forEach = `<for-each id="x" items="${PAYLOAD}">${step("s")}</for-each>`;

// What stands in the wrong place, the code it gets, and the tag that is marked.
for (const [text, code, mark] of [
  // below the containers of a document
  [`<woml><triggers />${workflow(one).slice(6)}`, "DOCUMENT_STRUCTURE_INVALID", "<triggers />"],
  [`<woml>${workflow(one).slice(6, -7)}<lifecycle /></woml>`, "DOCUMENT_STRUCTURE_INVALID", "<lifecycle />"],
  [workflow(one).replace("<steps>", "<step id='s' /><steps>"), "INVALID_STRUCTURE", "<step id='s' />"],
  [workflow(one, '<manual id="m" />'), "INVALID_STRUCTURE", '<manual id="m" />'],
  [workflow(`${one}<props><prop name="a" /></props>`), "PROPS_WORKFLOW_FORBIDDEN", "<props>"],
  [workflow(`${one}<prop name="a" />`), "INVALID_STRUCTURE", '<prop name="a" />'],
  [workflow(`${one}<config queue="a" />`), "INVALID_STRUCTURE", '<config queue="a" />'],
  [workflow(`${one}<notify />`), "INVALID_STRUCTURE", "<notify />"],
  // a word that the language keeps is none that it does not know
  [workflow(`${one}<on-failure />`), "INVALID_STRUCTURE", "<on-failure />"],
  [triggers("<on-failure />"), "TRIGGER_UNSUPPORTED", "<on-failure />"],
  [hooks("<on-error><on-failure /></on-error>"), "LIFECYCLE_ACTION_INVALID", "<on-failure />"],
  // what is imported is read before all else
  [workflow(one).replace("<woml>", '<woml><imports><props><prop name="a" /></props></imports>'), "IMPORTS_INVALID_CHILD", "<props>"],
  // triggers
  [triggers(one), "TRIGGER_UNSUPPORTED", '<step id="one">'],
  [triggers("<schema>{}</schema>"), "TRIGGER_UNSUPPORTED", "<schema>"],
  [triggers('<manual id="m"><schema>{}</schema></manual>'), "INVALID_STRUCTURE", "<schema>"],
  [triggers('<manual id="m"> x</manual>'), "INVALID_STRUCTURE", " x"],
  [triggers('<webhook id="w" path="/" auth="none"><script>1</script></webhook>'), "WEBHOOK_STRUCTURE_INVALID", "<script>"],
  [triggers('<webhook id="w" path="/" auth="none"><schema>{}</schema><schema/></webhook>'), "WEBHOOK_STRUCTURE_INVALID", "<schema/>"],
  [triggers('<event id="e" name="a.b"><manual id="m" /></event>'), "EVENT_STRUCTURE_INVALID", '<manual id="m" />'],
  [triggers('<event id="e" name="a.b"><schema>{}</schema><schema/></event>'), "EVENT_STRUCTURE_INVALID", "<schema/>"],
  [
    triggers('<webhook id="w" path="/" auth="none"><schema>{"a":"<step/>"}</schema></webhook>'),
    "WEBHOOK_SCHEMA_STRUCTURE_INVALID",
    "<step/>",
  ],
  [triggers('<event id="e" name="a.b"><schema>{"a":"<case/>"}</schema></event>'), "EVENT_SCHEMA_STRUCTURE_INVALID", "<case/>"],
  [triggers('<webhook id="w" path="/" auth="none"><schema>{"a":"<b/>"}</schema></webhook>'), "UNKNOWN_ELEMENT", "<b/>"],
  // lifecycle and notices
  [hooks("<script>1</script>"), "LIFECYCLE_ACTION_INVALID", "<script>"],
  [hooks(`<on-start>${one}</on-start>`), "LIFECYCLE_ACTION_INVALID", '<step id="one">'],
  [hooks("<on-start><slack /></on-start>"), "LIFECYCLE_ACTION_INVALID", "<slack />"],
  [
    workflow(approval.replace("<when-approved />", `<notify>${one}</notify><when-approved />`)),
    "NOTIFY_UNSUPPORTED_PROVIDER",
    '<step id="one">',
  ],
  [workflow(one, "<triggers><manual id='m'/></triggers><on-start><script>1</script></on-start>"), "INVALID_STRUCTURE", "<on-start>"],
  // steps
  [workflow(`<step id="a"><script>1</script><step id="b"><script>1</script></step></step>`), "INVALID_STRUCTURE", '<step id="b">'],
  [workflow(`${one}<result value="${PAYLOAD}" />`), "INVALID_STRUCTURE", result(PAYLOAD)],
  [workflow(`<when test="${PAYLOAD}">${one}</when>`), "INVALID_STRUCTURE", `<when test="${PAYLOAD}">`],
  [workflow(`<otherwise>${one}</otherwise>`), "INVALID_STRUCTURE", "<otherwise>"],
  [workflow(`${one}<script>1</script>`), "INVALID_STRUCTURE", "<script>"],
  [workflow(`${one}<case value="a" />`), "SWITCH_ARM_PLACEMENT_INVALID", '<case value="a" />'],
  [workflow(`${one}<default />`), "SWITCH_ARM_PLACEMENT_INVALID", "<default />"],
  [workflow(loop(`${one}<default />`)), "SWITCH_ARM_PLACEMENT_INVALID", "<default />"],
  [workflow(`${one}<when-rejected />`), "APPROVAL_PLACEMENT_INVALID", "<when-rejected />"],
  [workflow(`<branch id="b">${one}</branch>${step("z")}`), "FORK_BRANCH_PLACEMENT_INVALID", '<branch id="b">'],
  [workflow(branch(`<branch id="c">${step("s")}</branch>`)), "FORK_BRANCH_PLACEMENT_INVALID", '<branch id="c">'],
  [
    workflow(choose("c", PAYLOAD, [filler() + result(PAYLOAD), filler() + result(PAYLOAD)]).replace("<when", "<case value='a' /><when")),
    "SWITCH_ARM_PLACEMENT_INVALID",
    "<case value='a' />",
  ],
  // parallel
  ...[
    fork,
    forEach,
    arm(one),
    control(one),
    '<parallel id="q" />',
    '<branch id="b" />',
    "<default />",
    "<script>1</script>",
    result(PAYLOAD),
  ].map((inside) => [workflow(parallel(inside)), "PARALLEL_CHILD_UNSUPPORTED", inside.slice(0, inside.indexOf(">") + 1)] as const),
  [workflow(parallel(approval)), "APPROVAL_PLACEMENT_INVALID", '<approval id="x">'],
  // switch, fork, approval
  [workflow(control(one).replace("<case", '<step id="q"><script>1</script></step><case')), "SWITCH_STRUCTURE_INVALID", '<step id="q">'],
  [workflow(control(one).replace("<case", `<when test="x">${step("q")}</when><case`)), "SWITCH_STRUCTURE_INVALID", '<when test="x">'],
  [workflow(branch(one).replace("<branch", "<case value='a' /><branch")), "FORK_CHILD_INVALID", "<case value='a' />"],
  [workflow(branch(`${step("s")}<result value="${PAYLOAD}" />`)), "FORK_BRANCH_CHILD_INVALID", result(PAYLOAD)],
  [workflow(branch(`${step("s")}<when test="${PAYLOAD}" />`)), "FORK_BRANCH_CHILD_INVALID", `<when test="${PAYLOAD}" />`],
  [
    workflow(approval.replace("<when-rejected", '<step id="q"><script>1</script></step><when-rejected')),
    "APPROVAL_STRUCTURE_INVALID",
    '<step id="q">',
  ],
  [workflow(approved(result(PAYLOAD))), "INVALID_STRUCTURE", result(PAYLOAD)],
  // nesting, however deep
  ...[branch, (inside: string) => branch(arm(inside)), (inside: string) => branch(approved(control(inside)))].map(
    (around) => [workflow(around(fork)), "FORK_NESTED_UNSUPPORTED", '<fork id="x">'] as const,
  ),
  ...[approval, fork, forEach].flatMap((inside) =>
    [loop, (deep: string) => loop(arm(deep)), (deep: string) => loop(control(arm(deep))), (deep: string) => branch(loop(deep))].map(
      (around) => [workflow(around(inside)), "FOR_EACH_NESTING_UNSUPPORTED", inside.slice(0, inside.indexOf(">") + 1)] as const,
    ),
  ),
  // elements that hold nothing
  [
    workflow(arm(`${step("s")}`))
      .replace("<when test", "<when test")
      .replace("</when>", "</when>x"),
    "UNEXPECTED_CONTENT",
    "x",
  ],
  [
    workflow(choose("c", PAYLOAD, [`${step("s")}<result value="${PAYLOAD}">x</result>`, `${one}${result(PAYLOAD)}`])),
    "INVALID_STRUCTURE",
    "x",
  ],
  [
    workflow(choose("c", PAYLOAD, [`${step("s")}<result value="${PAYLOAD}"><step/></result>`, `${one}${result(PAYLOAD)}`])),
    "INVALID_STRUCTURE",
    "<step/>",
  ],
] as const) {
  test(`${code}: ${mark.slice(0, 50)} in ${text.slice(0, 120)}`, () => {
    assert.deepEqual(codes(text), [`WOML_${code}`]);
    assert.deepEqual(marked(text), [mark]);
  });
}

for (const [name, inside] of [
  ["an arm of a choose", arm],
  ["an arm of a switch", control],
  ["an arm of an approval", approved],
] as const) {
  for (const item of [approval, fork, forEach]) {
    test(`${item.slice(1, item.indexOf(" "))} may stand in ${name}`, () => assert.deepEqual(codes(workflow(inside(item))), []));
  }
}

test("a loop, an approval and every choice may stand in a branch; every choice and a parallel in a loop", () => {
  for (const item of [forEach, approval, arm(step("s")), control(step("s")), `<parallel id="x">${step("s")}</parallel>`]) {
    assert.deepEqual(codes(workflow(branch(item.replaceAll('"one"', '"two"')))), [], item);
  }
  for (const item of [arm(step("s")), control(step("s")), `<parallel id="x">${step("s")}</parallel>`])
    assert.deepEqual(codes(workflow(loop(item))), [], item);
});

for (const [text, hint] of [
  [workflow("<stpe id='a' />"), "Did you mean <step>?"],
  [workflow("<Step id='a' />"), "Element names are lower case: <step>."],
  [triggers('<web-hook id="a" />'), "Did you mean <webhook>?"],
  [workflow(one).replace("<steps>", "<config quee='a' /><steps>"), "Did you mean queue?"],
  [workflow(one).replace("<step ", "<step nme='a' "), "Did you mean name?"],
] as const) {
  test(`the hint of ${text.slice(20, 80)}: ${hint}`, () => assert.equal(check(text).diagnostics[0]?.hint, hint));
}
