// What the language says about hooks, notices, reusable definitions and messages, sentence by sentence.
import { step } from "../support/enact.ts";
import { tell } from "../support/sentence.ts";

const BAD = 'throw new Error("no");';
const threw = "WOML_SCRIPT_THROWN";
const hook = (on: string, script = "return 1;", more = ""): string => `<${on}${more}><script>${script}</script></${on}>`;
const life = (...hooks: readonly string[]): { around: string } => ({ around: `<lifecycle>${hooks.join("")}</lifecycle>` });
const every = [
  "on-complete",
  "on-cancel",
  "on-error",
  "on-success",
  "on-step-complete",
  "on-step-failure",
  "on-step-success",
  "on-step-start",
  "on-start",
];
const all = life(...every.map((on) => hook(on)));
const asks = '<approval id="ok"><when-approved/><when-rejected/></approval>';
const w = { id: "w" };

tell("lifecycle", [
  [
    "all of a run that succeeds, in their order whatever the text's",
    { steps: step("a"), ...all },
    { ran: "@run_start/1 @step_start/a/1 a @step_success/a/1 @step_complete/a/1 @run_success/1 @run_complete/1" },
  ],
  [
    "all of a run that fails",
    { steps: step("a", BAD), ...all },
    { code: threw, ran: "@run_start/1 @step_start/a/1 a @step_failure/a/1 @step_complete/a/1 @run_failure/1 @run_complete/1" },
  ],
  [
    "of one that is cancelled",
    { steps: asks, ...all, before: (play, site) => void (site === "@run_start/1" && play.ok(site) && play.cancel()) },
    { status: "cancelled", ran: "@run_cancel/1 @run_complete/1" },
  ],
  [
    "a step's start comes before its first attempt alone, its end with its last",
    {
      steps: step("a", `if (attempt.number < 2) ${BAD}`, ' retry="2"'),
      ...life(hook("on-step-start"), hook("on-step-failure"), hook("on-step-success")),
    },
    { ran: "@step_start/a/1 a a#2 @step_success/a/1" },
  ],
  [
    "a filter names steps",
    { steps: step("a") + step("b") + step("c"), ...life(hook("on-step-success", "return 1;", ' steps="c a"')) },
    { ran: "a @step_success/a/1 b c @step_success/c/1" },
  ],
  [
    "a step that is nested may be named",
    {
      steps: `<parallel id="p">${step("a")}${step("b")}</parallel>${step("z")}`,
      ...life(hook("on-step-success", "return 1;", ' steps="b"')),
    },
    { ran: "a b @step_success/b/1 z" },
  ],
  [
    "a step in a loop is observed in each iteration",
    {
      steps: `<for-each id="l" items="{{context.payload.l}}">${step("i")}</for-each>`,
      payload: { l: [1, 2] },
      ...life(hook("on-step-start", "return context.item;")),
    },
    { ran: "@step_start/i#0/1 i#0 @step_start/i#1/1 i#1" },
  ],
  [
    "actions in the order of the text",
    { steps: step("a"), ...life("<on-success><script>return 1;</script><script>return 2;</script></on-success>") },
    { ran: "a @run_success/1 @run_success/2" },
  ],
  [
    "a failure changes nothing and is a warning, the next action follows",
    { steps: step("a"), ...life(`<on-success><script>${BAD}</script><script>return 2;</script></on-success>`, hook("on-complete")) },
    { result: "a", ran: "a @run_success/1 @run_success/2 @run_complete/1", warned: ["@run_success"] },
  ],
  [
    "a hook of the start that fails holds nothing up",
    { steps: step("a"), ...life(hook("on-start", BAD), hook("on-step-start", BAD)) },
    { result: "a", warned: ["@run_start", "@step_start/a"] },
  ],
  [
    "what it returns is nobody's",
    { steps: step("a") + step("b", "return Object.keys(context.steps).map(String);"), ...life(hook("on-step-success", "return {a: 9};")) },
    { result: ["a"] },
  ],
  ["an action has one attempt", { steps: step("a"), ...life(hook("on-success", BAD)) }, { ran: "a @run_success/1" }],
  [
    "a hook sees outputs",
    { steps: step("a") + step("b"), ...life(hook("on-success", "const all = context.steps; return all;")) },
    { saw: { "@run_success/1": { a: "a", b: "b" } } },
  ],
  [
    "the hook of a step's start sees what is before it",
    { steps: step("a") + step("b"), ...life(hook("on-step-start", "const all = context.steps; return all;", ' steps="b"')) },
    { saw: { "@step_start/b/1": { a: "a" } } },
  ],
  [
    "a hook of a step's success sees its output",
    { steps: step("a"), ...life(hook("on-step-success", "const all = context.steps; return all;")) },
    { saw: { "@step_success/a/1": { a: "a" } } },
  ],
  [
    "run_start is told of the workflow alone",
    { steps: step("a"), ...life(hook("on-start")) },
    { heard: { "@run_start/1": { event: "run_start", workflow: w } } },
  ],
  [
    "step_start has no outcome",
    { steps: step("a"), ...life(hook("on-step-start")) },
    { heard: { "@step_start/a/1": { event: "step_start", workflow: w, step: { id: "a", attempts: 0 } } } },
  ],
  [
    "step_success",
    { steps: step("a", `if (attempt.number < 2) ${BAD}`, ' retry="2"'), ...life(hook("on-step-success")) },
    { heard: { "@step_success/a/1": { event: "step_success", workflow: w, step: { id: "a", outcome: "succeeded", attempts: 2 } } } },
  ],
  [
    "step_failure",
    { steps: step("a", BAD), ...life(hook("on-step-failure")) },
    {
      code: threw,
      heard: {
        "@step_failure/a/1": {
          event: "step_failure",
          workflow: w,
          step: { id: "a", outcome: "failed", attempts: 1 },
          failure: { code: threw, message: "no" },
        },
      },
    },
  ],
  [
    "step_complete",
    { steps: step("a"), ...life(hook("on-step-complete")) },
    { heard: { "@step_complete/a/1": { event: "step_complete", workflow: w, step: { id: "a", outcome: "succeeded", attempts: 1 } } } },
  ],
  [
    "run_success",
    { steps: step("a"), ...life(hook("on-success"), hook("on-complete")) },
    {
      heard: {
        "@run_success/1": { event: "run_success", workflow: { id: "w", outcome: "succeeded" } },
        "@run_complete/1": { event: "run_complete", workflow: { id: "w", outcome: "succeeded" } },
      },
    },
  ],
  [
    "run_failure",
    { steps: step("a", BAD), ...life(hook("on-error")) },
    {
      code: threw,
      heard: {
        "@run_failure/1": { event: "run_failure", workflow: { id: "w", outcome: "failed" }, failure: { code: threw, message: "no" } },
      },
    },
  ],
  [
    "hooks of a failed branch that is not joined come while the main route goes on",
    {
      steps: `${step("y")}<fork id="f" join="none"><branch id="a">${step("a", BAD)}</branch><branch id="b">${step("b")}</branch></fork>${step("z")}`,
      ...life(hook("on-step-failure"), hook("on-error")),
    },
    { code: threw, ran: "y a b z @step_failure/a/1 @run_failure/1" },
  ],
  [
    "a cancelled step has no end that is observed",
    { steps: `<parallel id="p">${step("a", BAD)}${step("b")}</parallel>${step("z")}`, slow: ["b"], ...life(hook("on-step-complete")) },
    { code: threw, ran: "a @step_complete/a/1" },
  ],
  [
    "a step that never began is observed by nothing",
    { steps: step("a", BAD) + step("b"), ...life(hook("on-step-complete", "return 1;", ' steps="b"')) },
    { code: threw, ran: "a" },
  ],
]);

