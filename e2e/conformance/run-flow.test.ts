// What the language says about flows, sentence by sentence: a document for each, played from its text to its end.
import type { Json } from "@woml/model";
import { step } from "../support/enact.ts";
import { type Row, tell } from "../support/sentence.ts";

const BAD = 'throw new Error("no");';
const dyn = (id: string): string => step(id, "const all = context.steps; return Object.keys(all).sort();");
const flaky = (until: number): string => `if (attempt.number < ${until}) throw new Error("no"); return attempt.number;`;
const threw = "WOML_SCRIPT_THROWN";

tell("step", [
  ["its output is what the script returned", { steps: step("a", "return {x: [1, null, 'y']};") }, { result: { x: [1, null, "y"] } }],
  ["items run in the order of the text", { steps: step("b") + step("a") }, { result: "a", ran: "b a" }],
  ["a later step sees the outputs of all before it", { steps: step("a") + step("b") + dyn("c") }, { result: ["a", "b"] }],
  [
    "payload and trigger are the same",
    { steps: step("a", "return [context.payload.n, context.trigger.n];"), payload: { n: 4 } },
    { result: [4, 4] },
  ],
  ["one attempt unless it says more", { steps: step("a", BAD) }, { code: threw, ran: "a" }],
  ["retry counts all attempts", { steps: step("a", BAD, ' retry="3"') }, { code: "WOML_STEP_RETRIES_EXHAUSTED", ran: "a a#2 a#3" }],
  ["a later attempt may succeed", { steps: step("a", flaky(3), ' retry="5"') }, { result: 3, ran: "a a#2 a#3" }],
  ["maxAttempts is told", { steps: step("a", "return attempt.maxAttempts;", ' retry="7"') }, { result: 7 }],
  [
    "retry 1 is none: what it fails with is not that its attempts are used up",
    { steps: step("a", BAD, ' retry="1"') },
    { code: threw, ran: "a" },
  ],
  ["what follows a failed step does not run", { steps: step("a", BAD) + step("b") }, { code: threw, ran: "a" }],
]);

const par = (more: string, ...items: string[]): string => `<parallel id="p"${more}>${items.join("")}</parallel>`;
tell("parallel", [
  [
    "siblings do not see each other",
    { steps: step("z") + par("", dyn("a"), dyn("b")) + step("c") },
    { saw: { a: { z: "z" }, b: { z: "z" } } },
  ],
  [
    "afterwards each child's output is visible, and that of the group is none",
    { steps: par("", step("a"), step("b")) + dyn("c") },
    { result: ["a", "b"] },
  ],
  [
    "fail-fast is the default: what runs is cancelled",
    { steps: par("", step("a", BAD), step("b")) + step("c"), slow: ["b"] },
    { code: threw, ran: "a" },
  ],
  [
    "fail-fast starts no further child",
    { steps: par(' concurrency="1"', step("a", BAD), step("b")) + step("c") },
    { code: threw, ran: "a" },
  ],
  [
    "wait-all lets all settle",
    { steps: par(' on-error="wait-all"', step("a", BAD), step("b")) + step("c"), slow: ["b"] },
    { code: threw, ran: "a b" },
  ],
  [
    "wait-all starts those that wait for their turn too",
    { steps: par(' on-error="wait-all" concurrency="1"', step("a", BAD), step("b")) + step("c") },
    { code: threw, ran: "a b" },
  ],
  [
    "a child that is tried again keeps its group",
    { steps: par("", step("a", flaky(2), ' retry="2"'), step("b")) + dyn("c") },
    { result: ["a", "b"], ran: "a b a#2 c" },
  ],
  [
    "it may be last in an arm",
    {
      steps: `${step("y", "return true;")}<choose><when test="{{context.steps.y}}">${par("", step("a"), step("b"))}</when><otherwise>${step("o")}</otherwise></choose>${dyn("c")}`,
    },
    { result: ["y"] },
  ],
]);

const arm = (id: string): string => `${step(id)}<result value="{{context.steps.${id}}}"/>`;
const choice = (...tests: string[]): string =>
  `<choose id="c">${tests.map((test, at) => `<when test="{{context.payload${test}}}">${arm(`w${at}`)}</when>`).join("")}<otherwise>${arm("o")}</otherwise></choose>`;
