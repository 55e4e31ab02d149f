import assert from "node:assert/strict";
import { test } from "node:test";
import { checkWith, definition, module, told, withImports } from "./definitions.ts";
import { workflow } from "./sources.ts";

const errors = (answer: readonly string[]): readonly string[] => answer.filter((line) => !line.includes("MODULE_UNUSED"));
const name = (at: number): string => `d-d${at}`;
const path = (at: number): string => `d${at}.woml`;
const PLAIN = definition("", "return 1;");

/** `count` documents, each of which imports the next. */
function chain(count: number): Readonly<Record<string, string>> {
  const part = (at: number): string => (at === count ? PLAIN : withImports(module(name(at + 1), `./${path(at + 1)}`), PLAIN));
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [path(at + 1), part(at + 1)]));
}
const START = withImports(module(name(1), `./${path(1)}`), workflow(`<${name(1)} id="t" />`));

test("64 documents may import one another in a row, one more is refused where it is named", () => {
  assert.deepEqual(errors(told(START, chain(64))), []);
  assert.deepEqual(errors(told(START, chain(65))), ["d64.woml: WOML_MODULE_GRAPH_LIMIT_EXCEEDED ./d65.woml"]);
  assert.equal(errors(told(START, chain(5_000))).length, 1);
});

/** A workflow that imports and uses `count` documents. */
function wide(count: number): string {
  const all = Array.from({ length: count }, (_, at) => at + 1);
  const imports = all.map((at) => module(name(at), `./${path(at)}`)).join("");
  return withImports(imports, workflow(all.map((at) => `<${name(at)} id="t${at}" />`).join("")));
}
const filled = (count: number, text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [path(at + 1), text]));

test("512 documents may be imported, one more is refused", () => {
  assert.deepEqual(told(wide(512), filled(512, PLAIN)), []);
  assert.deepEqual(errors(told(wide(514), filled(514, PLAIN))), [
    "WOML_MODULE_GRAPH_LIMIT_EXCEEDED ./d513.woml",
    "WOML_MODULE_GRAPH_LIMIT_EXCEEDED ./d514.woml",
  ]);
});

test("all documents together are 16 MiB at most", () => {
  const scripts = (count: number): Readonly<Record<string, string>> =>
    filled(count, `<woml><!--${"é".repeat(524_000)}--><step><script>return 1;</script></step></woml>`);
  assert.deepEqual(told(wide(16), scripts(16)), []);
  assert.deepEqual(errors(told(wide(17), scripts(17))), ["WOML_MODULE_SIZE_LIMIT_EXCEEDED ./d17.woml"]);
});

test("a document that is imported on many ways is read once", () => {
  // Each of a row imports the next two: by way of them the last is reached more often than can be counted.
  const count = 60;
  const two = (at: number): string =>
    withImports(module(name(at + 1), `./${path(at + 1)}`) + module(name(at + 2), `./${path(at + 2)}`), PLAIN);
  const files = Object.fromEntries(Array.from({ length: count }, (_, at) => [path(at + 1), at + 2 < count ? two(at + 1) : PLAIN]));
  const { diagnostics } = checkWith(START, files);
  assert.equal(diagnostics.length, 2 * (count - 2));
  assert.ok(diagnostics.every(({ code }) => code === "WOML_MODULE_UNUSED"));
});

/** Milliseconds of the quickest of three. */
function quickest(text: string, files: Readonly<Record<string, string>>): number {
  const once = (): number => {
    const began = performance.now();
    checkWith(text, files);
    return performance.now() - began;
  };
  return Math.min(once(), once(), once());
}
const tags = (count: number, attributes = ""): string =>
  withImports(
    module(name(1), `./${path(1)}`),
    workflow(Array.from({ length: count }, (_, at) => `<${name(1)} id="t${at}" ${attributes} />`).join("")),
  );

test("many tags of a definition with many props cost no more than both are long", () => {
  const props = (count: number): Readonly<Record<string, string>> => {
    const all = Array.from({ length: count }, (_, at) => `<prop name="p${at}" required="true" />`);
    return { [path(1)]: definition(all.join(""), "return 1;") };
  };
  const [some, twice] = [quickest(tags(5_000, 'px="1"'), props(5_000)), quickest(tags(10_000, 'px="1"'), props(10_000))];
  assert.ok(twice < some * 3.5, `${some} ms, then ${twice} ms`);
});

test("scripts that tags bring are counted before a definition is made of them", () => {
  const files = { [path(1)]: definition("", `return 1;/*${"x".repeat(200_000)}*/`) };
  assert.deepEqual(told(tags(10), files), []);
  assert.deepEqual(told(tags(5_000), files), ['WOML_DEFINITION_TOO_LARGE <d-d1 id="t10"  />']);
  const hooks = "<script>1</script>".repeat(20_000);
  const many = { [path(1)]: definition("", "return 1;", `<lifecycle><on-success>${hooks}</on-success></lifecycle>`) };
  assert.deepEqual(told(tags(10_000), many), ['WOML_DEFINITION_TOO_LARGE <d-d1 id="t7"  />']);
});

test("an answer about many documents is bounded, and says what it leaves out", () => {
  const broken = definition("", "secrets.A;".repeat(2));
  const { diagnostics } = checkWith(wide(512), filled(512, broken.replace("<step>", "<props /><step>")));
  const last = diagnostics.at(-1);
  assert.ok(diagnostics.length <= 1_101, `${diagnostics.length}`);
  assert.deepEqual([last?.code, last?.severity], ["WOML_TOO_MANY_DIAGNOSTICS", "error"]);
  const left = Number(/\d+/.exec(last?.message ?? "")?.[0]);
  const each = diagnostics.filter(({ file }) => file === path(1)).length;
  assert.equal(diagnostics.length - 1 + left, 512 * each);
});
