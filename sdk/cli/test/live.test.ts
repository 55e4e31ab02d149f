import assert from "node:assert/strict";
import { test } from "node:test";
import type { Trigger } from "@woml/client";
import type { EventView } from "@woml/run";
import { introduced } from "../live/intro.ts";
import { chosenOf } from "../live/keyboard.ts";
import { EventLines } from "../live/line.ts";
import { secretsIn } from "../live/reading.ts";
import { unsetSecrets } from "../live/unset.ts";
import { folderWith, valid, womlHere } from "./woml.ts";

const RUN = { id: "run_019a0000-0000-7000-8000-000000abcdef", workflow: "shop" };
const event = (type: EventView["type"], data: object): EventView => ({ seq: 1, at: "2026-12-01T12:34:56.789Z", type, data: data as never });

for (const [shown, type, data] of [
  ["run admitted  by nightly", "run_admitted", { workflow: "shop", trigger: { kind: "schedule", id: "nightly" }, payload: {} }],
  ["step started  charge", "step_started", { node: "charge", attempt: 1 }],
  ["step started  charge#3 (attempt 2)", "step_started", { node: "charge#3", attempt: 2 }],
  [
    "operation started  charge  acme.payments.charge",
    "operation_started",
    { node: "charge", attempt: 1, call: 1, try: 1, by: "script", called: { capability: "acme.payments", operation: "charge" } },
  ],
  [
    "operation refused  charge  http.request  WOML_CALL_LIMIT: too many",
    "operation_refused",
    {
      node: "charge",
      attempt: 1,
      call: 2,
      capability: "http",
      operation: "request",
      failure: { code: "WOML_CALL_LIMIT", message: "too many" },
    },
  ],
  ["iteration started  each#3", "iteration_started", { node: "each", index: 3 }],
  ["branch settled  all:join  left  succeeded", "branch_settled", { node: "all:join", branch: "left", status: "succeeded", failure: null }],
  ["hook requested  @step_success/charge", "hook_requested", { hook: "@step_success/charge", actions: [] }],
  ["approval resolved  ask  approved", "approval_resolved", { node: "ask", decision: "approved", source: "human", by: "k" }],
  ["step cancelled  charge  fail_fast", "step_cancelled", { node: "charge", attempt: 1, reason: "fail_fast" }],
  ["outcome decided  succeeded  1", "outcome_decided", { status: "succeeded", result: 1 }],
  ["choice selected  route  gold", "choice_selected", { node: "route", arm: "gold" }],
  ['step succeeded  charge  {"ok":true}', "step_succeeded", { node: "charge", attempt: 1, output: { ok: true } }],
  [
    "step failed  charge  WOML_X: a\\u001b[2Jb c",
    "step_failed",
    { node: "charge", failure: { code: "WOML_X", message: "a\u001b[2Jb\nc" } },
  ],
  ["run succeeded  null", "run_succeeded", { result: null }],
] as const)
  test(`an event in one line: ${shown}`, () => {
    assert.equal(new EventLines().line(RUN, event(type, data)), `12:34:56.789  shop#abcdef  ${shown}`);
  });

test("what follows of a call says which node and operation it is of, for each run its own", () => {
  const lines = new EventLines();
  const said = (type: EventView["type"], data: object, of = RUN): string =>
    lines.line(of, event(type, data)).split("  ").slice(2).join("  ");
  const other = { ...RUN, id: `${RUN.id.slice(0, -6)}123456` };
  const first = { node: "charge#2", attempt: 1, call: 1 };
  said("operation_started", { ...first, try: 1, called: { capability: "acme.payments", operation: "charge" } });
  said("operation_started", { ...first, try: 1, called: { capability: "http", operation: "request" } }, other);
  said("operation_started", { ...first, call: 2, try: 1, called: { capability: "acme.payments", operation: "quote" } });
  const result = { ok: true };
  assert.deepEqual(
    [
      said("operation_doubted", { ...first, try: 1, reason: "lost", detail: "d" }),
      said("operation_started", { ...first, try: 2, called: null }),
      said("operation_settled", { ...first, try: 2, outcome: { status: "succeeded", result } }),
      said("operation_settled", { ...first, try: 1, outcome: { status: "failed", failure: { code: "X", message: "no" } } }, other),
      said("operation_settled", { ...first, call: 2, try: 1, outcome: { status: "succeeded", result: 1 } }),
      said("outcome_resolved", { ...first, verdict: { status: "retry" } }),
    ],
    [
      "operation doubted  charge#2  acme.payments.charge  lost",
      "operation started  charge#2  acme.payments.charge  try 2",
      'operation settled  charge#2  acme.payments.charge  try 2  succeeded  {"ok":true}',
      "operation settled  charge#2  http.request  failed  X: no",
      "operation settled  charge#2  acme.payments.quote  succeeded  1",
      "outcome resolved  charge#2  acme.payments.charge  retry",
    ],
  );
  said("run_succeeded", { result: null });
  assert.equal(
    said("operation_settled", { ...first, try: 1, outcome: { status: "succeeded", result } }),
    'operation settled  charge#2  succeeded  {"ok":true}',
  );
});

