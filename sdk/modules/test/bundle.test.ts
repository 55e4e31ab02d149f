import assert from "node:assert/strict";
import { test } from "node:test";
import { bundle, CODES } from "../index.ts";
import { found, load, made, of, told } from "./files.ts";

const FN = "export function f() { return 1; }";

/** One module, `m.ts`; what is marked of it is said in the third column. */
const CASES: readonly (readonly [source: string, code: string, marked: string])[] = [
  ["module.exports = { a: 1 };", "WOML_MODULE_COMMONJS_UNSUPPORTED", "module"],
  [`const a = 1;\nconst b = require("./b.js");\n${FN}`, "WOML_MODULE_COMMONJS_UNSUPPORTED", "require"],
  [`exports.f = 1;\n${FN}`, "WOML_MODULE_COMMONJS_UNSUPPORTED", "exports"],
  [`import b = require("./b.js"); b();\n${FN}`, "WOML_MODULE_COMMONJS_UNSUPPORTED", "require"],
  [`import _ from "lodash";\nexport function a() { return _; }`, "WOML_MODULE_PACKAGE_IMPORT_UNAVAILABLE", "lodash"],
  [`import "@acme/pay";\n${FN}`, "WOML_MODULE_PACKAGE_IMPORT_UNAVAILABLE", "@acme/pay"],
  [`import { readFile } from "node:fs"; readFile();\n${FN}`, "WOML_MODULE_PACKAGE_IMPORT_UNAVAILABLE", "node:fs"],
  [`import "#inner";\n${FN}`, "WOML_MODULE_PACKAGE_IMPORT_UNAVAILABLE", "#inner"],
  [`import "b.ts";\n${FN}`, "WOML_MODULE_PACKAGE_IMPORT_UNAVAILABLE", "b.ts"],
  [`import "/b.ts";\n${FN}`, "WOML_MODULE_IMPORT_UNSUPPORTED", "/b.ts"],
  [`import "https://x.example/b.ts";\n${FN}`, "WOML_MODULE_IMPORT_UNSUPPORTED", "https://x.example/b.ts"],
  [`import "./b.ts?raw";\n${FN}`, "WOML_MODULE_IMPORT_UNSUPPORTED", "./b.ts?raw"],
  [`import "";\n${FN}`, "WOML_MODULE_IMPORT_UNSUPPORTED", ""],
  [`import { b } from "./b.ts" with { type: "js" }; b();\n${FN}`, "WOML_MODULE_IMPORT_UNSUPPORTED", "import"],
  [`import { b } from "./b"; b();\n${FN}`, "WOML_MODULE_IMPORT_EXTENSION_REQUIRED", "./b"],
  [`import "./lib/";\n${FN}`, "WOML_MODULE_IMPORT_EXTENSION_REQUIRED", "./lib/"],
  [`import "./b.json";\n${FN}`, "WOML_MODULE_EXTENSION_UNSUPPORTED", "./b.json"],
  [`import "./b.mjs";\n${FN}`, "WOML_MODULE_EXTENSION_UNSUPPORTED", "./b.mjs"],
  [`import "./none.ts";\n${FN}`, "WOML_MODULE_FILE_NOT_FOUND", "./none.ts"],
  [`import { type A, zip } from "./b.ts"; zip();\n${FN}`, "WOML_MODULE_BUILD_FAILED", "./b.ts"],
  [`import b from "./b.ts"; b();\n${FN}`, "WOML_MODULE_BUILD_FAILED", "./b.ts"],
  [`import "./m.ts";\n${FN}`, "WOML_MODULE_GRAPH_CYCLE", "./m.ts"],
  [`export async function f() { return (await import("./b.ts")).b(); }`, "WOML_MODULE_DYNAMIC_IMPORT_UNSUPPORTED", "./b.ts"],
  ["export function f() { return import.meta.url; }", "WOML_MODULE_IMPORT_UNSUPPORTED", "import.meta"],
  [`export function f(p: string) { return import(p); }`, "WOML_MODULE_DYNAMIC_IMPORT_UNSUPPORTED", "import"],
  ["export default function x() { return 1; }", "WOML_MODULE_DEFAULT_EXPORT_UNSUPPORTED", "export"],
  [`${FN}\nexport default f;`, "WOML_MODULE_DEFAULT_EXPORT_UNSUPPORTED", "export"],
  ["export const x = () => 1;", "WOML_MODULE_EXPORT_UNSUPPORTED", "export"],
  ["export class X {}", "WOML_MODULE_EXPORT_UNSUPPORTED", "export"],
  ["function f() {}\nexport { f };", "WOML_MODULE_EXPORT_UNSUPPORTED", "export"],
  ['export { b } from "./b.ts";', "WOML_MODULE_EXPORT_UNSUPPORTED", "export"],
  ['export * from "./b.ts";', "WOML_MODULE_EXPORT_UNSUPPORTED", "export"],
  ["export enum E { A }", "WOML_MODULE_EXPORT_UNSUPPORTED", "export"],
  ["export function* g() { yield 1; }", "WOML_MODULE_GENERATOR_EXPORT_UNSUPPORTED", "export"],
  ["export async function* g() { yield 1; }", "WOML_MODULE_GENERATOR_EXPORT_UNSUPPORTED", "export"],
  ["const a = 1; void a;", "WOML_MODULE_EXPORTS_EMPTY", "c"],
  ["", "WOML_MODULE_EXPORTS_EMPTY", ""],
  ["export type T = { a: string };", "WOML_MODULE_EXPORTS_EMPTY", "e"],
  ["export function a( { return 1; }", "WOML_MODULE_SYNTAX_INVALID", "export function a( { return "],
  ["return 1;", "WOML_MODULE_SYNTAX_INVALID", "r"],
  ["export function f() {}\nlet f = 1;", "WOML_MODULE_SYNTAX_INVALID", "export function f() {}\nlet "],
  [`${FN}\nnamespace N { export const x = 1; }`, "WOML_MODULE_SYNTAX_INVALID", `${FN}\n`],
  ["@d class X {}", "WOML_MODULE_SYNTAX_INVALID", "@"],
  ["'\u0000'", "WOML_MODULE_SYNTAX_INVALID", "'"],
];
for (const [source, code, marked] of CASES) {
  test(`${code}: ${source.replaceAll("\n", " ").slice(0, 70)}`, () => {
    const files = { "lib/m.ts": source, "lib/b.ts": "export type A = 1; export function b() { return 2; }", "lib/b.js": FN };
    assert.deepEqual(found("lib/m.ts", files), [["lib/m.ts", code, marked]]);
  });
}