const yes = (items: string): string =>
  `<choose><when test="{{context.payload.a}}">${items}</when><otherwise>${step("o")}</otherwise></choose>`;
tell("choose", [
  ["the first that is true wins", { steps: choice(".a", ".b"), payload: { a: true, b: true } }, { result: "w0", ran: "w0" }],
  ["tests are tried in order", { steps: choice(".a", ".b"), payload: { a: false, b: true } }, { result: "w1" }],
  ["else otherwise", { steps: choice(".a", ".b"), payload: { a: false, b: false } }, { result: "o", ran: "o" }],
  ["a test after the one that is true is not read", { steps: choice(".a", ".b"), payload: { a: true, b: "x" } }, { result: "w0" }],
  ...(["true", 1, 0, null, {}, [], ""] as Json[]).map(
    (a): Row => [
      `${JSON.stringify(a)} is no boolean`,
      { steps: choice(".a"), payload: { a } },
      { code: "WOML_BRANCH_TEST_NOT_BOOLEAN", ran: "" },
    ],
  ),
  ["a test that is missing fails the run", { steps: choice(".a"), payload: {} }, { code: "WOML_REFERENCE_NOT_AVAILABLE" }],
  ["a property of what is no object is missing", { steps: choice(".a.b"), payload: { a: "x" } }, { code: "WOML_REFERENCE_NOT_AVAILABLE" }],
  ["a property of null is missing", { steps: choice(".a.b"), payload: { a: null } }, { code: "WOML_REFERENCE_NOT_AVAILABLE" }],
  [
    "a property that only a prototype has is missing",
    { steps: choice(".constructor"), payload: {} },
    { code: "WOML_REFERENCE_NOT_AVAILABLE" },
  ],
  ["the length of a list is no property", { steps: choice(".a.length"), payload: { a: [true] } }, { code: "WOML_REFERENCE_NOT_AVAILABLE" }],
  ["of what stands in its arms nothing is seen behind it", { steps: choice(".a") + dyn("z"), payload: { a: true } }, { result: ["c"] }],
  [
    "an arm sees what is before the choice and in itself",
    { steps: step("y") + yes(step("a") + dyn("b")) + step("z"), payload: { a: true } },
    { saw: { b: { a: "a", y: "y" } } },
  ],
  [
    "without an id it has no output and leaks nothing",
    { steps: step("y") + yes(step("a")) + dyn("z"), payload: { a: true } },
    { result: ["y"], ran: "y a z" },
  ],
  [
    "the result of the run is then what is before it",
    { steps: step("y") + yes(step("a")), payload: { a: true } },
    { result: "y", ran: "y a" },
  ],
  [
    "a step that fails in an arm fails the run",
    { steps: yes(step("a", BAD)) + step("z"), payload: { a: true } },
    { code: threw, ran: "a" },
  ],
  [
    "a result that is missing fails the run",
    {
      steps: `<choose id="c"><when test="{{context.payload.a}}">${step("w")}<result value="{{context.steps.w.x}}"/></when><otherwise>${arm("o")}</otherwise></choose>`,
      payload: { a: true },
    },
    { code: "WOML_REFERENCE_NOT_AVAILABLE", ran: "w" },
  ],
  [
    "null is a value",
    {
      steps: `<choose id="c"><when test="{{context.payload.a}}">${step("w")}<result value="{{context.payload.n}}"/></when><otherwise>${arm("o")}</otherwise></choose>`,
      payload: { a: true, n: null },
    },
    { result: null },
  ],
  [
    "a branch outside a fork is a choice with an id",
    {
      steps: `<branch id="c"><when test="{{context.payload.a}}">${arm("w")}</when><otherwise>${arm("o")}</otherwise></branch>`,
      payload: { a: true },
    },
    { result: "w" },
  ],
  ["choices nest", { steps: yes(yes(step("a")).replaceAll('id="o"', 'id="o2"')) + step("z"), payload: { a: true } }, { ran: "a z" }],
]);

const sw = (value = ".v"): string =>
  `<switch id="s" value="{{context.payload${value}}}"><case value="gold">${arm("g")}</case><case value=" gold">${arm("b")}</case><case value="{{context.payload.v}}">${arm("t")}</case><default>${arm("d")}</default></switch>`;
