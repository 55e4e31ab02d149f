// What the language says about loops, approvals, retries, time-outs and results, sentence by sentence.
import type { Json } from "@woml/model";
import { step } from "../support/enact.ts";
import { type Row, tell } from "../support/sentence.ts";

const BAD = 'throw new Error("no");';
const threw = "WOML_SCRIPT_THROWN";
const lost = "WOML_FOR_EACH_ITERATION_FAILED";
const dyn = (id: string): string => step(id, "const all = context.steps; return Object.keys(all).sort();");
const each = (more: string, ...items: string[]): string =>
  `<for-each id="l" items="{{context.payload.list}}"${more}>${items.join("")}</for-each>`;
const list = (...items: Json[]): { payload: Json } => ({ payload: { list: items } });
const value = (path: string): string => `<result value="{{context.${path}}}"/>`;
const some = (script: string): string => step("i", script);

tell("for-each", [
  ["without a result it counts", { steps: each("", step("i")), ...list(1, 2) }, { result: { total: 2, succeeded: 2 }, ran: "i#0 i#1" }],
  [
    "results stand in the order of the items",
    { steps: each(' concurrency="3"', some("return context.item * 2;"), value("steps.i")), ...list(1, 2, 3), slow: ["i#0"] },
    { result: { total: 3, succeeded: 3, results: [2, 4, 6] }, ran: "i#1 i#2 i#0" },
  ],
  ["an empty list succeeds at once", { steps: each("", step("i")), ...list() }, { result: { total: 0, succeeded: 0 }, ran: "" }],
  [
    "and has no results even with a result",
    { steps: each("", step("i"), value("steps.i")), ...list() },
    { result: { total: 0, succeeded: 0 } },
  ],
  [
    "item and iteration are given",
    { steps: each("", some("return [context.item, context.iteration];"), value("steps.i")), ...list("x", null) },
    {
      result: {
        total: 2,
        succeeded: 2,
        results: [
          ["x", { index: 0, total: 2 }],
          [null, { index: 1, total: 2 }],
        ],
      },
    },
  ],
  [
    "a result may be a part of the item",
    { steps: each("", step("i"), value("item.a")), ...list({ a: 1 }) },
    { result: { total: 1, succeeded: 1, results: [1] } },
  ],
  [
    "or its number",
    { steps: each("", step("i"), value("iteration.index")), ...list(7, 7) },
    { result: { total: 2, succeeded: 2, results: [0, 1] } },
  ],
  [
    "or how many",
    { steps: each("", step("i"), value("iteration.total")), ...list(7, 7) },
    { result: { total: 2, succeeded: 2, results: [2, 2] } },
  ],
  [
    "or the payload",
    { steps: each("", step("i"), value("payload.list")), ...list(7) },
    { result: { total: 1, succeeded: 1, results: [[7]] } },
  ],
  [
    "or an outer output",
    { steps: step("o") + each("", step("i"), value("steps.o")), ...list(7) },
    { result: { total: 1, succeeded: 1, results: ["o"] } },
  ],
  ["one at a time by default, in order", { steps: each("", step("i"), step("j")), ...list(1, 2) }, { ran: "i#0 j#0 i#1 j#1" }],
  ["so many at a time", { steps: each(' concurrency="2"', step("i"), step("j")), ...list(1, 2, 3) }, { ran: "i#0 i#1 j#0 j#1 i#2 j#2" }],
  [
    "outputs of the same iteration and outer ones are seen, of others none",
    { steps: step("o") + each("", step("i"), dyn("j")), ...list(1, 2) },
    { saw: { "j#1": { i: "i", o: "o" } } },
  ],
  ["behind it the loop alone is seen", { steps: step("o") + each("", step("i")) + dyn("z"), ...list(1) }, { result: ["l", "o"] }],
  [
    "what fails keeps others from starting, and the loop fails",
    { steps: each("", some("if (context.item === 2) throw new Error('no');")) + step("z"), ...list(1, 2, 3) },
    { code: lost, ran: "i#0 i#1" },
  ],
  [
    "active ones settle",
    { steps: each(' concurrency="2"', some("if (context.item === 1) throw new Error('no');"), step("j")), ...list(1, 2, 3), slow: ["i#1"] },
    { code: lost, ran: "i#0 i#1 j#1" },
  ],
  [
    "a step in it is tried again in its iteration",
    { steps: each("", step("i", `if (attempt.number < 2) ${BAD} return 1;`, ' retry="2"')), ...list(1, 2) },
    { result: { total: 2, succeeded: 2 }, ran: "i#0 i#0#2 i#1 i#1#2" },
  ],
  ["items that are no list fail the run", { steps: each("", step("i")), payload: { list: "x" } }, { status: "failed", ran: "" }],
  ["items that are missing fail the run", { steps: each("", step("i")), payload: {} }, { code: "WOML_REFERENCE_NOT_AVAILABLE" }],
  [
    "items of a step",
    { steps: `${step("o", "return [1, 2];")}<for-each id="l" items="{{context.steps.o}}">${step("i")}</for-each>` },
    { result: { total: 2, succeeded: 2 } },
  ],
  [
    "a choice in a loop chooses for each",
    {
      steps: each(
        "",
        `<choose id="c"><when test="{{context.item}}">${step("y")}${value("steps.y")}</when><otherwise>${step("n")}${value("steps.n")}</otherwise></choose>`,
        value("steps.c"),
      ),
      ...list(true, false),
    },
    { result: { total: 2, succeeded: 2, results: ["y", "n"] }, ran: "y#0 n#1" },
  ],
  [
    "a test in it that is no boolean fails the loop",
    {
      steps: each("", `<choose><when test="{{context.item}}">${step("y")}</when><otherwise>${step("n")}</otherwise></choose>`),
      ...list(true, 1),
    },
    { code: lost, ran: "y#0" },
  ],
  [
    "a group in it",
    { steps: each("", `<parallel id="p">${step("a")}${step("b")}</parallel>`, dyn("z"), value("steps.z")), ...list(1) },
    { result: { total: 1, succeeded: 1, results: [["a", "b"]] } },
  ],
  [
    "a group in it that fails fast ends its iteration",
    { steps: each("", `<parallel id="p">${step("a", BAD)}${step("b")}</parallel>`, step("z")), ...list(1, 2) },
    { code: lost, ran: "a#0" },
  ],
  [
    "a switch in it",
    {
      steps: each("", `<switch value="{{context.item}}"><case value="x">${step("x")}</case><default>${step("d")}</default></switch>`),
      ...list("x", "y"),
    },
    { ran: "x#0 d#1" },
  ],
]);

