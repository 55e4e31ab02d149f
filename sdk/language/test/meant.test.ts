import assert from "node:assert/strict";
import { test } from "node:test";
import { compile, type Project } from "../index.ts";
import { choose, result, step, workflow } from "./sources.ts";

const project: Project = {
  files: new Map([["tax.woml", '<woml><props><prop name="rate" /></props><step><script>return props.rate;</script></step></woml>']]),
  modules: new Map(),
};
const check = (text: string): readonly string[] => {
  const { diagnostics } = compile({ path: "flow.woml", text }, project);
  return diagnostics.map(({ code, start, end }) => `${code.slice(5)} ${text.slice(start?.offset, end?.offset)}`);
};

const A = "{{context.steps.a}}";
const flow =
  step("a") +
  choose("c", A, [`<step id="x"><script>return context.steps.a;</script></step>${result(A)}`, step("y") + result(A)]) +
  `<switch id="s" value="${A}"><case value="1">${step("m")}${result(A)}</case><default>${step("n")}${result(A)}</default></switch>` +
  `<approval id="p" timeout="1h" on-timeout="fail"><when-approved /><when-rejected /></approval>` +
  `<fork id="f" join="left"><branch id="left">${step("l", "return 1;", 'retry="2" retry-delay="2s"')}</branch><branch id="right">${step("r")}</branch></fork>` +
  `<for-each id="loop" items="{{context.payload.items}}">${step("i", "return context.steps.a;")}</for-each>` +
  `<add-tax id="t" rate="${A}" />`;
const sound = workflow(
  flow,
  '<lifecycle><on-step-start steps="a t"><script>1;</script></on-step-start></lifecycle><triggers><webhook id="w" path="/a" auth="bearer" secret="{{secrets.KEY}}" /></triggers>',
).replace("<woml>", '<woml><imports><module name="add-tax" from="./tax.woml" /></imports>');

/** Renames the first element that begins so, with its closing tag if it has one. */
const renamed = (from: string, to: string): string => {
  const at = sound.indexOf(`<${from}`);
  const end = sound.indexOf(">", at);
  const opened = sound.slice(0, at) + sound.slice(at).replace(from, to);
  return sound[end - 1] === "/" ? opened : opened.slice(0, at) + opened.slice(at).replace(`</${from}>`, `</${to}>`);
};

const P = "{{context.payload.a}}";
/** The same, with a choice at its end that reads the output of `id`. */
const readBehind = (text: string, id: string): string =>
  text.replace("<add-tax", `${choose("z", `{{context.steps.${id}}}`, [step("z1") + result(P), step("z2") + result(P)])}<add-tax`);
const emptyLoop = (): string => workflow(`<for-each id="loop" items="${P}"><result value="{{context.steps.i}}" /></for-each>`);

test("the workflow that the slips are made in is sound", () => assert.deepEqual(check(sound), []));

