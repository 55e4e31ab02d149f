// What a script of each kind may name: what it is given, what there is, and the steps of its workflow.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Compiled, compile } from "../index.ts";
import { NO_PROJECT } from "../project.ts";
import { choose, codes, marked, result, step, workflow } from "./sources.ts";

const DECLARED = '<props><prop name="a" /><prop name="b" /><prop name="token" secret="true" /></props>';
/** A document with the script in it, for each kind. */
const KINDS = {
  step: (body: string) => workflow(step("a", body)),
  hook: (body: string) => workflow(step("a"), `<triggers><manual id="go"/></triggers>${hook(body)}`),
  reusableStep: (body: string) => `<woml>${DECLARED}<step><script>${body}</script></step></woml>`,
  reusableHook: (body: string) => `<woml>${DECLARED}<step><script>return 1;</script></step>${hook(body)}</woml>`,
  provider: (body: string) => `<woml>${DECLARED}<provider kind="notification"><script>${body}</script></provider></woml>`,
  providerHook: (body: string) =>
    `<woml>${DECLARED}<provider kind="notification"><script>return 1;</script></provider>${hook(body)}</woml>`,
} as const;
type Kind = keyof typeof KINDS;
const hook = (body: string): string => `<lifecycle><on-success><script>${body}</script></on-success></lifecycle>`;

const UNAVAILABLE = "WOML_LIFECYCLE_BINDING_UNAVAILABLE";
const READ_ONLY = "WOML_LIFECYCLE_BINDING_READ_ONLY";
const FORBIDDEN = "WOML_REUSABLE_SECRET_ACCESS_FORBIDDEN";
const PROPS = "WOML_REUSABLE_PROPS_READ_ONLY";
const CONTEXT = "WOML_PROVIDER_CONTEXT_UNAVAILABLE";
const NOTIFICATION = "WOML_PROVIDER_NOTIFICATION_READ_ONLY";
const ALL = Object.keys(KINDS) as Kind[];
const HOOKS: readonly Kind[] = ["hook", "reusableHook", "providerHook"];
const REUSABLE: readonly Kind[] = ["reusableStep", "reusableHook", "provider", "providerHook"];
const PROVIDER: readonly Kind[] = ["provider", "providerHook"];
const except = (kinds: readonly Kind[]): readonly Kind[] => ALL.filter((kind) => !kinds.includes(kind));

for (const [body, code, mark, kinds] of [
  ["return lifecycle.event", UNAVAILABLE, "lifecycle", except(HOOKS)],
  ["const l = lifecycle; return l.event", UNAVAILABLE, "lifecycle", except(HOOKS)],
  ["lifecycle.event = 1", READ_ONLY, "lifecycle", HOOKS],
  ["lifecycle.workflow.id = 1", READ_ONLY, "lifecycle", HOOKS],
  ["delete lifecycle['failure']", READ_ONLY, "lifecycle", HOOKS],
  ["lifecycle = {}", READ_ONLY, "lifecycle", HOOKS],
  ["[lifecycle.event] = []", READ_ONLY, "lifecycle", HOOKS],
  ["return secrets.KEY.length", FORBIDDEN, "secrets.KEY", REUSABLE],
  ["return secrets['KEY']", FORBIDDEN, "secrets['KEY']", REUSABLE],
  ["props.a = 1", PROPS, "props", REUSABLE],
  ["props.a.b++", PROPS, "props", REUSABLE],
  ["({ a: props.a } = {})", PROPS, "props", REUSABLE],
  ["return context.payload", CONTEXT, "context", PROVIDER],
  ["notification.message = ''", NOTIFICATION, "notification", PROVIDER],
  ["delete notification.message", NOTIFICATION, "notification", PROVIDER],
] as const) {
  for (const kind of kinds) {
    test(`${code} in ${kind}: ${body}`, () => {
      assert.deepEqual(codes(KINDS[kind](body)), [code]);
      assert.deepEqual(marked(KINDS[kind](body)), [mark]);
    });
  }
}