test("what a module may be", async () => {
  const files = {
    "m.ts": [
      'import { type Order, rate, Rates as R } from "./lib/rates.ts";',
      'import * as all from "./lib/rates.ts";',
      'import type { Missing } from "./types-only.ts";',
      "export interface Line { price: number }",
      "export type { Order };",
      "enum Kind { Net, Gross }",
      "let calls = 0;",
      "export function total<T extends Line>(lines: readonly T[]): number {",
      "  calls += 1; const module = { exports: rate };",
      "  return lines.reduce((sum, line) => sum + (line.price as number) * module.exports(R.base), 0) + Kind.Net;",
      "}",
      "export async function later(): Promise<number> { return all.rate(calls!); }",
      "export {};",
    ].join("\n"),
    "lib/rates.ts":
      'import { two } from "../two.js";\nexport type Order = 1;\nexport const Rates = { base: 2 };\nexport const rate = (of: number): number => of * two;\n',
    "two.js": "#!/usr/bin/env node\nconst half = 1;\nexport { both as two };\nconst both = half * 2; // no more",
  };
  const { exports, text } = made("m.ts", files);
  assert.deepEqual(exports, ["later", "total"]);
  const loaded = await load(text);
  assert.equal(loaded["total"]?.([{ price: 3 }, { price: 4 }]), 28);
  assert.equal(await loaded["later"]?.(), 2);
});

test("what TypeScript has is taken out, and nothing else", async () => {
  const source = [
    "\ufeffexport function all(this: Date | void, x?: number, ...rest: string[]): string {",
    "  return [new A(2).m<number>(), g<string>('a')!, (<unknown>s as typeof s).a, o('x'), E.B, rest.length, x].join();",
    "}",
    "interface I<T> { m<U>(): T | U }",
    "abstract class Base<T> { abstract m<U>(): T | U; declare none: string; static readonly #p?: number = 1; [key: string]: unknown }",
    "class A<T = number> extends Base<number> implements I<number> {",
    "  private readonly y!: number; constructor(public z = 1, protected w?: string) { super(); }",
    "  override m<U>(): number { return this.z as unknown as number; } get q(): number { return 1; }",
    "}",
    "function o(a: string): string; function o(a: number): string; function o(a: unknown): string { return String(a); }",
    "const g = <T,>(x: T) => x; const s = { a: 1 } satisfies object; declare const gone: number; declare function none(): void;",
    "type Mapped<T> = { readonly [K in keyof T]?: T[K] extends (infer U)[] ? U : never }; let pair: [a: string, b?: number];",
    "const enum E { A = 1, B } for (const n of [] as number[]) void n;",
  ].join("\r\n");
  assert.equal((await load(made("m.ts", { "m.ts": source }).text))["all"]?.(7, "r"), "2,a,1,x,2,1,7");
});

test("every code of the room is tried above", () => {
  const tried = new Set<string>(CASES.map(([, code]) => code));
  assert.deepEqual(
    Object.keys(CODES).filter((code) => !tried.has(code)),
    [],
  );
});

test("top-level await, names of the bundle's own, and what a module shadows", async () => {
  const files = {
    "m.js": 'import { a as source0 } from "./a.js";\nconst Object = 1;\nexport function f() { return [source0, Object]; }',
    "a.js": "const get = await Promise.resolve(7);\nexport const a = get;",
  };
  assert.deepEqual((await load(made("m.js", files).text))["f"]?.(), [7, 1]);
});

