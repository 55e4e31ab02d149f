import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { definition as reusable, told as toldWith, withImports } from "./definitions.ts";
import { check, choose, codes, growth, LINEAR, marked, result, step, workflow } from "./sources.ts";

const TRIGGERS = '<triggers><manual id="go" /></triggers>';
const RUN = '<script>console.log("told");</script>';
const FLOW = [
  step("one"),
  `<parallel id="both">${step("left")}${step("right")}</parallel>`,
  choose("route", "{{context.payload.ok}}", [
    step("inArm") + result("{{context.steps.inArm}}"),
    step("inOther") + result("{{context.payload}}"),
  ]),
  `<for-each id="loop" items="{{context.payload.list}}">${step("inLoop")}</for-each>`,
  `<approval id="ask"><when-approved>${step("whenYes")}</when-approved><when-rejected /></approval>`,
  `<fork id="ways"><branch id="north">${step("inBranch")}</branch></fork>`,
  step("last"),
].join("");
const within = (lifecycle: string): string => workflow(FLOW, `<lifecycle>${lifecycle}</lifecycle>${TRIGGERS}`);
const hook = (name: string, inside = RUN, attributes = ""): string => `<${name}${attributes && ` ${attributes}`}>${inside}</${name}>`;
const filtered = (steps: string): string => within(hook("on-step-start", RUN, `steps="${steps}"`));
const told = (text: string): readonly string[] => codes(text).map((code, at) => `${code.replace("WOML_", "")} ${marked(text)[at]}`);

const HOOKS = [
  ["on-start", "run_start"],
  ["on-step-start", "step_start"],
  ["on-step-success", "step_success"],
  ["on-step-failure", "step_failure"],
  ["on-step-complete", "step_complete"],
  ["on-success", "run_success"],
  ["on-error", "run_failure"],
  ["on-cancel", "run_cancel"],
  ["on-complete", "run_complete"],
] as const;

test("every hook is taken, in any order, and lowered in one", () => {
  const text = within(
    HOOKS.toReversed()
      .map(([name]) => hook(name))
      .join("<!-- and -->"),
  );
  assert.deepEqual(told(text), []);
  assert.deepEqual(
    check(text).definition?.lifecycle?.map(({ on }) => on),
    HOOKS.map(([, event]) => event),
  );
});

test("a lifecycle may stand behind the steps, and in a workflow that is called", () => {
  assert.deepEqual(
    told(`<woml><workflow id="w"><steps>${step("a")}</steps><lifecycle>${hook("on-error")}</lifecycle></workflow></woml>`),
    [],
  );
});

for (const steps of ["one", "left right", "inArm inOther", "inLoop", "whenYes", "inBranch", " one\n\tlast "]) {
  test(`a filter names steps wherever they stand: ${JSON.stringify(steps)}`, () => {
    assert.deepEqual(told(filtered(steps)), []);
    assert.deepEqual(check(filtered(steps)).definition?.lifecycle?.[0]?.steps, steps.trim().split(/\s+/).sort());
  });
}

for (const [text, ...expected] of [
  [within(""), "LIFECYCLE_ACTION_REQUIRED <lifecycle>"],
  [within("<!-- later -->"), "LIFECYCLE_ACTION_REQUIRED <lifecycle>"],
  [within("<on-start />"), "LIFECYCLE_ACTION_REQUIRED <on-start />"],
  [within("<on-step-failure> </on-step-failure>"), "LIFECYCLE_ACTION_REQUIRED <on-step-failure>"],
  [within("<on-start>told</on-start>"), "UNEXPECTED_CONTENT told"],
  [within(`${hook("on-start")}<on-start><script>2;</script></on-start>`), "LIFECYCLE_DUPLICATE <on-start>"],
  [within(hook("on-start")).replace("<steps>", `<lifecycle >${hook("on-error")}</lifecycle><steps>`), "LIFECYCLE_DUPLICATE <lifecycle >"],
  [within(hook("on-failure")), "LIFECYCLE_HOOK_INVALID <on-failure>"],
  [within(hook("on-finish", "<nonsense />")), "UNKNOWN_ELEMENT <on-finish>"],
  [within(hook("on-step-fail")), "UNKNOWN_ELEMENT <on-step-fail>"],
  [within("<nonsense />"), "UNKNOWN_ELEMENT <nonsense />"],
  [within(`<on-start><script/></on-start>`), "SCRIPT_BODY_REQUIRED <script/>"],
  [within(hook("on-start", RUN, 'steps="one"')), "LIFECYCLE_STEP_FILTER_INVALID steps"],
  [within(hook("on-complete", RUN, 'steps="nope"')), "LIFECYCLE_STEP_FILTER_INVALID steps"],
  [within(hook("on-start", RUN, 'step="one"')), "UNKNOWN_ATTRIBUTE step"],
  [filtered(""), "LIFECYCLE_STEP_FILTER_INVALID "],
  [filtered(" \n "), "LIFECYCLE_STEP_FILTER_INVALID  \n "],
  [filtered("one one"), "LIFECYCLE_STEP_FILTER_INVALID one one"],
  [filtered("one,last"), "LIFECYCLE_STEP_FILTER_INVALID one,last"],
  [filtered("One"), "LIFECYCLE_STEP_FILTER_INVALID One"],
  [filtered("nope"), "LIFECYCLE_STEP_UNKNOWN nope"],
  [filtered("one lost last gone"), "LIFECYCLE_STEP_UNKNOWN lost", "LIFECYCLE_STEP_UNKNOWN gone"],
  ...["both", "route", "loop", "ask", "ways", "north"].map((id) => [filtered(`one ${id}`), `LIFECYCLE_STEP_UNKNOWN ${id}`] as const),
] as const) {
  test(`${expected.join()} of ${text.slice(text.indexOf("<lifecycle"), text.indexOf("<triggers"))}`, () => {
    assert.deepEqual(told(text), expected);
  });
}

