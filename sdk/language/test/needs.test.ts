// What a definition says that its scripts reach: calls, modules, and what of the context they need.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Definition, Script } from "@woml/model";
import { type Bundle, type Compiled, compile } from "../index.ts";
import { check, step, workflow } from "./sources.ts";

const bundle = (text: string, exports: readonly string[], digit = "0"): Bundle => ({
  exports,
  text,
  digest: `sha256:${digit.repeat(64)}`,
});
const withModules = (body: string, modules: Readonly<Record<string, Bundle>>): string =>
  workflow(step("a", body)).replace(
    "<woml>",
    `<woml><imports>${Object.keys(modules)
      .map((name) => `<module name="${name}" from="./${name}.ts"/>`)
      .join("")}</imports>`,
  );
const made = (body: string, modules: Readonly<Record<string, Bundle>> = {}): Compiled => {
  const files = new Map(Object.entries(modules).map(([name, built]) => [`${name}.ts`, built] as const));
  return compile(
    { path: "flow.woml", text: Object.keys(modules).length > 0 ? withModules(body, modules) : workflow(step("a", body)) },
    { files: new Map(), modules: files },
  );
};
const scriptOf = (definition: Definition | null): Script => {
  const node = definition?.nodes.find(({ id }) => id === "a");
  assert.ok(node?.kind === "step");
  return node.script;
};
const aliases = (definition: Definition | null): readonly string[] | undefined => scriptOf(definition).modules?.map(({ alias }) => alias);
const DB = ["db.delete", "db.execute", "db.insert", "db.query", "db.read", "db.transaction", "db.update"];

for (const [body, calls] of [
  ["return services.db({ driver: 'sqlite' }).query({ text: 'select 1' })", ["db.query"]],
  ["const db = services.db({ driver: 'sqlite' }); return db.query({})", DB],
  ["return services.db(context.payload.config)[context.payload.what]({})", DB],
  ["return services.state.get('x') + services.cache.get('x')", ["cache.get", "state.get"]],
  ["return services.events.emit('a.b', {}) + services.storage.head({ key: 'x' })", ["events.emit", "storage.head"]],
  ["return services.workflows.call('a', {}) + services.workflows.start('a', {})", ["workflows.call", "workflows.start"]],
  ["return services.discord.send({ botToken: secrets.T, conversationId: context.payload.c, text: 'x' })", ["discord.send"]],
] as const) {
  test(`calls of: ${body}`, () => {
    const { definition, diagnostics, spans } = made(body);
    assert.deepEqual(diagnostics, []);
    assert.deepEqual(scriptOf(definition).calls, calls);
    const aliases = [...new Set(calls.map((call) => call.slice(0, call.indexOf("."))))];
    assert.deepEqual(
      definition?.uses,
      aliases.map((alias) => ({ alias, capability: alias, range: "*" })),
    );
    for (const alias of aliases) assert.ok(spans?.subjects.has(`use:${alias}`));
  });
}

const CACHE = ["cache.delete", "cache.get", "cache.has", "cache.increment", "cache.set", "cache.setIfAbsent"];
for (const [body, calls] of [
  ["const http = services.http; return http.request({})", ["http.request"]],
  ["return context.payload.map(services.http.request)", ["http.request"]],
  ["return services.cache[context.payload.what]('k')", CACHE],
  ["return services.cache?.get('k')", CACHE],
  ["return services.state.get.call(null, 'k')", ["state.get"]],
  ["const open = services.db; return open({})", DB],
] as const) {
  test(`what the platform has of itself is known, and may be kept as a value: ${body}`, () => {
    const { definition, diagnostics } = made(body);
    assert.deepEqual(diagnostics, []);
    assert.deepEqual(scriptOf(definition).calls, calls);
  });
}

test("a module may be kept as a value", () => {
  const { definition, diagnostics } = made("const { f } = services.m; return f(services.m['f'])", {
    m: bundle("export function f() {}", ["f"]),
  });
  assert.deepEqual(diagnostics, []);
  assert.deepEqual([aliases(definition), scriptOf(definition).calls], [["m"], undefined]);
});

test("an item and its iteration are given in any case, and are no needs", () => {
  const { definition } = made("return [context.item, context.iteration.index, context['item'].a]");
  assert.deepEqual(scriptOf(definition).needs, { payload: false, steps: [] });
});

test("what a module calls, the scripts that use it may call; each module is named by those that use it", () => {
  const modules = {
    load: bundle("async function load() { return services.http.request({}); } function idle() {} export { idle, load };", ["idle", "load"]),
    save: bundle("export async function save(x) { const f = fetch; await services.state.set('k', x); return services.db(x).insert({}); }", [
      "save",
    ]),
    none: bundle("export function none() { const services = 1; return services; }", ["none"]),
  };
  const { definition, diagnostics } = made("services.load.load(); services.save.save(1); return services.none.none()", modules);
  assert.deepEqual(diagnostics, []);
  const { calls } = scriptOf(definition);
  assert.deepEqual(aliases(definition), ["load", "none", "save"]);
  assert.deepEqual(calls, ["db.insert", "http.request", "state.set"]);
  assert.deepEqual(scriptOf(made("return services.none.none()", { none: modules.none }).definition).calls, undefined);
});

