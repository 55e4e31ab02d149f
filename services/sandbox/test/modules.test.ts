import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Invocation, Sandbox } from "../door.ts";
import type { Text } from "../shelf.ts";
import { bundled, named, waiting } from "./bundles.ts";
import { asked, echo, openPlace, PATIENT, played } from "./place.ts";

const using = (modules: Readonly<Record<string, Text>>): Pick<Invocation, "modules"> => ({
  modules: Object.entries(modules).map(([alias, text]) => ({ alias, ...text })),
});
const counter = bundled(
  "let n = 0; function up() { n += 1; return n; }\nasync function later(...given) { return [given, up()]; }",
  "up",
  "later",
);

describe("modules", () => {
  const cleanUps: (() => unknown)[] = [];
  let door: Sandbox;
  before(async () => {
    ({ door } = await openPlace({ after: (clean) => void cleanUps.push(clean as () => unknown) }));
  });
  after(async () => {
    for (const clean of cleanUps) await clean();
  });
  const run = (text: string, more: Partial<Invocation> = {}) => played(door, asked(text, more), echo);
  const value = async (text: string, more: Partial<Invocation> = {}): Promise<unknown> => {
    const { outcome, result, failure, detail } = await run(text, more);
    return result === undefined ? [outcome, failure?.message ?? detail] : JSON.parse(result);
  };

  test("their functions are called by alias and answer what they answer; two aliases of one digest mean one module", async () => {
    const text = "return [services.a.up(), await services.b.later(1, 2), services.a.up(), Object.keys(services), Object.keys(services.a)]";
    assert.deepEqual(await value(text, using({ a: counter, b: counter })), [1, [[1, 2], 2], 3, ["a", "b"], ["up", "later"]]);
  });

  test("each attempt has them anew, in the same process too", async () => {
    const first = await run("globalThis.left = 1; return services.a.up()", using({ a: counter }));
    const second = await run("return [services.a.up(), typeof left]", using({ a: counter }));
    assert.deepEqual([first.result, second.result, second.workerPid], ["1", '[1,"undefined"]', first.workerPid]);
  });

  test("a module sees what its script may call, and nothing else of it", async () => {
    const seen = ["context", "attempt", "secrets", "props", "lifecycle", "notification", "host", "fetch", "services"];
    const module = bundled(`function see() { return [${seen.map((name) => `typeof ${name}`)}, Object.keys(services)]; }`, "see");
    const more = { ...using({ a: module, b: counter }), props: "{}", lifecycle: "{}", notification: "{}" };
    const absent = Array(8).fill("undefined");
    assert.deepEqual(await value("return services.a.see()", more), [...absent, "object", []]);
    const offered = { ...more, operations: ["http.request", "w.op", "echo"] };
    assert.deepEqual(await value("return services.a.see()", offered), [...absent.slice(1), "function", "object", ["http", "w"]]);
  });

  test("it calls what its script may call; what waits before it is there comes first, in the order of the imports", async () => {
    const module = (name: string) => waiting(`const got = await services.w.op("${name}"); function f() { return got; }`, "f");
    const calls: string[] = [];
    const more = { ...using({ a: module("a"), b: counter, c: module("c") }), operations: ["w.op"] };
    const outcome = await played(door, asked("return [services.c.f(), services.a.f(), await services.w.op('own')]", more), (call) => {
      calls.push(`${call.call} ${call.input}`);
      return echo(call);
    });
    assert.deepEqual([outcome.result, calls], ['["c","a","own"]', ['1 "a"', '2 "c"', '3 "own"']]);
  });

  test("a replay gives a module the answers, the clock and the chance that it had", async () => {
    const body =
      "const at = await services.w.op(Date.now()); async function f() { return [at, Math.random(), crypto.randomUUID(), await services.w.op(2), Date.now()]; }";
    const more = { ...using({ a: waiting(body, "f") }), operations: ["w.op"] };
    const first = await run("return services.a.f()", more);
    const journal = [{ call: 1 }, { answer: 1 }, { call: 2 }];
    const again = await run("return services.a.f()", { ...more, journal });
    assert.deepEqual([first.outcome, again.result], ["ok", first.result]);
    const other = await run("return services.a.f()", { ...more, journal: [{ call: 1 }, { call: 2 }] });
    assert.equal(other.outcome, "diverged");
  });

  test("an error names the module by its digest with the line in it, and the script with its own", async () => {
    const module = bundled("function inner() { throw new TypeError('bad'); }\n  function f() { return inner(); }", "f");
    const { failure } = await run("const x = 1;\n  services.a.f()", using({ a: module }));
    assert.equal(
      failure?.stack,
      `TypeError: bad\n    at inner (${module.digest}:2:26)\n    at f (${module.digest}:3:25)\n    at a.woml:11:14`,
    );
    const early = bundled("\nthrow new Error('at once');", "f");
    const thrown = await run("return 1", using({ a: early }));
    assert.deepEqual([thrown.outcome, thrown.failure?.message], ["script_threw", "at once"]);
    assert.match(thrown.failure?.stack ?? "", new RegExp(`^Error: at once\\n    at ${early.digest}:3:7\\n`));
  });

  test("whatever a function or an alias is called: nothing is taken for a promise, a prototype or a property of all objects", async () => {
    const names = ["then", "__proto__", "constructor", "toString", "get", "größe"];
    for (const make of [bundled, waiting]) {
      const module = make(names.map((name) => `function ${name}() { return "${name}"; }`).join("\n"), ...names);
      const calls = names.map((name) => `services.constructor.${name}()`);
      const text = `return [${calls}, services.toString, services.constructor.valueOf, Object.getPrototypeOf(services.constructor), services.hasOwnProperty.up()].map((one) => one === undefined ? 0 : one)`;
      assert.deepEqual(await value(text, using({ constructor: module, hasOwnProperty: counter })), [...names, 0, 0, null, 1]);
    }
  });

  test("an alias of an import hides what the platform has by it, from its script alone", async () => {
    const module = bundled("function send() { return services.telegram.send(1); }", "send");
    const more = { ...using({ telegram: module }), operations: ["telegram.send", "w.op"] };
    assert.deepEqual(await value("return [await services.telegram.send(), await services.w.op(2)]", more), [1, 2]);
  });

  test("nothing of it can be replaced, and a prototype that somebody changes adds nothing to it", async () => {
    const evil = bundled(
      "Object.prototype.b = { up: () => 'evil' }; Object.prototype.evil = () => 'evil'; Array.prototype[Symbol.iterator] = null; Function.prototype.apply = null; function f() { return 'evil'; }",
      "f",
    );
    const more = using({ a: evil, c: counter });
    const text = `const frozen = [services, services.a, services.c, services.c.up].every((one) => Object.isFrozen(one));
      return [frozen, services.b === undefined, services.c.evil === undefined, services.c.up(), props.evil === undefined]`;
    assert.deepEqual(await value(text, { ...more, props: "{}" }), [true, true, true, 1, true]);
    for (const write of ["services.c = 1", "services.c.up = 1", "services.c.up.x = 1", "delete services.c", "services.d = 1"])
      assert.equal((await run(`${write}; return 1`, more)).failure?.name, "TypeError", write);
  });

  test("through its functions a script reaches nothing of the module's, nor a module of the script's", async () => {
    const reach = "return (new Function('return [typeof n, typeof source0, typeof up, typeof context, typeof services]'))()";
    const module = bundled(
      `let n = 1; function up() {} function reach() { ${reach} } function caller() { return caller.caller; }`,
      "reach",
      "caller",
    );
    const nothing = Array(5).fill("undefined");
    assert.deepEqual(await value("return services.a.reach()", using({ a: module })), nothing);
    const made = "return services.a.reach.constructor('return [typeof n, typeof source0, typeof up, typeof context, typeof services]')()";
    assert.deepEqual(await value(made, using({ a: module })), nothing);
    assert.equal((await run("return services.a.caller()", using({ a: module }))).failure?.name, "TypeError");
    const entry = bundled("const early = typeof __woml_enter__; function f() { return [early, typeof __woml_enter__]; }", "f");
    assert.deepEqual(await value("return services.a.f()", using({ a: entry })), ["undefined", "undefined"]);
  });

  test("what replaces the promises that modules are waited for with gets nothing of the platform's", async () => {
    const evil = waiting(
      "await 0; globalThis.got = []; const real = Promise.prototype.then; Promise.prototype.constructor = function () {}; Promise.prototype.then = function (...given) { got.push(typeof given[0]); return real.apply(this, given); }; function f() { return got; }",
      "f",
    );
    const outcome = await run("return services.a.f().every((one) => one === 'function')", using({ a: evil, b: counter }));
    assert.ok(outcome.outcome === "ok" || outcome.outcome === "script_threw", outcome.outcome);
    assert.deepEqual(await value("return services.b.up()", using({ b: counter })), 1);
  });

  test("it lives within its script's limits", async () => {
    const ends = async (body: string) => (await run("return 1", { ...using({ a: bundled(body, "f") }), limits: PATIENT })).outcome;
    assert.equal(await ends("for (;;); function f() {}"), "cpu_exceeded");
    assert.equal(
      (await run("return 1", using({ a: waiting("await new Promise(() => {}); function f() {}", "f") }))).outcome,
      "wall_exceeded",
    );
    const memory = await ends("const kept = []; for (;;) kept.push(new Array(1e5).fill(kept.length).map(String).join()); function f() {}");
    assert.ok(["memory_exceeded", "cpu_exceeded", "worker_crashed"].includes(memory), memory);
    assert.deepEqual(await value("return services.a.up()", using({ a: counter })), 1);
  });

  test("a text that is no bundle, or closes the function around it, runs nothing", async () => {
    const closed = named("}); globalThis.x = 1; (async function () {\nconst f = 1;\nexport { f };\n");
    for (const text of [closed, named("function f() {}"), named("export { f };"), named("const f = ;\nexport { f };\n")]) {
      const outcome = await run("return typeof x", using({ a: text }));
      assert.deepEqual([outcome.outcome, outcome.result], ["script_syntax", undefined], text.text);
    }
  });

  test("modules that are too large together are refused at the door, and what fits runs whatever its length", async () => {
    const large = (n: number) => bundled(`function f() { return ${n}; } // ${"x".repeat(3 * 2 ** 20 - 400)}`, "f");
    const many = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`m${n}`, large(n)]));
    const { outcome, detail, workerPid } = await run("return 1", using(many));
    assert.deepEqual([outcome, detail, workerPid], ["protocol_violation", "has modules of more than 33554432 bytes", undefined]);
    const limits = { ...asked("").limits, wallMs: 20_000 };
    const few = Object.fromEntries(Object.entries(many).slice(0, 4));
    const text = "return Object.values(services).map((one) => one.f())";
    for (let n = 0; n < 3; n++) assert.deepEqual(await value(text, { ...using(few), limits }), [0, 1, 2, 3]);
    assert.deepEqual(await value("return services.a.up()", using({ a: counter })), 1);
  });
});