const ask = (more = "", yes = step("y"), no = step("n")): string =>
  `<approval id="ok"${more}><when-approved>${yes}</when-approved><when-rejected>${no}</when-rejected></approval>`;
const decidedAt = new Date(1_000).toISOString();
tell("approval", [
  ["it waits", { steps: ask() }, { status: "waiting", ran: "" }],
  [
    "approved: that arm",
    { steps: ask(), says: { ok: "approved" } },
    { ran: "y", result: { decision: "approved", source: "human", decidedAt } },
  ],
  ["rejected: the other, and the run goes on", { steps: ask() + step("z"), says: { ok: "rejected" } }, { ran: "n z", result: "z" }],
  [
    "arms may be empty",
    { steps: ask("", "", ""), says: { ok: "approved" } },
    { ran: "", result: { decision: "approved", source: "human", decidedAt } },
  ],
  [
    "arms see it",
    { steps: ask("", dyn("y")), says: { ok: "approved" } },
    { saw: { y: { ok: { decision: "approved", source: "human", decidedAt } } } },
  ],
  ["what its arms made is not seen behind it, it is", { steps: ask() + dyn("z"), says: { ok: "approved" } }, { result: ["ok"] }],
  [
    "its time-out fails the run unless it says more",
    { steps: ask(' timeout="1h"') + step("z") },
    { code: "WOML_APPROVAL_TIMEOUT", ran: "", took: 3_600_000 },
  ],
  ["on-timeout fail is the same", { steps: ask(' timeout="1h" on-timeout="fail"') }, { code: "WOML_APPROVAL_TIMEOUT", ran: "" }],
  [
    "on-timeout reject rejects",
    { steps: ask(' timeout="1h" on-timeout="reject"') },
    { ran: "n", result: { decision: "rejected", source: "timeout", decidedAt: new Date(3_601_000).toISOString() } },
  ],
  ["decided in time the time-out is nothing", { steps: ask(' timeout="1h"'), says: { ok: "rejected" } }, { ran: "n", took: 0 }],
  [
    "in a branch the others go on",
    { steps: `${step("o")}<fork id="f"><branch id="a">${ask()}</branch><branch id="b">${step("b")}</branch></fork>` },
    { status: "waiting", ran: "o b" },
  ],
  [
    "that times out in a branch, others end first",
    {
      steps: `${step("o")}<fork id="f" join="none"><branch id="a">${ask(' timeout="1h"')}</branch><branch id="b">${step("b")}</branch></fork>`,
    },
    { code: "WOML_APPROVAL_TIMEOUT", ran: "o b" },
  ],
  [
    "approvals nest in arms",
    { steps: ask("", ask("", step("yy"), step("nn")).replace('"ok"', '"ok2"')), says: { ok: "approved", ok2: "rejected" } },
    { ran: "nn" },
  ],
  [
    "a fork in an arm",
    {
      steps:
        ask("", `${step("x")}<fork id="f"><branch id="a">${step("a")}</branch><branch id="b">${step("b", BAD)}</branch></fork>`) +
        step("z"),
      says: { ok: "approved" },
    },
    { code: threw, ran: "x a b" },
  ],
]);