test("what is meant is said where it is near", () => {
  const hint = (text: string): string | null | undefined => check(text).diagnostics[0]?.hint;
  assert.equal(hint(within(hook("on-failure"))), "Did you mean <on-error>?");
  assert.equal(hint(within(hook("on-step-sucess"))), "Did you mean <on-step-success>?");
  assert.equal(hint(filtered("inLop")), "Did you mean inLoop?");
  assert.match(check(filtered("route")).diagnostics[0]?.message ?? "", /choose/);
});

test("what may have been meant to be a step is not unknown too", () => {
  assert.deepEqual(codes(workflow('<Step id="x" />', `<lifecycle>${hook("on-step-start", RUN, 'steps="x"')}</lifecycle>${TRIGGERS}`)), [
    "WOML_UNKNOWN_ELEMENT",
  ]);
  const without = within(hook("on-step-start", RUN, 'steps="x"')).replace(/<steps>.*<\/steps>/, "");
  assert.deepEqual(codes(without), ["WOML_STEPS_CONTAINER_COUNT"]);
});

const CHAT = '<telegram chats="-5, 7" bot-token="{{secrets.BOT}}" message="{{ lifecycle.step.id }}: {{context.steps.one.a}}" />';

test("a hook is lowered with its steps sorted and its actions as they stand", () => {
  const text = within(
    hook("on-step-failure", `<script>return context.steps.one;</script><notify>${CHAT}</notify>${RUN}`, 'steps="one last left"'),
  );
  const { definition, diagnostics, sourceMap, spans } = check(text);
  assert.deepEqual(diagnostics, []);
  assert.deepEqual(definition?.lifecycle, [
    {
      on: "step_failure",
      steps: ["last", "left", "one"],
      actions: [
        { kind: "script", script: { source: "return context.steps.one;", needs: { payload: false, steps: ["one"] } } },
        {
          kind: "notify",
          notices: [
            {
              provider: "telegram",
              chats: ["-5", "7"],
              botToken: "BOT",
              message: [
                { kind: "reference", path: ["lifecycle", "step", "id"] },
                { kind: "text", text: ": " },
                { kind: "reference", path: ["steps", "one", "a"] },
              ],
            },
          ],
        },
        { kind: "script", script: { source: 'console.log("told");', needs: { payload: false, steps: [] } } },
      ],
    },
  ]);
  assert.equal(sourceMap?.scripts["hook:step_failure:1"]?.column, text.indexOf("return context.steps.one;") + 1);
  assert.equal(sourceMap?.scripts["hook:step_failure:3"]?.line, 1);
  assert.equal(spans?.subjects.get("hook:step_failure")?.start.offset, text.indexOf("<on-step-failure"));
});

test("calls and secrets of a hook have their places", () => {
  const text = within(hook("on-error", '<script>await services.http.request({ url: "https://a.example/" + secrets.KEY });</script>'));
  const { definition, spans } = check(text);
  const [action] = definition?.lifecycle?.[0]?.actions ?? [];
  assert.ok(action?.kind === "script");
  assert.deepEqual([action.script.calls, action.script.secrets], [["http.request"], ["KEY"]]);
  assert.equal(spans?.calls.get("hook:run_failure:1")?.get("http.request")?.start.offset, text.indexOf("services.http"));
  assert.equal(spans?.secrets.get("hook:run_failure:1")?.get("KEY")?.start.offset, text.indexOf("secrets.KEY"));
});

test("the tag of a reusable step is a step, whatever its definition is worth", () => {
  const told = (files: Readonly<Record<string, string>>): readonly string[] => {
    const text = workflow('<tax id="a" />', `<lifecycle>${hook("on-step-start", RUN, 'steps="a"')}</lifecycle>${TRIGGERS}`);
    return toldWith(withImports('<module name="tax" from="./tax.woml" />', text), files);
  };
  assert.deepEqual(told({ "tax.woml": reusable("") }), []);
  assert.deepEqual(told({}), ["WOML_REUSABLE_SOURCE_NOT_FOUND ./tax.woml"]);
});