test("props, what a hook is told and a notice: each a binding of its name where it is given, frozen, with no property of all objects", async (t) => {
  const { door } = await openPlace(t);
  const run = async (text: string, more: Partial<Invocation> = {}) => JSON.parse((await door.invoke(asked(text, more))).result ?? "null");
  const none = "return [typeof props, typeof lifecycle, typeof notification, typeof secrets]";
  assert.deepEqual(await run(none), ["undefined", "undefined", "undefined", "object"]);
  const all = {
    props: '{"toString":1,"constructor":{"a":[{}]},"__proto__":2}',
    lifecycle: '{"event":"x"}',
    notification: '{"message":"m"}',
  };
  assert.deepEqual(await run(none, all), ["object", "object", "object", "undefined"]);
  const text = `const frozen = [props, props.constructor, props.constructor.a, props.constructor.a[0], lifecycle, notification].every((one) => Object.isFrozen(one));
    return [frozen, props.toString, props.__proto__, props.valueOf === undefined, lifecycle.event, notification.message, Object.keys(props)]`;
  assert.deepEqual(await run(text, all), [true, 1, 2, true, "x", "m", ["toString", "constructor", "__proto__"]]);
  assert.deepEqual(await run("return props", all), JSON.parse(all.props));
  const handle = `woml_secret.${"0a".repeat(16)}.n.KEY.`;
  const derived = await run("return btoa(props.key)", { props: JSON.stringify({ key: handle }), secrets: { KEY: handle } });
  assert.match(String(derived), /^woml_secret\.[0-9a-f]{32}\.d\./);
  const iteration = '{"payload":1,"steps":{},"item":{"a":1},"iteration":{"index":3,"total":9}}';
  assert.deepEqual(await run("return [context.item, context.iteration, Object.isFrozen(context.item)]", { context: iteration }), [
    { a: 1 },
    { index: 3, total: 9 },
    true,
  ]);
});
