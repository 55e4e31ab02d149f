import assert from "node:assert/strict";
import { test } from "node:test";
import { compile, outline } from "../index.ts";
import { definition, module, withImports } from "./definitions.ts";
import { step, workflow } from "./sources.ts";

const FILES: Readonly<Record<string, string>> = {
  "lib/a.woml": withImports(module("b", "./b.woml") + module("m", "../m.ts"), definition("", "return services.m.x();")),
  "lib/b.woml": withImports(module("n", "./n.js"), definition("")),
  "other.woml": withImports(module("far", "./far.woml")),
  "far.woml": definition(""),
};
const read = (path: string): string | undefined => FILES[path];

test("an outline holds what a document and its imports need, and nothing that a workflow among them does", () => {
  const imports = module("a", "./lib/a.woml") + module("m", "./m.ts") + module("o", "./other.woml") + module("gone", "./gone.woml");
  const { defines, files, modules } = outline({ path: "flow.woml", text: withImports(imports) }, read);
  assert.equal(defines, "workflow");
  assert.deepEqual([...files.keys()], ["lib/a.woml", "lib/b.woml", "other.woml"]);
  assert.deepEqual(modules, ["lib/n.js", "m.ts"]);
});

test("what a document defines", () => {
  assert.equal(outline({ path: "a.woml", text: definition("") }, read).defines, "step");
  assert.equal(outline({ path: "a.woml", text: "<woml><wo" }, read).defines, null);
  assert.deepEqual(outline({ path: "a.woml", text: workflow(step("a")) }, read), { defines: "workflow", files: new Map(), modules: [] });
});

test("documents that import each other, and many of them, are read once each, and the compiler says what is too much", () => {
  let reads = 0;
  const ring = outline({ path: "0.woml", text: withImports(module("x", "./1.woml")) }, (path) => {
    reads += 1;
    return withImports(module("x", `./${(Number.parseInt(path, 10) + 1) % 50}.woml`), definition(""));
  });
  assert.deepEqual([reads, ring.files.size], [49, 49]);
  const text = withImports(Array.from({ length: 700 }, (_, at) => module(`x-${at}`, `./${at}.woml`)).join(""));
  const { files } = outline({ path: "flow.woml", text }, () => definition(""));
  const codes = compile({ path: "flow.woml", text }, { files, modules: new Map() }).diagnostics.filter(
    ({ severity }) => severity === "error",
  );
  assert.deepEqual([...new Set(codes.map(({ code }) => code))].toSorted(), [
    "WOML_MODULE_GRAPH_LIMIT_EXCEEDED",
    "WOML_TOO_MANY_DIAGNOSTICS",
  ]);
});

test("what is no path of a module is not read: what is said of a file shows a part of it", () => {
  const paths = ["./.env", "/etc/passwd", "file:///etc/hosts", "./a.txt", "a.ts", "./a b.ts", "./a.woml?x", "..", "", "C:\\a.ts"];
  const text = withImports(paths.map((path, at) => module(`m${at}`, path)).join(""));
  const read: string[] = [];
  const { files, modules } = outline({ path: "flow.woml", text }, (path) => void read.push(path));
  assert.deepEqual([read, [...files], modules], [[], [], []]);
});

test("of long documents no more is read than the compiler could be given", () => {
  let reads = 0;
  const text = withImports(Array.from({ length: 400 }, (_, at) => module(`x-${at}`, `./${at}.woml`)).join(""));
  const long = `<!--${"x".repeat(4_000_000)}-->`;
  const { files } = outline({ path: "flow.woml", text }, () => {
    reads += 1;
    return long;
  });
  assert.deepEqual([reads, files.size], [9, 400]);
});