test("a line that would be long is cut, and says so", () => {
  const line = new EventLines().line(RUN, event("run_succeeded", { result: "x".repeat(10_000) }));
  assert.ok(line.length < 500 && line.endsWith("…"), line);
});

const none = {
  url: null,
  signal: null,
  cron: null,
  timezone: null,
  everyMs: null,
  onMissed: null,
  secrets: [],
  setting: null,
  nextFires: [],
  lastDelivery: null,
};
const trigger = (kind: Trigger["kind"], own: Partial<Trigger>): Trigger => ({
  ...{ ...none, id: "t", workflow: "shop", version: "ver_1", since: "", kind },
  ...own,
});
const URL_IN = "http://h/t/demo/hooks/in";
const FIRE = "2026-07-01T06:30:00.000Z";

for (const [of, ...lines] of [
  [trigger("manual", {}), "  t  manual  press Enter"],
  [
    trigger("webhook", { url: URL_IN }),
    `  t  webhook  POST ${URL_IN}`,
    `      curl -s '${URL_IN}' -H 'content-type: application/json' -d '{}'`,
  ],
  [
    trigger("webhook", { url: URL_IN, secrets: ["KEY"] }),
    `  t  webhook  POST ${URL_IN}`,
    `      curl -s '${URL_IN}' -H "authorization: Bearer $KEY" -H 'content-type: application/json' -d '{}'`,
    "      $KEY is the value of that secret",
  ],
  [
    trigger("webhook", { url: URL_IN, secrets: ["A", "B"], setting: { verification: { scheme: "slack", secrets: ["A", "B"] } } }),
    `  t  webhook  POST ${URL_IN}`,
    `      curl -s '${URL_IN}' -H 'content-type: application/json' -d '{}'`,
    "      signed with A or B: a plain curl is refused",
  ],
  [trigger("signal", { signal: "order.paid" }), "  t  signal  order.paid", "      woml signal emit order.paid --payload '{}' --data here"],
  [
    trigger("signal", { signal: "order.paid", url: "http://h/t/demo/events/order.paid", secrets: ["KEY"] }),
    "  t  signal  order.paid, POST http://h/t/demo/events/order.paid",
    "      woml signal emit order.paid --payload '{}' --data here",
    `      curl -s 'http://h/t/demo/events/order.paid' -H "authorization: Bearer $KEY" -H "event-id: $(date +%s)" -H 'content-type: application/json' -d '{}'`,
    "      $KEY is the value of that secret",
  ],
  [trigger("signal", { signal: "woml.run-failed" }), "  t  signal  woml.run-failed", "      the platform alone emits it"],
] as const)
  test(`what a ${of.kind} does, and how it is asked: ${lines.at(-1)?.trim()}`, () => {
    assert.deepEqual(introduced(of, " --data here", "press Enter"), lines);
  });

test("the next slot is said in the zone where one stands and in the schedule's own", () => {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zone = own === "America/New_York" ? "Asia/Tokyo" : "America/New_York";
  const [, next = ""] = introduced(trigger("schedule", { cron: "30 2 * * *", timezone: zone, nextFires: [FIRE] }), "", null);
  const wall = own === "America/New_York" ? "15:30:00" : "02:30:00";
  assert.match(next, new RegExp(`^      next: 2026-0[67]-\\d\\d \\d\\d:\\d\\d:00 ${own}, 2026-07-01 ${wall} ${zone}$`));
});

