import assert from "node:assert/strict";
import { test } from "node:test";
import { type Bundle, type Compiled, compile, type Diagnostic, type Project } from "../index.ts";
import { definition, module, withImports } from "./definitions.ts";
import { step, workflow } from "./sources.ts";

const bundle = (text: string, ...exports: readonly string[]): Bundle => ({ exports, text, digest: `sha256:${"a".repeat(64)}` });
const PRICES = bundle("const total = () => 1; export { total };", "total");
const wrong = (file: string): Diagnostic => {
  const [start, end] = [1, 2].map((column) => ({ line: 1, column, offset: column - 1 }));
  return {
    file,
    code: "WOML_MODULE_SYNTAX_INVALID",
    severity: "error",
    message: "It cannot be parsed.",
    hint: null,
    start: start ?? null,
    end: end ?? null,
  };
};
const project = (
  modules: Readonly<Record<string, Bundle | Diagnostic[] | { code: string; message: string; hint: string }>>,
  files = {},
): Project => ({
  files: new Map(Object.entries(files)),
  modules: new Map(Object.entries(modules)),
});
const text = (from: string, body = "return services.prices.total();"): string =>
  workflow(step("a", body)).replace("<woml>", `<woml><imports><module name="prices" from="${from}"/></imports>`);
const at = (source: string, { diagnostics }: Compiled): readonly (readonly [string, string])[] =>
  diagnostics.map(({ code, start, end }) => [code, source.slice(start?.offset, end?.offset)]);

test("a definition that is called like a service, and a module that is used like a tag, are told what they are", () => {
  const tags = withImports(module("tax", "./tax.woml"), workflow(`<tax id="t" />${step("a", "return services.tax.run();")}`));
  const [service] = compile({ path: "flow.woml", text: tags }, project({}, { "tax.woml": definition("", "return 1;") })).diagnostics;
  assert.deepEqual(
    [service?.code, service?.hint],
    ["WOML_MODULE_SERVICE_UNKNOWN", '"tax" is a definition and no service: it is used by its tag, <tax />.'],
  );
  const source = text("./lib/prices.ts").replace("</steps>", '<prices id="p" /></steps>');
  const [tag, ...more] = compile({ path: "flow.woml", text: source }, project({ "lib/prices.ts": PRICES })).diagnostics;
  assert.deepEqual([tag?.code, tag?.hint], ["WOML_UNKNOWN_ELEMENT", '"prices" is a module: a script calls services.prices.<function>(…).']);
  assert.deepEqual(more, []);
});

test("a module that is not there, or cannot be read, is said at its path", () => {
  const absent = { code: "WOML_MODULE_SYMLINK_ESCAPE", message: "It leads out.", hint: "Copy it." };
  const source = text("./lib/prices.ts");
  assert.deepEqual(at(source, compile({ path: "flow.woml", text: source })), [["WOML_MODULE_FILE_NOT_FOUND", "./lib/prices.ts"]]);
  assert.deepEqual(at(source, compile({ path: "flow.woml", text: source }, project({ "lib/prices.ts": absent }))), [
    ["WOML_MODULE_SYMLINK_ESCAPE", "./lib/prices.ts"],
  ]);
  const unknown = { ...absent, code: "EACCES" };
  assert.deepEqual(at(source, compile({ path: "flow.woml", text: source }, project({ "lib/prices.ts": unknown }))), [
    ["WOML_MODULE_FILE_NOT_READABLE", "./lib/prices.ts"],
  ]);
});

test("a path that is none is refused as that, and not as a file that is not there", () => {
  for (const [from, code] of [
    ["/prices.ts", "WOML_MODULE_PATH_INVALID"],
    ["prices.ts", "WOML_MODULE_PATH_INVALID"],
    ["./prices.json", "WOML_MODULE_PATH_INVALID"],
  ] as const) {
    const source = text(from);
    assert.deepEqual(at(source, compile({ path: "flow.woml", text: source })), [[code, from]]);
  }
});

test("paths are taken from the document, wherever that is", () => {
  for (const [path, from, key] of [
    ["flow.woml", "./prices.ts", "prices.ts"],
    ["./flow.woml", "../prices.ts", "../prices.ts"],
    ["a/b/flow.woml", "../lib/prices.ts", "a/lib/prices.ts"],
    ["../flow.woml", "./lib/../prices.ts", "../prices.ts"],
    ["/srv/a/flow.woml", "../prices.ts", "/srv/prices.ts"],
  ] as const) {
    assert.deepEqual(compile({ path, text: text(from) }, project({ [key]: PRICES })).diagnostics, [], `${path} ${from}`);
  }
});

test("what is wrong with a module is said once of its own file, behind the documents, and nothing is made", () => {
  const told = [wrong("lib/prices.ts")];
  const files = { "gift.woml": withImports(module("prices", "./lib/prices.ts"), definition("", "return services.prices.total();")) };
  const source = text("./lib/prices.ts", "return services.prices.total() + services.nothing.here();").replace(
    "</imports>",
    '<module name="gift" from="./gift.woml"/></imports>',
  );
  const { diagnostics, definition: made } = compile({ path: "flow.woml", text: source }, project({ "lib/prices.ts": told }, files));
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error").map(({ file, code }) => [file, code]),
    [
      ["flow.woml", "WOML_MODULE_SERVICE_UNKNOWN"],
      ["lib/prices.ts", "WOML_MODULE_SYNTAX_INVALID"],
    ],
  );
  assert.equal(made, null);
});

test("a module that is used is in the definition by what it is; one that is not is warned of", () => {
  const source = text("./prices.ts");
  const { definition: made, spans } = compile({ path: "flow.woml", text: source }, project({ "prices.ts": PRICES }));
  assert.deepEqual(made?.modules, [{ exports: ["total"], digest: PRICES.digest }]);
  const place = spans?.subjects.get(`module:${PRICES.digest}`);
  assert.equal(source.slice(place?.start.offset, place?.end.offset), '<module name="prices" from="./prices.ts"/>');
  const unused = text("./prices.ts", "return 1;");
  const answer = compile({ path: "flow.woml", text: unused }, project({ "prices.ts": PRICES }));
  assert.deepEqual(at(unused, answer), [["WOML_MODULE_UNUSED", '<module name="prices" from="./prices.ts"/>']]);
  assert.equal(answer.definition?.modules, undefined);
});