const slow = (attempts: number, more = ""): string => step("a", BAD, ` retry="${attempts}"${more}`);
tell("retry", [
  ["exponential by default: 1 s, 2 s, 4 s", { steps: slow(4) }, { code: "WOML_STEP_RETRIES_EXHAUSTED", took: 7_000 }],
  ["at most 30 s", { steps: slow(10) }, { code: "WOML_STEP_RETRIES_EXHAUSTED", took: 1_000 * (1 + 2 + 4 + 8 + 16 + 30 * 4) }],
  ["fixed", { steps: slow(4, ' retry-backoff="fixed" retry-delay="5s"') }, { code: "WOML_STEP_RETRIES_EXHAUSTED", took: 15_000 }],
  ["fixed has 1 s by default", { steps: slow(3, ' retry-backoff="fixed"') }, { code: "WOML_STEP_RETRIES_EXHAUSTED", took: 2_000 }],
  [
    "the maximum is the delay where that is longer",
    { steps: slow(3, ' retry-delay="1m"') },
    { code: "WOML_STEP_RETRIES_EXHAUSTED", took: 120_000 },
  ],
  ["its own maximum", { steps: slow(5, ' retry-max-delay="3s"') }, { code: "WOML_STEP_RETRIES_EXHAUSTED", took: 9_000 }],
]);

const within = (timeout: string): string => `<config timeout="${timeout}"/>`;
tell("time-out of the run", [
  ["delays of retries count", { around: within("3s"), steps: slow(10) }, { code: "WOML_WORKFLOW_TIMED_OUT", took: 3_000, ran: "a a#2" }],
  ["waiting for a person counts", { around: within("1h"), steps: ask() }, { code: "WOML_WORKFLOW_TIMED_OUT", took: 3_600_000 }],
  ["the earlier of two", { around: within("2h"), steps: ask(' timeout="1h"') }, { code: "WOML_APPROVAL_TIMEOUT" }],
  [
    "its hooks run: on-error, then on-complete",
    {
      around: `${within("3s")}<lifecycle><on-complete><script>return 1;</script></on-complete><on-error><script>return 1;</script></on-error></lifecycle>`,
      steps: slow(10),
    },
    {
      code: "WOML_WORKFLOW_TIMED_OUT",
      ran: "a a#2 @run_failure/1 @run_complete/1",
      heard: {
        "@run_failure/1": {
          event: "run_failure",
          workflow: { id: "w", outcome: "failed" },
          failure: { code: "WOML_WORKFLOW_TIMED_OUT", message: "The workflow did not end within its time-out of 3000 ms." },
        },
      },
    },
  ],
]);

const plain = `<choose><when test="{{context.payload.a}}">${step("x")}</when><otherwise>${step("x2")}</otherwise></choose>`;
const results: readonly Row[] = [
  [
    "a loop may give it",
    { steps: step("a") + each("", step("i")) + plain, payload: { list: [], a: true } },
    { result: { total: 0, succeeded: 0 } },
  ],
  [
    "an approval may",
    { steps: step("a") + ask() + plain, payload: { a: true }, says: { ok: "approved" } },
    { result: { decision: "approved", source: "human", decidedAt } },
  ],
  [
    "groups are skipped",
    { steps: `${step("a")}<parallel id="p">${step("b")}${step("c")}</parallel>${plain}`, payload: { a: true } },
    { result: "a" },
  ],
  [
    "forks are skipped",
    { steps: `${step("a")}<fork id="f"><branch id="b">${step("b")}</branch><branch id="c">${step("c")}</branch></fork>`, payload: {} },
    { result: "a" },
  ],
  ["null is one", { steps: step("a", "return null;") }, { result: null }],
];
tell("result of the run", results);