test("the manual trigger that Enter starts is named by its id, or with its workflow", () => {
  const manual = ["a", "b"].flatMap((workflow) => [{ workflow, id: "go" }]);
  assert.deepEqual(chosenOf(manual, undefined), manual);
  assert.deepEqual(chosenOf(manual, "b/go"), [{ workflow: "b", id: "go" }]);
  assert.deepEqual(chosenOf(manual, "go"), manual);
  for (const none of ["b", "a/b", "go/a", ""])
    assert.throws(() => chosenOf(manual, none), { code: "WOML_CLI_ARGUMENTS_INVALID", message: /a\/go, b\/go/ });
  assert.throws(() => chosenOf([], "go"), { message: "There is no manual trigger go; there is none." });
});

test("secrets of the environment are those that were named, and each has to be there", () => {
  assert.deepEqual(secretsIn({}, undefined), new Map());
  assert.deepEqual(
    secretsIn({ A: "1", B: "2", C: "3" }, "A, B"),
    new Map([
      ["A", "1"],
      ["B", "2"],
    ]),
  );
  for (const names of ["A,B", "", ","]) assert.throws(() => secretsIn({ A: "1" }, names), { code: "WOML_CLI_ARGUMENTS_INVALID" });
});

test("run: what is wrong with a workflow is said as check says it, and nothing is started", async (t) => {
  const folder = folderWith(t, {
    "bad.woml": "<woml><workflow id='B'/></woml>",
    "step.woml": "<woml><step><script>return 1;</script></step></woml>",
  });
  const said = await womlHere(t, folder, ["run", "bad.woml"]);
  assert.equal(said.code, 3);
  assert.match(said.stderr, /bad\.woml/);
  assert.equal(said.stdout, "");
  const json = await womlHere(t, folder, ["run", "--json", "bad.woml"]);
  assert.equal(json.code, 3);
  assert.equal(JSON.parse(json.stdout)[0].file, "bad.woml");
  const none = await womlHere(t, folder, ["run", "step.woml"]);
  assert.deepEqual([none.code, none.stderr.split(":")[0]], [2, "WOML_RUNNABLE_WORKFLOW_REQUIRED"]);
  for (const args of [
    ["--payload", "[]"],
    ["--port", "x"],
    ["--env-secrets", "NOT_THERE_AT_ALL"],
  ])
    assert.ok([2, 3].includes((await womlHere(t, folder, ["run", ...args, "bad.woml"])).code));
});

test("run: a manual trigger that is not there, and an id that is there twice, are refused before anything is started", async (t) => {
  const folder = folderWith(t, { "a.woml": valid("a"), "b.json": JSON.stringify({ workflow: { id: "a" } }), "c.woml": valid("c") });
  const none = await womlHere(t, folder, ["run", "a.woml", "c.woml", "--trigger", "nope"]);
  assert.deepEqual([none.code, none.stdout], [2, ""]);
  assert.equal(none.stderr, "WOML_CLI_ARGUMENTS_INVALID: There is no manual trigger nope; there is a/go, c/go.\n");
  const twice = await womlHere(t, folder, ["run", "a.woml", "b.json"]);
  assert.deepEqual([twice.code, twice.stderr], [2, 'WOML_WORKFLOW_ID_DUPLICATE: The workflow id "a" of b.json is also that of a.woml.\n']);
});

test("secrets that workflows and the settings of their triggers need, and nobody has set, are named once, with who needs them", async () => {
  const client = { secrets: async () => [{ name: "SET", createdAt: "", updatedAt: "" }] } as never;
  const definition = (id: string, secrets: readonly string[]): never =>
    ({ ...DEFINITION, workflow: { id }, nodes: [{ ...STEP, script: { source: "", secrets } }] }) as never;
  const unset = await unsetSecrets(
    client,
    [definition("a", ["B", "SET"]), definition("b", ["A", "B"])],
    [
      { workflow: "a", secrets: ["HOOK", "SET"] },
      { workflow: "a", secrets: ["B"] },
    ],
  );
  assert.deepEqual(unset, [
    { name: "A", workflows: ["b"] },
    { name: "B", workflows: ["a", "b"] },
    { name: "HOOK", workflows: ["a"] },
  ]);
});
const STEP = { kind: "step", id: "s", contract: 1 };
const DEFINITION = { schemaVersion: 1, triggers: [], nodes: [], edges: [], result: "s" };