// One slip each, and the one remark on it.
for (const [name, text, remark] of [
  ...[
    "imports",
    "lifecycle",
    "triggers",
    "webhook",
    "steps",
    "script",
    "choose",
    "when",
    "otherwise",
    "result",
    "switch",
    "case",
    "default",
  ].map((element) => [`<${element}> misspelt`, renamed(element, `${element}e`), `UNKNOWN_ELEMENT`] as const),
  ...["when-approved", "when-rejected", "approval", "fork", "branch", "for-each", "on-step-start"].map(
    (element) =>
      [`<${element}> misspelt`, renamed(element, element.replace(/(.)(.)$/, "$2$1")), /^(UNKNOWN_ELEMENT|LIFECYCLE_HOOK_INVALID)/] as const,
  ),
  ["<module> misspelt", renamed("module", "modul"), "IMPORTS_INVALID_CHILD <modul "],
  ["a capital", renamed("steps", "Steps"), "UNKNOWN_ELEMENT"],
  ["an id that is none", sound.replace('<step id="a"', '<step id="A!"'), "INVALID_ID A!"],
  ["an empty id", sound.replace('<step id="a"', '<step id=""'), "INVALID_ID "],
  ["no id", sound.replace('<step id="a"', "<step"), "MISSING_ATTRIBUTE <step>"],
  ["an id called otherwise", sound.replace('<step id="a"', '<step di="a"'), "UNKNOWN_ATTRIBUTE di"],
  ["a choice whose id is called otherwise", sound.replace('<choose id="c"', '<choose name="C" key="c"'), "UNKNOWN_ATTRIBUTE key"],
  ...["script", "when", "otherwise", "result", "case", "default"].map(
    (element) => [`<${element}> by a word of another language`, renamed(element, "zone"), "UNKNOWN_ELEMENT <zone"] as const,
  ),
  ...["when-approved", "when-rejected"].map(
    (element) => [`<${element}> by another word`, renamed(element, "zone"), "UNKNOWN_ELEMENT <zone"] as const,
  ),
  ["<triggers> by another word", renamed("triggers", "zone"), "UNKNOWN_ELEMENT <zone>"],
  ["a choice without the id that it is read by", readBehind(sound.replace(' id="c"', ""), "c"), "CHOOSE_RESULT_REQUIRES_ID <result"],
  ["a choice with a name and without id", sound.replace('<choose id="c"', '<choose name="C"'), "CHOOSE_METADATA_REQUIRES_ID name"],
  [
    "a choice without id, alone",
    workflow(choose("c", P, [step("x") + result(P), step("y") + result(P)]).replace(' id="c"', "")),
    "CHOOSE_RESULT",
  ],
  ["an empty join", readBehind(sound.replace('join="left"', 'join=""'), "l"), "FORK_JOIN_INVALID"],
  ["a join with a slip, behind which another branch is read", readBehind(sound.replace('"left">', '"lift">'), "l"), "FORK_JOIN_UNKNOWN"],
  ["a branch without id, which is read", readBehind(sound.replace('<branch id="left">', "<branch>"), "l"), "MISSING_ATTRIBUTE <branch>"],
  ["a fork without branches", sound.replace(/(<fork[^>]*>).*<\/fork>/, "$1</fork>"), "FORK_EMPTY <fork"],
  ["a flow without items", sound.replace(/<steps>.*<\/steps>/, "<steps></steps>").replace(/<imports>.*<\/imports>/, ""), "EMPTY_STEPS"],
  ["a loop without the step of its result", emptyLoop(), "FOR_EACH_EMPTY <for-each"],
  ["a test called otherwise", sound.replace("<when test=", "<when tset="), "UNKNOWN_ATTRIBUTE tset"],
  ["a branch without id", sound.replace('<branch id="left">', "<branch>"), "MISSING_ATTRIBUTE <branch>"],
  [
    "a branch whose id is called otherwise",
    sound.replace('<branch id="left">', '<branch name="left">'),
    "FORK_BRANCH_ATTRIBUTE_UNSUPPORTED name",
  ],
  ["retry called otherwise", sound.replace('retry="2"', 'rerty="2"'), "UNKNOWN_ATTRIBUTE rerty"],
  ["a timeout called otherwise", sound.replace(' timeout="1h"', ' time-out="1h"'), "UNKNOWN_ATTRIBUTE time-out"],
  ["a secret called otherwise", sound.replace(' secret="', ' secrte="'), "SECRET_SINK_UNSUPPORTED {{secrets.KEY}}"],
  [
    "retry of a tag called otherwise",
    sound.replace('<add-tax id="t"', '<add-tax id="t" rerty="2" retry-backoff="fixed"'),
    "REUSABLE_PROP_UNKNOWN rerty",
  ],
  ["the id of a tag called otherwise", sound.replace('<add-tax id="t"', '<add-tax it="t"'), "REUSABLE_PROP_UNKNOWN it"],
  ["an alias that is none", sound.replace('name="add-tax"', 'name="addTax"'), "MODULE_ALIAS_INVALID addTax"],
  ...["step", "manual", "on-failure"].map(
    (element) => [`the alias ${element}`, sound.replaceAll("add-tax", element), `REUSABLE_ALIAS_RESERVED ${element}`] as const,
  ),
  [
    "the alias of an element, and its tag is written with an end",
    sound.replaceAll("add-tax", "manual").replace(/(<manual id="t"[^>]*) \/>/, "$1> <!-- nothing -->\n</manual>"),
    "REUSABLE_ALIAS_RESERVED manual",
  ],
  [
    "the alias of a capability, for a definition",
    sound
      .replace("<module", '<uses capability="acme.tax" version="^1" as="tax" /><module')
      .replaceAll("add-tax", "tax")
      .replace("return context.steps.a;", "return services.tax.add(context.steps.a);"),
    "MODULE_ALIAS_DUPLICATE tax",
  ],
  ...[
    ["a capability misspelt", '<use capability="acme.tax" version="^1" as="tax" />', "IMPORTS_INVALID_CHILD <use"],
    ["a capability without alias", '<uses capability="acme.tax" version="^1" />', "MISSING_ATTRIBUTE <uses"],
    ["a capability whose alias is none", '<uses capability="acme.tax" version="^1" as="Tax" />', "MODULE_ALIAS_INVALID Tax"],
    ["a module without alias", '<module from="./rates.ts" />', "MISSING_ATTRIBUTE <module"],
  ].map(
    ([name, item, remark]) =>
      [
        `${name}, which scripts call`,
        sound.replace("<module", `${item}<module`).replaceAll("return context.steps.a;", "return services.tax.add(1);"),
        remark ?? "",
      ] as const,
  ),
  [
    "a module without alias, which hides a service",
    sound
      .replace("<module", '<module from="./rates.ts" /><module')
      .replaceAll("return context.steps.a;", "return services.telegram.add(1);"),
    "MISSING_ATTRIBUTE <module",
  ],
  [
    "a trigger behind the result of an arm",
    sound.replace(`${result(A)}</when>`, `${result(A)}<manual id="late" /></when>`),
    'INVALID_STRUCTURE <manual id="late" />',
  ],
  [
    "something unknown behind the result of a loop",
    sound.replace("</for-each>", '<result value="{{context.item.a}}" /><stpe id="late" /></for-each>'),
    "UNKNOWN_ELEMENT <stpe",
  ],
  [
    "a step in front of who is told of an approval",
    sound.replace("<when-approved", `${step("early")}<notify><telegram chats="1" bot-token="{{secrets.BOT}}" /></notify><when-approved`),
    "APPROVAL_STRUCTURE_INVALID <step",
  ],
  ["a step in front of the workflow", sound.replace("<workflow", `${step("early")}<workflow`), "DOCUMENT_PROFILE_INVALID <step"],
  ["an import that stands twice", sound.replace(/<module[^>]*>/, "$&$&"), "MODULE_ALIAS_DUPLICATE add-tax"],
  [
    "imports in the workflow",
    sound.replace(/(<imports>.*<\/imports>)(<workflow[^>]*>)/, "$2$1").replace("return context.steps.a;", "return services.tax.add(1);"),
    "INVALID_STRUCTURE <imports>",
  ],
  ["an import without alias", sound.replace(' name="add-tax"', ""), "MISSING_ATTRIBUTE <module"],
  ["an import without path", sound.replace(' from="./tax.woml"', ""), "MISSING_ATTRIBUTE <module"],
  ["an import with a path that is none", sound.replace("./tax.woml", "./tax"), "MODULE_PATH_INVALID ./tax"],
  ["an import of nothing", sound.replace(/<module[^>]*>/, ""), "IMPORTS_EMPTY <imports>"],
  ["code without the tags around it", sound.replace(/(<step id="x">)<script>(.*?)<\/script>/, "$1$2"), "STEP_OPERATION_COUNT <step id"],
  [
    "<case> in a choose",
    renamed("when", "case").replace('case test="{{context.steps.a}}"', 'case value="a"'),
    "SWITCH_ARM_PLACEMENT_INVALID",
  ],
  ["<default> in a choose", renamed("otherwise", "default"), "SWITCH_ARM_PLACEMENT_INVALID <default>"],
  ["<otherwise> in a switch", renamed("default", "otherwise"), "SWITCH_STRUCTURE_INVALID <otherwise>"],
  [
    "two imports by one name",
    sound
      .replace("</imports>", '<uses capability="b" version="1" as="pay" /><uses capability="a" version="1" as="pay" /></imports>')
      .replace("<script>return context.steps.a;", "<script>return services.pay.charge();"),
    "MODULE_ALIAS_DUPLICATE pay",
  ],
  [
    "a capability by the name of a definition",
    sound
      .replaceAll("add-tax", "tax")
      .replace("</imports>", '<uses capability="a" version="1" as="tax" /></imports>')
      .replace("<script>return context.steps.a;", "<script>return services.tax.charge();"),
    "MODULE_ALIAS_DUPLICATE tax",
  ],
  ["a result with its value as text", sound.replace(`<result value="${A}" />`, `<result>${A}</result>`), "MISSING_ATTRIBUTE <result>"],
  ["a document that is not there", sound.replace("./tax.woml", "./vat.woml"), "REUSABLE_SOURCE_NOT_FOUND ./vat.woml"],
] as const) {
  test(`${name} is one fault`, () => {
    const [first, ...more] = check(text);
    assert.ok(typeof remark === "string" ? first?.startsWith(remark) : remark.test(first ?? ""), `${first}`);
    assert.deepEqual(more, []);
  });
}

test("beside an import that cannot be read, what is like an element is still misspelt", () => {
  assert.deepEqual(check(sound.replace('name="add-tax"', 'name="addTax"').replaceAll("script>", "scritp>")).slice(1, 3), [
    "UNKNOWN_ELEMENT <scritp>",
    "UNKNOWN_ELEMENT <scritp>",
  ]);
});