for (const [body, kinds] of [
  ["return lifecycle.event + lifecycle.step?.id", HOOKS],
  ["const l = lifecycle; return l", HOOKS],
  ["return secrets.KEY.length", except(REUSABLE)],
  ["return props.a + props['b']", REUSABLE],
  ["const { a } = props; const all = props; return [a, all]", REUSABLE],
  ["return context.payload", except(PROVIDER)],
  ["context.payload.x = 1", except(PROVIDER)],
  ["return ((context) => context)(1)", ALL],
  ["return notification.message + notification.idempotencyKey", PROVIDER],
  ["return attempt.number", ALL],
  ["return services.http.request({ url: 'https://a.example' })", ALL],
] as const) {
  for (const kind of kinds) test(`taken in ${kind}: ${body}`, () => assert.deepEqual(codes(KINDS[kind](body)), []));
}

for (const kind of REUSABLE) {
  const body = "return services.telegram.send({ botToken: props.token, conversationId: '1', text: 'x' })";
  test(`a message of a reusable definition has its credential of a prop: ${kind}`, () => assert.deepEqual(codes(KINDS[kind](body)), []));
}

const ABSENT = "WOML_SCRIPT_GLOBAL_UNAVAILABLE";
for (const [body, marks] of [
  ["return process.env.HOME", ["process"]],
  ["return Bun.file('x')", ["Bun"]],
  ["return Buffer.from('x') + new Buffer('y')", ["Buffer"]],
  ["module.exports = exports", ["module", "exports"]],
  ["return __dirname + __filename", ["__dirname", "__filename"]],
  ["return require.resolve('x')", ["require"]],
  ["return global.x", ["global"]],
  ["return globalThis.process.env", ["globalThis.process"]],
  ["return new globalThis.WebSocket('wss://example.com')", ["globalThis.WebSocket"]],
  ["return new URL('https://a.example')", ["URL"]],
  ["setInterval(() => 1, 5); queueMicrotask(f)", ["setInterval", "queueMicrotask"]],
  ["return performance.now()", ["performance"]],
  ["return crypto.subtle.digest('SHA-256', x)", ["crypto.subtle"]],
  ["console.table([]); console.log(1)", ["console.table"]],
  ["return new WeakRef({})", ["WeakRef"]],
  ["return (await axios.get(env.URL)).data", ["axios", "env"]],
  ["await sleep(5); return http.request(input)", ["sleep", "http", "input"]],
  ["const input = 1; const wait = (delay) => delay; wait: for (;;) break wait; return wait({ env: input }.env)", []],
  ["return steps.weigh.grams + payload.grams", ["steps", "payload"]],
  ["return item.sku + iteration.index + trigger.a", ["item", "iteration", "trigger"]],
  ["return props.price + notification.message", ["props", "notification"]],
  ["const { steps, payload: item } = context; return ((props) => [steps, item, props])(1)", []],
  ["return typeof process === 'undefined' || typeof Bun", []],
  ["const process = { env: 1 }; return process.env", []],
  ["return { process: 1, URL: 2 }.process", []],
  ["return crypto.randomUUID() + Date.now() + setTimeout", []],
] as const) {
  test(`a name that is not here: ${body}`, () => {
    const { diagnostics, definition } = compile({ path: "flow.woml", text: KINDS.step(body) });
    assert.deepEqual(
      diagnostics.map(({ code, severity }) => [code, severity]),
      marks.map(() => [ABSENT, "warning"]),
    );
    assert.ok(diagnostics.every(({ hint }) => hint));
    assert.deepEqual(marked(KINDS.step(body)), marks);
    assert.ok(definition);
  });
}

const UNKNOWN = "WOML_UNKNOWN_REFERENCE";
const INVISIBLE = "WOML_SCRIPT_REFERENCE_NOT_VISIBLE";
const arms: readonly [string, string] = [step("inA") + result("{{context.steps.inA}}"), step("inB") + result("{{context.steps.inB}}")];
const flow = (body: string): string =>
  workflow(
    step("weigh") +
      choose("route", "{{context.payload.a}}", arms) +
      `<parallel id="both">${step("left")}${step("right")}</parallel>` +
      step("it", body) +
      step("later"),
  );
