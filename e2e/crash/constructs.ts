// Constructs of the language, each in a document whose every script charges: what dies at which append, each is charged once.
import type { Json } from "@woml/model";

export interface Construct {
  readonly name: string;
  /** Documents, the one that is started last. */
  readonly documents: readonly string[];
  /** Who is charged, once each. */
  readonly charged: readonly string[];
  readonly result: Json;
  /** What a person has to say of the approval `ok`. */
  readonly says?: "APPROVED" | "REJECTED";
}

const MANUAL = '<triggers><manual id="go"/></triggers>';
const workflow = (id: string, steps: string, around = MANUAL): string =>
  `<woml><workflow id="${id}">${around}<steps>${steps}</steps></workflow></woml>`;

/** Charges somebody, who is different in each run, and returns `value`. */
const charging = (who: string, value = who): string => `
  const { url, cell } = context.payload;
  const json = { amount: 1, currency: "EUR", customer: cell + " " + ${who} };
  const asked = { url: url + "/charges", method: "POST", json, idempotency: { header: "Idempotency-Key" } };
  await services.http.request(asked, { name: "charge" });
  return ${value};`;
const step = (id: string): string => `<step id="${id}"><script>${charging(`"${id}"`)}</script></step>`;
const own = (id: string): string => `<result value="{{context.steps.${id}}}"/>`;
const approval = (more: string): string =>
  `<approval id="ok"${more}><when-approved>${step("b")}</when-approved><when-rejected>${step("c")}</when-rejected></approval>${step("d")}`;
const hook = (on: string): string => `<${on}><script>${charging(`"${on}"`)}</script></${on}>`;

export const CONSTRUCTS: readonly Construct[] = [
  {
    name: "parallel",
    documents: [
      workflow(
        "parallel",
        `<parallel id="g" concurrency="2" on-error="wait-all">${step("a")}${step("b")}${step("c")}</parallel>${step("d")}`,
      ),
    ],
    ...{ charged: ["a", "b", "c", "d"], result: "d" },
  },
  {
    name: "choice",
    documents: [
      workflow(
        "choice",
        `<switch id="way" value="{{context.payload.way}}"><case value="a">${step("a")}${own("a")}</case><default>${step("x")}${own("x")}</default></switch>
        <choose id="asked"><when test="{{context.payload.no}}">${step("y")}${own("y")}</when><otherwise>${step("b")}${own("way")}</otherwise></choose>`,
      ),
    ],
    ...{ charged: ["a", "b"], result: "a" },
  },
  {
    name: "fork",
    documents: [
      workflow(
        "fork",
        `<fork id="f" join="left"><branch id="left">${step("a")}</branch><branch id="right">${step("b")}</branch></fork>${step("c")}`,
      ),
    ],
    ...{ charged: ["a", "b", "c"], result: "c" },
  },
  {
    name: "loop",
    documents: [
      workflow(
        "loop",
        `<for-each id="all" items="{{context.payload.items}}" concurrency="2">
          <step id="one"><script>${charging("context.item", "context.item")}</script></step><result value="{{context.steps.one}}"/>
        </for-each>`,
      ),
    ],
    ...{ charged: ["x", "y", "z"], result: { total: 3, succeeded: 3, results: ["x", "y", "z"] } },
  },
  {
    name: "decided",
    documents: [workflow("decided", approval(' timeout="1h"'))],
    ...{ charged: ["b", "d"], result: "d", says: "APPROVED" },
  },
  {
    name: "expired",
    documents: [workflow("expired", approval(' timeout="1s" on-timeout="reject"'))],
    ...{ charged: ["c", "d"], result: "d" },
  },
  {
    name: "hooks",
    documents: [
      workflow(
        "hooks",
        step("a"),
        `${MANUAL}<lifecycle>${["on-start", "on-step-start", "on-step-success", "on-success", "on-complete"].map(hook).join("")}</lifecycle>`,
      ),
    ],
    ...{ charged: ["a", "on-start", "on-step-start", "on-step-success", "on-success", "on-complete"], result: "a" },
  },
  {
    name: "call",
    documents: [
      workflow("called", step("a"), ""),
      workflow(
        "call",
        '<step id="asks"><script>return services.workflows.call("called", context.payload, { name: "ask" });</script></step>',
      ),
    ],
    ...{ charged: ["a"], result: "a" },
  },
  {
    name: "counter",
    documents: [
      workflow(
        "counter",
        `<step id="count"><script>await services.state.increment("n", 1, { name: "count" }); return "counted";</script></step>${step("a")}`,
      ),
    ],
    ...{ charged: ["a"], result: "a" },
  },
];