for (const [what, module, code, mark] of [
  ["services as a value", "export function f() { return services; }", "WOML_SCRIPT_SERVICE_ACCESS_UNSUPPORTED", "./m.ts"],
  ["a service that there is not", "export function f() { return services.nope.go(); }", "WOML_MODULE_SERVICE_UNKNOWN", "./m.ts"],
] as const) {
  test(`a module that has ${what} is taken with a warning at its import`, () => {
    const modules = { m: bundle(module, ["f"]) };
    const { definition, diagnostics } = made("return services.m.f()", modules);
    assert.ok(definition);
    assert.deepEqual(
      diagnostics.map((said) => [said.code, said.severity]),
      [[code, "warning"]],
    );
    const text = withModules("return services.m.f()", modules);
    const [{ start, end } = { start: null, end: null }] = diagnostics;
    assert.equal(text.slice(start?.offset, end?.offset), mark);
  });
}

test("a function that a module does not export is a warning with the one that it may be", () => {
  const { definition, diagnostics } = made("return services.m.laod()", { m: bundle("export function load() {}", ["load"]) });
  assert.ok(definition);
  assert.deepEqual(
    diagnostics.map(({ code, severity, hint }) => [code, severity, hint]),
    [["WOML_MODULE_EXPORT_UNKNOWN", "warning", "Did you mean load?"]],
  );
});

test("a module may have the name of a provider: what it exports is called, and no message is looked for", () => {
  const { definition, diagnostics } = made("return services.telegram.add(1, 2)", {
    telegram: bundle("export function add(a, b) { return a + b; }", ["add"]),
  });
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error"),
    [],
  );
  assert.deepEqual([aliases(definition), scriptOf(definition).calls, definition?.uses], [["telegram"], undefined, undefined]);
});

for (const [word, meant] of [
  ["storrage", "storage"],
  ["evnets", "events"],
  ["HTTP", "http"],
] as const) {
  test(`services.${word}: did you mean ${meant}?`, () => {
    const [{ code, hint } = { code: null, hint: null }] = check(workflow(step("a", `return services.${word}.go()`))).diagnostics;
    assert.deepEqual([code, hint], ["WOML_MODULE_SERVICE_UNKNOWN", `Did you mean ${meant}?`]);
  });
}

/** A workflow with a step of its own and one of an imported definition, each with its imports. */
function together(own: string, imported: string): Compiled {
  const text = `<woml><imports>${own}<module name="send-it" from="./send-it.woml"/></imports><workflow id="w"><triggers><manual id="go"/></triggers>
<steps>${step("a", "return services.x.f()")}<send-it id="b"/></steps></workflow></woml>`;
  const definition = `<woml><imports>${imported}</imports><step><script>return services.x.f();</script></step></woml>`;
  const modules = new Map(["one.ts", "two.ts"].map((path, at) => [path, bundle("export function f() {}", ["f"], `${at}`)] as const));
  return compile({ path: "flow.woml", text }, { files: new Map([["send-it.woml", definition]]), modules });
}
const uses = (version: string): string => `<uses capability="acme.x" version="${version}" as="x"/>`;
const module = (path: string): string => `<module name="x" from="./${path}"/>`;

for (const [what, own, imported, isTaken] of [
  ["one capability", uses("^1"), uses("^1"), true],
  ["two ranges of a capability", uses("^1"), uses("^2"), false],
  ["one module", module("one.ts"), module("one.ts"), true],
  ["two modules", module("one.ts"), module("two.ts"), true],
  ["a capability and a module", uses("^1"), module("one.ts"), true],
] as const) {
  test(`an alias means ${what} in a workflow and a definition that it imports: ${isTaken ? "taken" : "refused"}`, () => {
    const { definition, diagnostics, spans } = together(own, imported);
    assert.deepEqual(
      diagnostics.map(({ code }) => code),
      isTaken ? [] : ["WOML_MODULE_ALIAS_DUPLICATE"],
    );
    const reached = [...(definition?.uses ?? []), ...(definition?.modules ?? [])];
    if (isTaken) assert.ok(reached.length === (own === imported ? 1 : 2) && spans?.subjects);
  });
}

test("a capability that only an imported definition names is the workflow's too, at the tag", () => {
  const text =
    '<woml><imports><module name="send-it" from="./send-it.woml"/></imports><workflow id="w"><triggers><manual id="go"/></triggers><steps><send-it id="b"/></steps></workflow></woml>';
  const files = new Map([
    ["send-it.woml", `<woml><imports>${uses("^1")}</imports><step><script>return services.x.f();</script></step></woml>`],
  ]);
  const { definition, diagnostics, spans } = compile({ path: "flow.woml", text }, { files, modules: new Map() });
  assert.deepEqual(diagnostics, []);
  assert.deepEqual(definition?.uses, [{ alias: "x", capability: "acme.x", range: "^1" }]);
  const place = spans?.uses.get("x");
  assert.equal(text.slice(place?.start.offset, place?.end.offset), '<send-it id="b"/>');
});