test("a module may export functions of any name, also one that waits for something before", async () => {
  const names = ["then", "__proto__", "constructor", "toString", "größe"];
  const source = names.map((name) => `export function ${name}() { return "${name}"; }`).join("\n");
  const Body = (async () => undefined).constructor as new (
    text: string,
  ) => () => Promise<readonly Readonly<Record<string, () => string>>[]>;
  for (const more of ["", "\nawait 1;"]) {
    // Not imported: of a module that exports `then` import() makes a promise.
    const [functions] = await new Body(made("m.js", { "m.js": source + more }).text.replace(/export (\{.*\});\n$/, "return [$1];"))();
    assert.deepEqual(
      names.map((name) => functions?.[name]?.()),
      names,
    );
  }
});

test("module code may name services and fetch; a parameter named require is its own", () => {
  const source = 'export async function load(require) { require(1); return services.http.request({ url: await fetch("x") }); }';
  assert.match(made("svc.js", { "svc.js": source }).text, /services\.http\.request/);
});

test("every source keeps its lines and columns, and the bundle says where it begins", () => {
  const files = {
    "m.ts":
      'import {\n  a,\n} from "./lib/a.ts"; /* one\ntwo */ import type { T } from "./lib/a.ts";\nexport async /**/ function f(x: T) { return a(x); }\n',
    "lib/a.ts": "#!/bin/sh\r\ninterface T {}\nconst half = 1; export { type T, a }; function a(x: unknown) { return x; }",
  };
  const { text, sections } = made("m.ts", files);
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/);
  assert.deepEqual(
    sections.map(({ path }) => path),
    ["lib/a.ts", "m.ts"],
  );
  const stands = (path: string, line: number, word: string): void => {
    const { line: from } = sections.find((one) => one.path === path) ?? assert.fail();
    const written = files[path as keyof typeof files].split(/\r\n|[\n\r\u2028\u2029]/)[line - 1] ?? "";
    assert.equal(lines[from + line - 2]?.indexOf(word), written.indexOf(word), `${path}:${line}`);
  };
  stands("lib/a.ts", 3, "const half");
  stands("m.ts", 5, "function f");
});

test("what would begin a comment in a script is parted, in code alone", async () => {
  const source = "export function f(a, b) { return [a<!--b, a<! --b, '<!--', `<!--`, /<!--/.source]; } // <!--";
  const { text } = made("m.js", { "m.js": source });
  assert.match(text, /a< !--b, a<! --b, '<!--', `<!--`, \/<!--\/\.source/);
  assert.deepEqual((await load(text))["f"]?.(0, 1), [true, false, "<!--", "<!--", "<!--"]);
});

test("faults of a dependency are said in its own file, once for all who import it, and of each other nothing", () => {
  const files = {
    "a.ts": `import { x } from "./lib/x.ts"; x();\n${FN}`,
    "b.ts": `import { x } from "./lib/x.ts"; x();\n${FN}`,
    "lib/x.ts": 'import l from "l";\nexport const y = l;',
  };
  const answer = bundle(["b.ts", "a.ts"], of(files));
  assert.deepEqual(found("a.ts", files), [
    ["a.ts", "WOML_MODULE_BUILD_FAILED", "./lib/x.ts"],
    ["lib/x.ts", "WOML_MODULE_PACKAGE_IMPORT_UNAVAILABLE", "l"],
  ]);
  assert.deepEqual(
    told(answer.get("b.ts")).map(({ file }) => file),
    ["b.ts"],
  );
});

test("an entry that is not there has no answer; why one cannot be read is passed on, as is why an import cannot", () => {
  const absent = { code: "WOML_MODULE_PATH_ESCAPE", message: "It leaves.", hint: "Stay." };
  const read = (path: string) => (path === "out.ts" ? absent : path === "in.ts" ? `import "./out.ts";\n${FN}` : undefined);
  const answer = bundle(["none.ts", "out.ts", "in.ts"], read);
  assert.equal(answer.has("none.ts"), false);
  assert.equal(answer.get("out.ts"), absent);
  assert.deepEqual(
    told(answer.get("in.ts")).map(({ code, start }) => [code, start.offset]),
    [["WOML_MODULE_PATH_ESCAPE", 8]],
  );
});

test("a bundle says what it was joined of: parts that bundles share, without imports and exports", () => {
  const files = {
    "a.ts": `import { services } from "./b.ts"; export function a(): number { return services; }`,
    "b.ts": "export const services: number = 1;",
    "c.ts": `import * as b from "./b.ts"; export function c(): unknown { return b; }`,
  };
  const answers = bundle(["a.ts", "c.ts"], of(files));
  const parts = ["a.ts", "c.ts"].map((path) => {
    const answer = answers.get(path);
    return answer && "parts" in answer ? answer.parts : [];
  });
  assert.equal(parts[0]?.[0], parts[1]?.[0]);
  assert.match(parts[0]?.[0]?.text ?? "", /^ *const services *= 1;$/);
  assert.match(parts[0]?.[1]?.text ?? "", /^let services;\n; +function a\(\) *\{ return services; \}$/);
});
