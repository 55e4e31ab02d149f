// What the language says of runs where several elements meet, sentence by sentence.
import { step } from "../support/enact.ts";
import { tell } from "../support/sentence.ts";

const BAD = 'throw new Error("no");';
const threw = "WOML_SCRIPT_THROWN";
const used = "WOML_STEP_RETRIES_EXHAUSTED";
const dyn = (id: string): string => step(id, "const all = context.steps; return Object.keys(all).sort();");
const hook = (on: string, inside = "<script>return 1;</script>"): string => `<${on}>${inside}</${on}>`;
const life = (...hooks: readonly string[]): string => `<lifecycle>${hooks.join("")}</lifecycle>`;
const fork = (join: string, a: string, b: string): string =>
  `<fork id="f"${join}><branch id="a">${a}</branch><branch id="b">${b}</branch></fork>`;
const loop = (body: string, more = ""): string => `<for-each id="l" items="{{context.payload.list}}"${more}>${body}</for-each>`;
const yes = (items: string): string =>
  `<choose><when test="{{context.payload.yes}}">${items}</when><otherwise>${step("no")}</otherwise></choose>`;
const ask = (inside = "", yesArm = step("y"), more = ""): string =>
  `<approval id="ok"${more}>${inside}<when-approved>${yesArm}</when-approved><when-rejected/></approval>`;
const result = (id: string): string => `<result value="{{context.steps.${id}}}"/>`;
const w = { id: "w" };
const provider = (script: string, more = ""): string =>
  `<woml><props><prop name="to"/></props><provider kind="notification"><script>${script}</script></provider>${more}</woml>`;
const pager = { imports: '<module name="page" from="./page.woml"/>' };
const sent = "return {messageId: String(props.to)};";
const page = '<notify><page to="me"/></notify>';

tell("failures", [
  [
    "used up attempts: the hook of the step is told the last failure, that of the run that they were used up",
    { steps: step("a", BAD, ' retry="2"'), around: life(hook("on-step-failure"), hook("on-error")) },
    {
      code: used,
      heard: {
        "@step_failure/a/1": {
          event: "step_failure",
          workflow: w,
          step: { id: "a", outcome: "failed", attempts: 2 },
          failure: { code: threw, message: "no" },
        },
        "@run_failure/1": {
          event: "run_failure",
          workflow: { id: "w", outcome: "failed" },
          failure: { code: used, message: "Step a failed in all of its 2 attempts; the last one: no" },
        },
      },
    },
  ],
  [
    "a group in a branch fails that branch alone",
    {
      steps: `${step("o")}${fork(' join="b"', `<parallel id="p">${step("p1", BAD)}${step("p2")}</parallel>`, step("b1"))}${step("z")}`,
      slow: ["p2"],
    },
    { code: threw, ran: "o b1 p1 z" },
  ],
  [
    "a loop in a branch fails that branch alone",
    { steps: `${step("o")}${fork(' join="b"', loop(step("i", BAD)), step("b1"))}${step("z")}`, payload: { list: [1, 2] } },
    { code: "WOML_FOR_EACH_ITERATION_FAILED", ran: "o b1 i#0 z" },
  ],
  [
    "a choice in a branch fails that branch alone",
    { steps: `${step("o")}${fork(' join="b"', yes(step("c")), step("b1"))}${step("z")}`, payload: { yes: 1 } },
    { code: "WOML_BRANCH_TEST_NOT_BOOLEAN", ran: "o b1 z" },
  ],
  [
    "a step behind a retry goes on beside the other branch",
    { steps: `${fork("", step("a1", `if (attempt.number < 2) ${BAD}`, ' retry="2"') + step("a2"), step("b1"))}${dyn("z")}` },
    { result: ["a1", "a2", "b1"], ran: "a1 b1 a1#2 a2 z" },
  ],
]);