const file = (props: string, script: string, more = ""): string =>
  `<woml>${props === "" ? "" : `<props>${props}</props>`}<step><script>${script}</script></step>${more}</woml>`;
const use = (text: string, steps: string, more = {}): { steps: string; imports: string; files: Record<string, string> } => ({
  steps,
  imports: '<module name="weigh" from="./weigh.woml"/>',
  files: { "weigh.woml": text },
  ...more,
});
const needs = '<prop name="kg" required="true"/><prop name="more"/>';
const own =
  "<lifecycle><on-complete><script>return 1;</script></on-complete><on-error><script>return 1;</script></on-error><on-success><script>return props.kg;</script></on-success></lifecycle>";
tell("reusable steps", [
  [
    "a literal prop is a text",
    use(file(needs, "return [props.kg, props.more ?? null];"), '<weigh id="a" kg="5"/>'),
    { result: ["5", null] },
  ],
  [
    "a reference keeps its type",
    use(file(needs, "return props.kg;"), '<weigh id="a" kg="{{context.payload.kg}}"/>', { payload: { kg: { n: [1] } } }),
    { result: { n: [1] } },
  ],
  ["a reference to a step", use(file(needs, "return props.kg;"), `${step("o")}<weigh id="a" kg="{{context.steps.o}}"/>`), { result: "o" }],
  [
    "a prop that is missing fails the step",
    use(file(needs, "return props.kg;"), '<weigh id="a" kg="{{context.payload.kg}}"/>'),
    { code: "WOML_REFERENCE_NOT_AVAILABLE", ran: "a" },
  ],
  [
    "that is not tried again",
    use(file(needs, "return props.kg;"), '<weigh id="a" kg="{{context.payload.kg}}" retry="3"/>'),
    { code: "WOML_REFERENCE_NOT_AVAILABLE", ran: "a" },
  ],
  [
    "it is a step like any other: retries",
    use(file(needs, `if (attempt.number < 2) ${BAD} return attempt.maxAttempts;`), '<weigh id="a" kg="1" retry="2"/>'),
    { result: 2, ran: "a a#2" },
  ],
  [
    "it stands in a group",
    use(
      file(needs, "return props.kg;"),
      `<parallel id="p"><weigh id="a" kg="1"/><weigh id="b" kg="2"/></parallel>${step("z", "return [context.steps.a, context.steps.b];")}`,
    ),
    { result: ["1", "2"] },
  ],
  [
    "in a loop, its prop the item",
    use(
      file(needs, "return props.kg;"),
      '<for-each id="l" items="{{context.payload.l}}"><weigh id="a" kg="{{context.item}}"/><result value="{{context.steps.a}}"/></for-each>',
      { payload: { l: [3, 4] } },
    ),
    { result: { total: 2, succeeded: 2, results: [3, 4] } },
  ],
  ["it sees the context", use(file(needs, "return context.steps.o;"), `${step("o")}<weigh id="a" kg="1"/>`), { result: "o" }],
  [
    "its own lifecycle comes before the workflow's hooks",
    use(file(needs, "return 1;", own), '<weigh id="a" kg="1"/>', life(hook("on-step-success"), hook("on-step-complete"))),
    { ran: "a @use_success/a/1 @use_complete/a/1 @step_success/a/1 @step_complete/a/1" },
  ],
  ["of a failure", use(file(needs, BAD, own), '<weigh id="a" kg="1"/>'), { code: threw, ran: "a @use_error/a/1 @use_complete/a/1" }],
  [
    "hooks name it by its id",
    use(file(needs, "return 1;"), `${step("o")}<weigh id="a" kg="1"/>`, life(hook("on-step-start", "return 1;", ' steps="a"'))),
    { ran: "o @step_start/a/1 a" },
  ],
]);