for (const [body, code, mark] of [
  ["return context.steps.wiegh", UNKNOWN, "wiegh"],
  ["return context.steps['wiegh'].x", UNKNOWN, "'wiegh'"],
  ["return context?.steps?.wiegh?.x", UNKNOWN, "wiegh"],
  ["const { wiegh: w } = context.steps; return w", UNKNOWN, "wiegh"],
  ["const { steps: { wiegh } } = context; return [wiegh, context.steps.wiegh]", UNKNOWN, "wiegh"],
  ["return all(context) + context.steps.go", UNKNOWN, "go"],
  ["return context.steps.later", INVISIBLE, "later"],
  ["return context.steps.it", INVISIBLE, "it"],
  ["return context.steps.inA", INVISIBLE, "inA"],
  ["return context.steps.both", INVISIBLE, "both"],
] as const) {
  test(`${code}: ${body}`, () => {
    assert.deepEqual(codes(flow(body)), [code]);
    assert.deepEqual(marked(flow(body)), [mark]);
  });
}
for (const body of [
  "return [context.steps.weigh, context.steps.route, context.steps.left, context.steps.right]",
  "return context.steps.hasOwnProperty('wiegh')",
  "return context.steps[context.payload.name]",
  "const f = (context) => context.steps.wiegh; return f({ steps: {} })",
  "context = { steps: { wiegh: 1 } }; return context.steps.wiegh",
  "eval('var context = 1'); return context.steps.wiegh",
]) {
  test(`no step is named that is not there: ${body}`, () => assert.deepEqual(codes(flow(body)), []));
}

const LOOP = "WOML_ITERATION_REFERENCE_OUTSIDE_FOR_EACH";
for (const [body, code, mark] of [
  ["return context.playload.x", UNKNOWN, "playload"],
  ["return context['step'].weigh", UNKNOWN, "'step'"],
  ["const { payload, stepz } = context; return [payload, stepz]", UNKNOWN, "stepz"],
  ["return context.item.id", LOOP, "item"],
  ["const { iteration } = context; return iteration", LOOP, "iteration"],
] as const) {
  test(`${code}, a warning: ${body}`, () => {
    const { diagnostics, definition } = compile({ path: "flow.woml", text: flow(body) });
    assert.deepEqual(
      diagnostics.map((said) => [said.code, said.severity]),
      [[code, "warning"]],
    );
    assert.ok(definition);
    assert.deepEqual(marked(flow(body)), [mark]);
  });
}

test("a loop gives an item and its iteration, also to what stands deeper in it", () => {
  const body = "return [context.item, context.iteration.index]";
  const loop = `<for-each id="l" items="{{context.payload.list}}">${step("a", body)}<parallel id="p">${step("b", body)}</parallel></for-each>`;
  assert.deepEqual(codes(workflow(loop)), []);
  assert.deepEqual(codes(KINDS.reusableStep(body)), []);
});

test("with may change what a name means: only that it is not strict is told", () => {
  assert.deepEqual(codes(flow("with (context.payload) { return context.steps.wiegh }")), ["WOML_SCRIPT_SYNTAX_INVALID"]);
});

test("a step that there is not is an error of ours: WOML 1.0 takes it, so in its profile it is a warning", () => {
  const said = (profile: "1.0" | undefined): Compiled =>
    compile({ path: "flow.woml", text: flow("return context.steps.wiegh") }, { ...NO_PROJECT, profile });
  assert.deepEqual(
    said(undefined).diagnostics.map(({ code, severity, hint }) => [code, severity, hint]),
    [[UNKNOWN, "error", "Did you mean weigh?"]],
  );
  assert.deepEqual(
    said("1.0").diagnostics.map(({ severity }) => severity),
    ["warning"],
  );
  assert.ok(said("1.0").definition);
});

test("nothing is said of the steps that a reusable definition names: who uses it is not known", () => {
  assert.deepEqual(codes(KINDS.reusableStep("return context.steps.anything")), []);
});
