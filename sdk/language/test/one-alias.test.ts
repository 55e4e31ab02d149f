import assert from "node:assert/strict";
import { test } from "node:test";
import { compile, type Project } from "../index.ts";
import { definition, module, withImports } from "./definitions.ts";
import { step, workflow } from "./sources.ts";

const uses = (capability: string, alias = "pay"): string => `<uses capability="${capability}" version="^1" as="${alias}" />`;
const CALL = "return services.pay.charge();";
const bundle = (at: number): { exports: string[]; text: string; digest: string } => ({
  exports: ["charge"],
  text: `export function charge() { return ${at}; }`,
  digest: `sha256:${String(at).repeat(64)}`,
});
const MODULES: Project["modules"] = new Map([
  ["one.js", bundle(1)],
  ["same.js", bundle(1)],
  ["other.js", bundle(2)],
]);
const MODULE = (path: string): string => module("pay", `./${path}`);

function codes(own: string, theirs: string, { body = CALL, tag = '<d-d id="t" />' } = {}): readonly string[] {
  const text = withImports(own + module("d-d", "./d.woml"), workflow(step("a", body) + tag));
  const files = new Map([["d.woml", withImports(theirs, definition("", CALL))]]);
  return compile({ path: "flow.woml", text }, { files, modules: MODULES }).diagnostics.map(({ code }) => code);
}

test("a workflow and a definition in it may mean the same by an alias", () => {
  assert.deepEqual(codes(uses("acme.pay"), uses("acme.pay")), []);
  assert.deepEqual(codes(MODULE("one.js"), MODULE("one.js")), []);
  assert.deepEqual(codes(MODULE("one.js"), MODULE("same.js")), []);
});

test("they may not mean two capabilities by it", () => {
  assert.deepEqual(codes(uses("acme.pay"), uses("other.pay")), ["WOML_MODULE_ALIAS_DUPLICATE"]);
});

test("they may mean two modules by it, or a capability and a module: each script has its own", () => {
  for (const [own, theirs] of [
    [uses("acme.pay"), MODULE("one.js")],
    [MODULE("one.js"), uses("acme.pay")],
    [MODULE("one.js"), MODULE("other.js")],
  ] as const) {
    assert.deepEqual(codes(own, theirs), []);
  }
  const text = withImports(MODULE("one.js") + module("d-d", "./d.woml"), workflow(`${step("a", CALL)}<d-d id="t" />`));
  const files = new Map([["d.woml", withImports(MODULE("other.js"), definition("", CALL))]]);
  const { definition: made } = compile({ path: "flow.woml", text }, { files, modules: MODULES });
  const used = made?.nodes.map((node) => (node.kind === "step" ? node.script.modules : []));
  assert.deepEqual(
    used,
    [1, 2].map((at) => [{ alias: "pay", digest: bundle(at).digest }]),
  );
  assert.deepEqual(
    made?.modules,
    [1, 2].map((at) => ({ digest: bundle(at).digest, exports: ["charge"] })),
  );
});

test("what no script calls, or no tag brings, means nothing", () => {
  assert.deepEqual(codes(uses("acme.pay"), uses("other.pay"), { tag: "" }), ["WOML_MODULE_UNUSED"]);
  assert.deepEqual(codes("", uses("other.pay"), { body: "return 1;" }), []);
});

test("a definition alone is told what it imports for nothing", () => {
  const text = withImports(uses("acme.pay") + module("tools", "./one.js") + module("x-x", "./x.woml"), definition("", "return 1;"));
  const project: Project = { files: new Map([["x.woml", definition("", "return 1;")]]), modules: MODULES };
  const { diagnostics } = compile({ path: "d.woml", text }, project);
  assert.deepEqual(
    diagnostics.map(({ code, severity }) => `${severity} ${code}`),
    ["warning WOML_MODULE_UNUSED", "warning WOML_MODULE_UNUSED", "warning WOML_MODULE_UNUSED"],
  );
  const used = withImports(
    uses("acme.pay") + module("tools", "./one.js"),
    definition("", "return services.pay.a() ?? services.tools.charge();"),
  );
  assert.deepEqual(compile({ path: "d.woml", text: used }, project).diagnostics, []);
});