const defined = (lifecycle: string, kind = "step"): string =>
  `<woml><${kind}${kind === "provider" ? ' kind="notification"' : ""}><script>return 1;</script></${kind}><lifecycle>${lifecycle}</lifecycle></woml>`;

test("a definition has three hooks, with scripts", () => {
  for (const kind of ["step", "provider"])
    assert.deepEqual(told(defined(["on-success", "on-error", "on-complete"].map((name) => hook(name, RUN + RUN)).join(""), kind)), []);
});

for (const [lifecycle, expected] of [
  ["", "LIFECYCLE_ACTION_REQUIRED <lifecycle>"],
  ["<on-error />", "LIFECYCLE_ACTION_REQUIRED <on-error />"],
  [hook("on-start", "<nonsense />"), "REUSABLE_LIFECYCLE_HOOK_INVALID <on-start>"],
  [hook("on-cancel"), "REUSABLE_LIFECYCLE_HOOK_INVALID <on-cancel>"],
  [hook("on-failure"), "REUSABLE_LIFECYCLE_HOOK_INVALID <on-failure>"],
  [hook("on-step-success"), "REUSABLE_STEP_HOOK_UNSUPPORTED <on-step-success>"],
  [hook("on-error", "<notify />"), "REUSABLE_LIFECYCLE_NOTIFY_UNSUPPORTED <notify />"],
  [hook("on-error", `${RUN}<notify>${CHAT}</notify>`), "REUSABLE_LIFECYCLE_NOTIFY_UNSUPPORTED <notify>"],
  [hook("on-error", "<script />"), "SCRIPT_BODY_REQUIRED <script />"],
  [hook("on-error") + hook("on-error").replace("<on-error", "<on-error "), "LIFECYCLE_DUPLICATE <on-error >"],
  [hook("on-error", RUN, 'steps="a"'), "LIFECYCLE_STEP_FILTER_INVALID steps"],
] as const) {
  test(`of a definition: ${expected}`, () => {
    assert.deepEqual(told(defined(lifecycle)), [expected]);
  });
}

const IDS = ["one", "left", "right", "inArm", "inLoop", "last"];
const message = fc
  .array(
    fc.oneof(
      fc.constantFrom("{{lifecycle.event}}", "{{ context.payload.a }}", "&lt;", "Tell: "),
      fc.constantFrom(...IDS).map((id) => `{{context.steps.${id}.a}}`),
    ),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .map((pieces) => pieces.join(""));
const action = fc.oneof(
  fc.constantFrom(RUN, "<script>return context.steps.one.a + lifecycle.workflow.id;</script>"),
  message.map((text) => `<notify><discord channels="12345678901234567" bot-token="{{secrets.BOT}}" message="${text}" /></notify>`),
);
const anyHook = fc
  .record({
    name: fc.constantFrom(...HOOKS.map(([name]) => name)),
    steps: fc.subarray(IDS),
    actions: fc.array(action, { minLength: 1, maxLength: 3 }),
  })
  .map(({ name, steps, actions }) => {
    const filter = name.includes("step") && steps.length > 0 ? `steps="${steps.join(" ")}"` : "";
    return { name, text: hook(name, actions.join("\n"), filter), count: actions.length };
  });

test("any lifecycle that keeps the rules is lowered whole, and its layout is no part of it", () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyHook, { selector: ({ name }) => name, minLength: 1, maxLength: 9 }), (hooks) => {
      const text = within(hooks.map(({ text: one }) => one).join(""));
      const { definition, diagnostics } = check(text);
      assert.deepEqual(diagnostics, []);
      assert.equal(definition?.lifecycle?.length, hooks.length);
      assert.equal(
        definition.lifecycle.reduce((sum, { actions }) => sum + actions.length, 0),
        hooks.reduce((sum, { count }) => sum + count, 0),
      );
      const other = within(
        `\n<!-- again -->\n${hooks
          .toReversed()
          .map(({ text: one }) => one.replaceAll(" bot-token", "\n  bot-token"))
          .join("\n\n")}`,
      );
      assert.deepEqual(check(other).definition, definition);
    }),
    { numRuns: 50 },
  );
});

test("thousands of steps that are not there cost no more than their length", () => {
  const name = (at: number): string => `step${"abcdefghij".repeat(2)}${at.toString(36).replaceAll(/\d/g, "z")}${at}`;
  const times = growth(1_280, (count) => {
    const steps = Array.from({ length: count / 20 }, (_, at) => step(name(at))).join("");
    const wrong = Array.from({ length: count }, (_, at) => name(at + 1_000_000));
    const text = workflow(steps, `<lifecycle>${hook("on-step-start", RUN, `steps="${wrong.join(" ")}"`)}</lifecycle>${TRIGGERS}`);
    return () => assert.equal(codes(text).length, 101);
  });
  assert.ok(times < LINEAR, `${times} times the cost for 16 times as many`);
});