const provider = (script: string, more = ""): string =>
  `<woml><provider kind="notification"><script>${script}</script></provider>${more}</woml>`;
const page = (text: string, around: string, steps: string, more = {}) => ({
  steps,
  around,
  imports: '<module name="page" from="./page.woml"/>',
  files: { "page.woml": text },
  ...more,
});
const notify = (message: string): string => `<notify><page message="${message}"/></notify>`;
const asked = (more = ""): string =>
  `<approval id="ok"${more}><notify><page/></notify><when-approved>${step("y")}</when-approved><when-rejected/></approval>`;
const two = '<approval id="ok"><notify><page/><bad/></notify><when-approved/><when-rejected/></approval>';
const sent = "return {messageId: 'm'};";
tell("notices", [
  ["an approval tells, and waits", page(provider(sent), "", asked()), { status: "waiting", ran: "@notice/ok/1" }],
  ["decided it goes on", page(provider(sent), "", asked(), { says: { ok: "approved" } }), { ran: "@notice/ok/1 y" }],
  [
    "three attempts, after 1 s and 5 s; all failed: the run fails",
    page(provider(BAD), "", asked()),
    { code: "WOML_NOTIFICATION_DELIVERY_FAILED", ran: "@notice/ok/1 @notice/ok/1#2 @notice/ok/1#3", took: 6_000 },
  ],
  [
    "one that is delivered is enough",
    {
      ...page(provider(sent), "", two),
      files: { "page.woml": provider(sent), "bad.woml": provider(BAD) },
      imports: '<module name="page" from="./page.woml"/><module name="bad" from="./bad.woml"/>',
    },
    { status: "waiting", ran: "@notice/ok/1 @notice/ok/2 @notice/ok/2#2 @notice/ok/2#3" },
  ],
  [
    "an answer without a messageId is a failed delivery",
    page(provider("return {};"), "", asked()),
    { code: "WOML_NOTIFICATION_DELIVERY_FAILED" },
  ],
  [
    "in a hook a failed delivery is a warning",
    page(provider(BAD), `<lifecycle><on-success>${notify("x")}</on-success></lifecycle>`, step("a")),
    { result: "a", warned: ["@run_success"] },
  ],
]);

const says = (message: string, on = "on-success") =>
  page(
    provider("return {messageId: notification.message};"),
    `<lifecycle><${on}>${notify(message)}</${on}></lifecycle>`,
    step("a", "return {n: 1, o: {}, z: null};"),
    { payload: { who: "me", yes: true, l: [1] } },
  );
tell("messages", [
  [
    "placeholders",
    says(
      "{{ context.payload.who }}: {{context.steps.a.n}}, {{context.payload.yes}}, {{lifecycle.event}} {{lifecycle.workflow.id}} {{lifecycle.workflow.outcome}}",
    ),
    { said: { "@run_success/1.1": "me: 1, true, run_success w succeeded" } },
  ],
  ["an object is no scalar", says("{{context.steps.a.o}}"), { warned: ["@run_success"], ran: "a @run_success/1.1" }],
  ["a list is none", says("{{context.payload.l}}"), { warned: ["@run_success"] }],
  ["null is none", says("{{context.steps.a.z}}"), { warned: ["@run_success"] }],
  ["what is missing is none", says("{{context.payload.nobody}}"), { warned: ["@run_success"] }],
  ["a step that has not run is missing", says("{{context.steps.a.n}}", "on-start"), { warned: ["@run_start"] }],
  [
    "step and attempts",
    says("{{lifecycle.step.id}} {{lifecycle.step.attempts}} {{lifecycle.step.outcome}}", "on-step-success"),
    { said: { "@step_success/a/1.1": "a 1 succeeded" } },
  ],
]);
