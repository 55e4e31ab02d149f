import assert from "node:assert/strict";
import { test } from "node:test";
import { check, codes, marked, step, workflow } from "./sources.ts";

const SYNTAX = "WOML_SCRIPT_SYNTAX_INVALID";
const LIFECYCLE = "WOML_LIFECYCLE_BINDING_UNAVAILABLE";
const UNKNOWN = "WOML_MODULE_SERVICE_UNKNOWN";
const SHADOWED = "WOML_SCRIPT_BINDING_SHADOWED";
const IMPORT = "WOML_SCRIPT_DYNAMIC_IMPORT_UNSUPPORTED";
const REQUIRE = "WOML_SCRIPT_MODULE_REQUIRE_UNSUPPORTED";
const NETWORK = "WOML_SCRIPT_RAW_NETWORK_UNSUPPORTED";
const FETCH_WRITE = "WOML_SCRIPT_FETCH_WRITE_UNSUPPORTED";
const script = (body: string): string => workflow(step("a", body));

for (const body of [
  "",
  "return",
  "await 1; for await (const x of []) {}",
  "return 1 // no line feed behind it",
  "'use strict'; return 1",
  "var attempt; { const context = 1; }",
  "return new.target === undefined",
  "const o = { fetch: 1, services() {}, get secrets() { return this.fetch; } }; return o.lifecycle",
  "fetch: for (;;) break fetch",
  "class A { fetch = 1; static services() {} }",
  "const { fetch: mine } = {}; return mine",
  "function require() {} require('x')",
  "return typeof require",
  "return typeof Bun + typeof process",
  "return globalThis.crypto",
  "\n--> a comment",
  "return /[/]\\/x/g.test('y') / 2 / /z/v.lastIndex",
  "if (1 < 2 && 3 > 2) return '<b>&amp;</b>'",
  "return `\u0024{'}'}`",
]) {
  test(`taken: ${body}`, () => assert.deepEqual(codes(script(body)), []));
}

for (const [body, code, mark] of [
  ["return 1 }", SYNTAX, "}"],
  ["}); (async function() {", SYNTAX, "}"],
  ["}, async function() {", SYNTAX, "}"],
  ["if (true) {", SYNTAX, "<"],
  ["return 'x", SYNTAX, "'"],
  ["/* no end", SYNTAX, "/"],
  ["--> a comment only where a line begins", SYNTAX, ">"],
  ["export const a = 1", SYNTAX, "e"],
  ["let attempt = 1", SYNTAX, "a"],
  ["let a; let a", SYNTAX, "a"],
  ["a { b }; var a; let a", SYNTAX, "{"],
  ["var await = 1", SYNTAX, "a"],
  ["return import.meta", SYNTAX, "i"],
  ["return /(/", SYNTAX, "("],
  ["await import('x'); await import('y')", IMPORT, "import('x')"],
  ["const m = require('x')", REQUIRE, "require"],
  ["Bun.serve({}); Bun['listen']({})", NETWORK, "Bun.serve"],
  ["new WebSocket('x')", NETWORK, "WebSocket"],
  ["fetch = 1", FETCH_WRITE, "fetch"],
  ["[fetch] = []", FETCH_WRITE, "fetch"],
  ["for (fetch of []) {}", FETCH_WRITE, "fetch"],
  ["delete globalThis.fetch", FETCH_WRITE, "globalThis.fetch"],
  ["globalThis['fetch'] ??= 1", FETCH_WRITE, "globalThis['fetch']"],
  ["return lifecycle.event", LIFECYCLE, "lifecycle"],
  ["lifecycle.event = 1", LIFECYCLE, "lifecycle"],
  ["var services", SHADOWED, "services"],
  ["const fetch = () => 1; return fetch()", SHADOWED, "fetch"],
  ["return [1].map((secrets) => secrets)", SHADOWED, "secrets"],
  ["try {} catch ({ lifecycle }) { lifecycle }", SHADOWED, "lifecycle"],
  ["return function fetch() { fetch() }", SHADOWED, "fetch"],
  ["{ class services {} new services() }", SHADOWED, "services"],
  ["for (const fetch of []) fetch()", SHADOWED, "fetch"],
  ["const { a: [fetch = 1] } = {}; fetch", SHADOWED, "fetch"],
] as const) {
  test(`${code}: ${body}`, () => {
    assert.deepEqual(codes(script(body)), [code]);
    assert.deepEqual(marked(script(body)), [mark]);
  });
}

for (const [body, mark] of [
  ["with ({}) {}", "w"],
  ["return 1; function f() { return 010; }", "0"],
  ["var public = 1", "p"],
  ["eval = 1", "e"],
  ["delete x", "d"],
] as const) {
  test(`what strict mode alone refuses is a warning: ${body}`, () => {
    const { definition, diagnostics } = check(script(body));
    assert.ok(definition);
    assert.deepEqual(
      diagnostics.map(({ code, severity }) => [code, severity]),
      [[SYNTAX, "warning"]],
    );
    assert.deepEqual(marked(script(body)), [mark]);
  });
}