tell("switch", [
  ["exactly its text", { steps: sw(), payload: { v: "gold" } }, { result: "g", ran: "g" }],
  ["case-sensitive", { steps: sw(), payload: { v: "Gold" } }, { result: "d" }],
  ["untrimmed", { steps: sw(), payload: { v: " gold" } }, { result: "b" }],
  ["untrimmed at its end too", { steps: sw(), payload: { v: "gold " } }, { result: "d" }],
  ["braces in a case are text", { steps: sw(), payload: { v: "{{context.payload.v}}" } }, { result: "t" }],
  ["the empty text is a text", { steps: sw(), payload: { v: "" } }, { result: "d" }],
  ...([7, true, null, ["gold"], { gold: 1 }] as Json[]).map(
    (v): Row => [
      `${JSON.stringify(v)} is no text, and takes not even the default`,
      { steps: sw(), payload: { v } },
      { code: "WOML_SWITCH_VALUE_INVALID", ran: "" },
    ],
  ),
  ["what is missing fails the run", { steps: sw(), payload: {} }, { code: "WOML_REFERENCE_NOT_AVAILABLE" }],
  ["behind it its output alone is seen", { steps: sw() + dyn("z"), payload: { v: "x" } }, { result: ["s"] }],
]);

const fk = (more: string, ...branches: string[]): string =>
  `<fork id="f"${more}>${branches.map((items, at) => `<branch id="b${at}">${items}</branch>`).join("")}</fork>`;
tell("fork", [
  [
    "all are joined unless it says otherwise",
    { steps: fk("", step("a"), step("b")) + dyn("z"), slow: ["b"] },
    { result: ["a", "b"], ran: "a b z" },
  ],
  ["join all is the same", { steps: fk(' join="all"', step("a"), step("b")) + dyn("z"), slow: ["b"] }, { result: ["a", "b"] }],
  [
    "join none waits for nothing, and sees nothing",
    { steps: step("y") + fk(' join="none"', step("a"), step("b")) + dyn("z"), slow: ["a", "b"] },
    { result: ["y"], ran: "y z a b" },
  ],
  [
    "some are joined: their order is nothing",
    { steps: fk(' join="b2 b0"', step("a"), step("b"), step("c")) + dyn("z"), slow: ["b"] },
    { result: ["a", "c"], ran: "a c z b" },
  ],
  [
    "each branch sees what is before it and itself",
    { steps: step("y") + fk("", step("a") + dyn("a2"), step("b")) + step("z") },
    { saw: { a2: { a: "a", y: "y" } } },
  ],
  [
    "a joined one fails: what follows never runs, the others go on",
    { steps: fk("", step("a", BAD), step("b") + step("b2")) + step("z"), slow: ["b"] },
    { code: threw, ran: "a b b2" },
  ],
  [
    "one that is not joined fails: what follows runs, the run fails",
    { steps: fk(' join="b1"', step("a", BAD), step("b")) + step("z") },
    { code: threw, ran: "a b z" },
  ],
  [
    "a run settles only when all branches have",
    { steps: step("y") + fk(' join="none"', step("a"), step("b")), slow: ["b"] },
    { result: "y", ran: "y a b" },
  ],
  [
    "main fails while a branch goes on: the branch ends, the first failure is the run's",
    { steps: fk(' join="none"', step("a") + step("a2"), step("b")) + step("z", "throw new TypeError('main');"), slow: ["a", "b"] },
    { code: threw, ran: "z a a2 b" },
  ],
  [
    "of a choice in a branch its output is seen behind it",
    { steps: fk("", choice(".a"), step("b")) + dyn("z"), payload: { a: true } },
    { result: ["b", "c"] },
  ],
  [
    "what a choice without id makes in a branch is not",
    { steps: fk("", step("x") + yes(step("a")), step("b")) + dyn("z"), payload: { a: true } },
    { result: ["b", "x"] },
  ],
  ["a group in a branch is", { steps: fk("", par("", step("a"), step("a2")), step("b")) + dyn("z") }, { result: ["a", "a2", "b"] }],
  [
    "a loop in a branch",
    {
      steps: fk("", `<for-each id="l" items="{{context.payload.list}}">${step("i")}</for-each>`, step("b")) + dyn("z"),
      payload: { list: [1] },
    },
    { result: ["b", "l"] },
  ],
]);
