// Hostile scripts and modules: twice as much takes no more than a little over twice as long, and none takes longer than an honest one may.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Bundle, compile } from "../../index.ts";
import { codes, step, workflow } from "../sources.ts";

const SCRIPT = 262_140;
const LID_MS = 4_000;

const filled = (piece: string, length: number): string => piece.repeat(Math.floor(length / piece.length));
const numbered = (count: number, piece: (at: number) => string): string => Array.from({ length: count }, (_, at) => piece(at)).join("");
const script = (body: string): string => workflow(step("a", body));
/** Of processor time: others may use the machine too. */
const clock = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};
const within = (start: number): void => assert.ok(clock() - start < LID_MS, `${clock() - start} ms`);
const hook = (body: string): string =>
  workflow(step("a"), `<triggers><manual id="go"/></triggers><lifecycle><on-success><script>${body}</script></on-success></lifecycle>`);
const SEND = 'services.discord.send({ botToken: 1, text: "", conversationId: "" }, { name: "" });';

for (const [name, text, expected] of [
  [
    "messages",
    script(filled(SEND, SCRIPT)),
    [
      "WOML_DISCORD_CREDENTIAL_INVALID",
      "WOML_DISCORD_SEND_VALUE_INVALID",
      "WOML_DISCORD_SEND_VALUE_INVALID",
      "WOML_DISCORD_SEND_NAME_INVALID",
    ],
  ],
  [
    "properties of a message",
    script(`services.telegram.send({ botToken: secrets.T, ${numbered(14_000, (at) => `text: "${at}",`)} conversationId: "1" })`),
    ["WOML_TELEGRAM_SEND_PROPERTY_DUPLICATE"],
  ],
  [
    "templates in templates",
    script(`services.whatsapp.send(${filled("{template:", 4_000)}1${filled("}", 400)})`),
    ["WOML_WHATSAPP_SEND_PROPERTY_REQUIRED", "WOML_WHATSAPP_TEMPLATE_PROPERTY_UNKNOWN"],
  ],
  [
    "calls in calls",
    script(`${filled("services.workflows.call('a', {}, ", 13_200)}1${filled(")", 400)}`),
    ["WOML_WORKFLOW_CALL_OPTIONS_INVALID"],
  ],
  [
    "names that are not here",
    script(filled("process;Buffer;", SCRIPT)),
    ["WOML_SCRIPT_GLOBAL_UNAVAILABLE", "WOML_SCRIPT_GLOBAL_UNAVAILABLE"],
  ],
  ["connections", script(filled("services.db().query();services.db();", SCRIPT)), []],
  ["a chain that is written to", hook(`lifecycle${filled(".a", 200_000)} = 1`), ["WOML_LIFECYCLE_BINDING_READ_ONLY"]],
  ["writes", hook(filled("lifecycle.a.b=1;", SCRIPT)), ["WOML_LIFECYCLE_BINDING_READ_ONLY"]],
  [
    "targets in targets",
    hook(`${filled("[", 1_000)}${filled("lifecycle,", 250_000)}${filled("]", 1_000)} = 1`),
    ["WOML_LIFECYCLE_BINDING_READ_ONLY"],
  ],
] as const) {
  test(`${name}: ${expected.join() || "taken"}`, () => {
    const start = clock();
    assert.deepEqual(codes(text), expected);
    within(start);
  });
}

test("steps that there are not, among as many that there are: 500 diagnostics, then how many are left out", () => {
  const start = clock();
  const long = "x".repeat(50);
  const ids = numbered(2_000, (at) => step(`${long}${at}`));
  const names = numbered(3_000, (at) => `context.steps.${long}y${at};`);
  assert.ok(codes(workflow(ids + step("a", names))).every((code) => /^WOML_(UNKNOWN_REFERENCE|TOO_MANY_DIAGNOSTICS)$/.test(code)));
  within(start);
});

test("services that there are not, among as many that there are", () => {
  const start = clock();
  const imports = numbered(60, (at) => `<uses capability="a" version="1" as="${"b".repeat(60)}${at}"/>`);
  const text = script(numbered(2_900, (at) => `services.${"b".repeat(60)}x${at}.y();`)).replace(
    "<woml>",
    `<woml><imports>${imports}</imports>`,
  );
  assert.ok(codes(text).every((code) => /^WOML_(MODULE_SERVICE_UNKNOWN|TOO_MANY_DIAGNOSTICS)$/.test(code)));
  within(start);
});

const module = (text: string): Bundle => ({ exports: ["f"], text, digest: `sha256:${"0".repeat(64)}` });
for (const [name, bundle] of [
  ["calls", module(`export function f() { ${filled("services.http.request();", 1_500_000)} }`)],
  ["different calls", module(`export function f() { ${numbered(50_000, (at) => `services.http.a${at}();`)} }`)],
  ["what is no module", module(filled("(", 1_500_000))],
] as const) {
  test(`a module of many ${name}, used by many scripts`, () => {
    const start = clock();
    const steps = numbered(4_000, (at) => step(`a${at}`, "services.m.f()"));
    const text = workflow(steps).replace("<woml>", '<woml><imports><module name="m" from="./m.js"/></imports>');
    const { diagnostics } = compile({ path: "flow.woml", text }, { files: new Map(), modules: new Map([["m.js", bundle]]) });
    assert.ok(
      diagnostics.every(({ code }) => /^WOML_(SCRIPT_TOO_COMPLEX|SCRIPT_SERVICE_ACCESS_UNSUPPORTED|TOO_MANY_DIAGNOSTICS)$/.test(code)),
    );
    within(start);
  });
}

test("a part that many bundles hold is read once; what it says counts for each", () => {
  const start = clock();
  const shared = { text: `let unused;\n${filled("a.b = 1;", 2_000_000)} services.http.get(); import.meta;` };
  const bundles = Array.from(
    { length: 40 },
    (_, at) => [`m${at}.js`, { ...module(""), parts: [shared, { text: "function f() {}" }] }] as const,
  );
  const imports = numbered(40, (at) => `<module name="m${at}" from="./m${at}.js"/>`);
  const steps = numbered(40, (at) => step(`a${at}`, `services.m${at}.f()`));
  const text = workflow(steps).replace("<woml>", `<woml><imports>${imports}</imports>`);
  const { definition, diagnostics } = compile({ path: "flow.woml", text }, { files: new Map(), modules: new Map(bundles) });
  assert.deepEqual(diagnostics, []);
  const calls = definition?.nodes.map((node) => (node.kind === "step" ? node.script.calls : undefined));
  assert.deepEqual(calls, Array(40).fill(["http.get"]));
  within(start);
});

test("twice the script takes about twice as long", () => {
  const piece = "services.http.request({ url: context.steps.a.url, json: secrets.KEY }); const { a } = context.steps;";
  const took = (length: number): number => {
    const text = script(numbered(Math.floor(length / 110), (at) => `{ ${piece} let v${at}; }`));
    const runs = Array.from({ length: 5 }, () => {
      const start = clock();
      codes(text);
      return clock() - start;
    });
    return Math.min(...runs);
  };
  took(60_000);
  const [once, twice] = [took(120_000), took(240_000)];
  assert.ok(twice < once * 4, `${once} ms, then ${twice} ms`);
});