test("what a script names where its own name does not hold is reported beside the shadowing", () => {
  assert.deepEqual(codes(script("{ const fetch = 1; fetch; } fetch = 2")), [SHADOWED, FETCH_WRITE]);
  assert.deepEqual(codes(script("function f(services) { return services } services.nope.get('x')")), [SHADOWED, UNKNOWN]);
});

test("a control character in a script is not repeated", () => {
  assert.equal(check(script("\u000e")).diagnostics[0]?.message, "Unexpected character ' '.");
});

test("each thing is reported once for each script", () => {
  const body = "lifecycle.a; services.nope.get(1); lifecycle.b; services.nope.set(2); import('c'); services.never.get(3)";
  assert.deepEqual(codes(workflow(step("a", body) + step("b", body))), Array(2).fill([LIFECYCLE, UNKNOWN, IMPORT, UNKNOWN]).flat());
});

for (const [body, needs] of [
  ["return 1", { payload: false, steps: [] }],
  ["return context.payload.a", { payload: true, steps: [] }],
  ["return context.trigger", { payload: true, steps: [] }],
  ["return context['payload']", { payload: true, steps: [] }],
  ["return context?.steps?.one?.x", { payload: false, steps: ["one"] }],
  ["return context.steps['two'] + context.steps.one", { payload: false, steps: ["one", "two"] }],
  ["return context.steps.later", { payload: false, steps: [] }],
  ["const { payload, steps: { one, two: { x } } } = context; return x", { payload: true, steps: ["one", "two"] }],
  ["const { steps: { one } = {} } = context", { payload: false, steps: ["one"] }],
  ["const { one: { y }, 'two': z } = context.steps", { payload: false, steps: ["one", "two"] }],
  ["const f = (context) => context; f(1)", { payload: false, steps: [] }],
  ["return (a = context.steps.one) => { var context; }", { payload: false, steps: ["one"] }],
  ["function* f(a = context.payload) { if (a) { var context; } }", { payload: true, steps: [] }],
  ["switch (context.steps.one) { case 1: let context; context.steps.two; }", { payload: false, steps: ["one"] }],
  ["class A { static { var context; context.steps.one; } }", { payload: false, steps: [] }],
  ["return { context: 1 }.context", { payload: false, steps: [] }],
  ["return attempt.number", { payload: false, steps: [] }],
  ["const all = context; return all.steps.one", undefined],
  ["return { ...context }", undefined],
  ["return { context }", undefined],
  ["return JSON.stringify(context)", undefined],
  ["return Object.keys(context.steps)", undefined],
  ["return 'one' in context.steps", undefined],
  ["return context.steps[name]", undefined],
  ["return context[`steps`].one", undefined],
  ["const { steps } = context; return steps.one", undefined],
  ["const { ...all } = context", undefined],
  ["const { [name]: one } = context.steps", undefined],
  ["const { hasOwnProperty: has } = context.steps", undefined],
  ["return context.steps.hasOwnProperty('one')", undefined],
  ["return context.toString()", undefined],
  ["context.steps = {}", undefined],
  ["context = {}; return context.payload", undefined],
  ["[context] = [1]", undefined],
  ["for (const x of context.steps) x", undefined],
  ["return eval('context.steps.one')", undefined],
  ["return arguments[0].steps", undefined],
  ["return this.context", undefined],
  ["with (context) { return steps.one }", undefined],
  ["return (() => 1).constructor('return context')()", undefined],
  ["return Function('return context')()", undefined],
  ["return globalThis.context", undefined],
] as const) {
  test(`needs of: ${body}`, () => {
    const { definition, diagnostics } = check(workflow(step("one") + step("two") + step("it", body) + step("later")));
    assert.ok(diagnostics.every(({ severity }) => severity === "warning"));
    const node = definition?.nodes.find(({ id }) => id === "it");
    assert.ok(node?.kind === "step");
    assert.deepEqual(node.script.needs, needs);
    assert.equal(node.script.source, body);
  });
}

test("a step needs what it can see: the siblings of a parallel group are not there yet, its outputs are afterwards", () => {
  const body = "return [context.steps.a, context.steps.b, context.steps.p]";
  const { definition } = check(workflow(`<parallel id="p">${step("a", body)}${step("b", body)}</parallel>${step("z", body)}`));
  const steps = definition?.nodes.flatMap((node) => (node.kind === "step" ? [[node.id, node.script.needs?.steps]] : []));
  assert.deepEqual(steps, [
    ["a", []],
    ["b", []],
    ["z", ["a", "b"]],
  ]);
});

test("a script that ends in the midst of a text is told how to write the tag in one", () => {
  const [{ code, hint } = { code: null, hint: null }] = check(script('const end = "a')).diagnostics;
  assert.equal(code, SYNTAX);
  assert.match(hint ?? "", /"a<\/scr" \+ "ipt>/);
});

test("an import is told where modules are named", () => {
  for (const body of ["import x from 'y'", "await import('y')", "require('y')"]) {
    assert.match(check(script(body)).diagnostics[0]?.hint ?? "", /<module/);
  }
});