tell("nesting", [
  [
    "a fork in an arm",
    { steps: `${yes(step("x") + fork("", step("a1"), step("b1")) + dyn("d"))}${dyn("z")}`, payload: { yes: true } },
    { result: [], saw: { d: { x: "x", a1: "a1", b1: "b1" } } },
  ],
  [
    "a loop in an arm of an approval",
    { steps: ask("", loop(step("i")) + dyn("d")) + dyn("z"), payload: { list: [1, 2] }, says: { ok: "approved" } },
    { result: ["ok"], ran: "i#0 i#1 d z" },
  ],
  [
    "a choice with an id in one with an id",
    {
      steps: `<choose id="c"><when test="{{context.payload.yes}}"><switch id="s" value="{{context.payload.v}}"><case value="x">${step("x")}${result("x")}</case><default>${step("d")}${result("d")}</default></switch>${result("s")}</when><otherwise>${step("o")}${result("o")}</otherwise></choose>`,
      payload: { yes: true, v: "x" },
    },
    { result: "x", ran: "x" },
  ],
  [
    "an approval in an arm: its decision is seen in that arm alone",
    { steps: `${step("o")}${yes(ask() + dyn("d"))}${dyn("z")}`, payload: { yes: true }, says: { ok: "approved" } },
    { result: ["o"], ran: "o y d z" },
  ],
  [
    "a switch with an id in a loop",
    {
      steps: loop(
        `<switch id="s" value="{{context.item}}"><case value="x">${step("x")}${result("x")}</case><default>${step("d")}<result value="{{context.iteration.index}}"/></default></switch>${result("s")}`,
      ),
      payload: { list: ["x", "y"] },
    },
    { result: { total: 2, succeeded: 2, results: ["x", 1] } },
  ],
  [
    "two loops one after the other, the second over what the first came to",
    {
      steps: `${loop(step("i", "return context.item + 1;") + result("i"))}<for-each id="m" items="{{context.steps.l.results}}">${step("j", "return context.item + 1;")}${result("j")}</for-each>`,
      payload: { list: [1, 2] },
    },
    { result: { total: 2, succeeded: 2, results: [3, 4] } },
  ],
  [
    "results of an empty loop are not there",
    {
      steps: `${loop(step("i") + result("i"))}<for-each id="m" items="{{context.steps.l.results}}">${step("j")}</for-each>`,
      payload: { list: [] },
    },
    { code: "WOML_REFERENCE_NOT_AVAILABLE" },
  ],
]);

tell("notices", [
  [
    "props reach a provider, in an approval too",
    { steps: ask(page), ...pager, files: { "page.woml": provider(`if (props.to !== 'me') ${BAD} ${sent}`) } },
    { status: "waiting", ran: "@notice/ok/1" },
  ],
  [
    "none delivered in a branch: that branch fails, the other goes on",
    { steps: `${step("o")}${fork(' join="b"', ask(page), step("b1"))}${step("z")}`, ...pager, files: { "page.woml": provider(BAD) } },
    { code: "WOML_NOTIFICATION_DELIVERY_FAILED", ran: "o b1 @notice/ok/1 z @notice/ok/1#2 @notice/ok/1#3" },
  ],
  [
    "decided before the last attempt: the delivery fails nothing",
    {
      steps: ask(page),
      ...pager,
      files: { "page.woml": provider(BAD) },
      before: (play) => void (play.state.approvals.get("ok")?.status === "waiting" && play.decide("ok", "approved")),
    },
    { ran: "@notice/ok/1 y" },
  ],
  [
    "actions and notices of a hook in the order of the text",
    {
      steps: step("a"),
      around: life(
        hook(
          "on-success",
          '<script>return 1;</script><notify><page to="x" message="m"/><page to="y" message="n"/></notify><script>return 2;</script>',
        ),
      ),
      ...pager,
      files: { "page.woml": provider(sent) },
    },
    { ran: "a @run_success/1 @run_success/2.1 @run_success/2.2 @run_success/3" },
  ],
  [
    "its own lifecycle is told of it",
    { steps: ask(page), ...pager, files: { "page.woml": provider(sent, life(hook("on-success"), hook("on-complete"))) } },
    { status: "waiting", heard: { "@use_success/@notice/ok/1/1": { event: "notice_success", workflow: w } } },
  ],
]);

tell("a cancel", [
  [
    "ends what goes on; what is there stays; its hooks see it",
    {
      steps: step("a") + step("b"),
      around: life(hook("on-cancel", "<script>const all = context.steps; return all;</script>"), hook("on-complete")),
      before: (play, site) => void (site === "b" && play.cancel()),
    },
    { status: "cancelled", ran: "a @run_cancel/1 @run_complete/1", saw: { "@run_cancel/1": { a: "a" } } },
  ],
  [
    "in a loop: no other iteration begins",
    { steps: loop(step("i")), payload: { list: [1, 2, 3] }, before: (play, site) => void (site === "i#1" && play.cancel()) },
    { status: "cancelled", ran: "i#0" },
  ],
  [
    "in a fork, and before a decision",
    {
      steps: step("o") + fork("", ask(), step("b1") + step("b2")),
      around: life(hook("on-error")),
      before: (play, site) => void (site === "b2" && play.cancel()),
    },
    { status: "cancelled", ran: "o b1" },
  ],
  [
    "while an attempt waits for its time",
    {
      steps: step("a", BAD, ' retry="3"') + step("b"),
      before: (play, site) => void (site === "a" && play.state.steps.get("a")?.attempt === 2 && play.cancel()),
    },
    { status: "cancelled", ran: "a" },
  ],
]);
