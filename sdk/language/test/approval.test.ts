import assert from "node:assert/strict";
import { test } from "node:test";
import { check, choose, codes, marked, result, step, workflow } from "./sources.ts";

const approval = (body = "<when-approved /><when-rejected />", more = ""): string => `<approval id="ok"${more}>${body}</approval>`;
const APPROVED = "<when-approved />";
const REJECTED = "<when-rejected />";
const NOTIFY = '<notify><telegram chats="1" bot-token="{{secrets.BOT}}" /></notify>';

for (const [name, steps] of [
  ["alone", approval()],
  ["with every attribute", approval(undefined, ' name="N" description="D" timeout="24h" on-timeout="reject"')],
  ["that says what is so anyway", approval(undefined, ' timeout="1ms" on-timeout="fail"')],
  ["that waits longer than a year", approval(undefined, ' timeout="5000d"')],
  ["with arms", approval(`<when-approved>${step("x")}${step("y")}</when-approved><when-rejected>${step("z")}</when-rejected>`)],
  ["that tells somebody", approval(NOTIFY + APPROVED + REJECTED)],
  [
    "whose decision an arm reads",
    approval(
      `<when-approved>${choose("c", "{{context.steps.ok.decision}}", [step("x") + result("{{context.steps.ok}}"), step("y") + result("{{context.payload}}")])}</when-approved>${REJECTED}`,
    ),
  ],
] as const) {
  test(`an approval ${name}`, () => assert.deepEqual(codes(workflow(steps)), []));
}

for (const [code, steps, mark] of [
  ["APPROVAL_STRUCTURE_INVALID", approval(""), '<approval id="ok">'],
  ["APPROVAL_STRUCTURE_INVALID", approval(APPROVED), '<approval id="ok">'],
  ["APPROVAL_STRUCTURE_INVALID", approval(REJECTED), '<approval id="ok">'],
  ["APPROVAL_STRUCTURE_INVALID", approval(`${APPROVED}<when-approved  />${REJECTED}`), "<when-approved  />"],
  ["APPROVAL_STRUCTURE_INVALID", approval(`${APPROVED}${REJECTED}<when-rejected  />`), "<when-rejected  />"],
  ["APPROVAL_STRUCTURE_INVALID", approval(REJECTED + APPROVED), REJECTED],
  ["NOTIFY_INVALID_ORDER", approval(APPROVED + NOTIFY + REJECTED), "<notify>"],
  ["NOTIFY_INVALID_ORDER", approval(NOTIFY + NOTIFY.replace("<notify>", "<notify >").replace("1", "2") + APPROVED + REJECTED), "<notify >"],
  ...["", "0s", "1", "soon", "0.5ms", "-1s", "1h30m", "9007199254740992ms"].map(
    (time) => ["APPROVAL_TIMEOUT_INVALID", approval(undefined, ` timeout="${time}"`), time] as const,
  ),
  ["APPROVAL_TIMEOUT_INVALID", approval(undefined, ' timeout="1h" on-timeout="approve"'), "approve"],
  ["APPROVAL_TIMEOUT_INVALID", approval(undefined, ' on-timeout="reject"'), "on-timeout"],
  [
    "REFERENCE_NOT_DOMINATING",
    `${approval(`<when-approved>${step("x")}</when-approved>${REJECTED}`)}<for-each id="l" items="{{context.payload}}">${step("y")}${result("{{context.steps.x}}")}</for-each>`,
    "x",
  ],
] as const) {
  test(`${code} at ${mark}`, () => {
    assert.deepEqual(codes(workflow(steps)), [`WOML_${code}`]);
    assert.deepEqual(marked(workflow(steps)), [mark]);
  });
}

test("what a call alone starts does not wait for a person", () => {
  const text = workflow(approval() + approval().replace("ok", "again"), "");
  assert.deepEqual(codes(text), ["WOML_WORKFLOW_CALL_WAIT_UNSUPPORTED"]);
  assert.deepEqual(marked(text), ['<approval id="ok">']);
});

test("an approval opens a choice between what is done then", () => {
  const { definition, spans } = check(
    workflow(approval(`<when-approved>${step("x")}</when-approved>${REJECTED}`, ' timeout="1h" name="N"')),
  );
  assert.deepEqual(
    definition?.nodes.filter(({ kind }) => kind !== "step"),
    [
      { kind: "approval", id: "ok", choice: "ok:end", name: "N", timeoutMs: 3_600_000, onTimeout: "fail" },
      { kind: "choice", id: "ok:end" },
    ],
  );
  assert.deepEqual(
    definition?.edges.map(({ from, to, arm }) => [from, to, arm].join(" ").trim()),
    ["ok ok:end rejected", "ok x approved", "x ok:end"],
  );
  assert.equal(definition?.result, "ok");
  assert.ok(spans?.subjects.has("node:ok"));
});
