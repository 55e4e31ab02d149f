import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bundle, GRAPH_LIMIT } from "../index.ts";
import { type Files, found, made, of } from "./files.ts";

const FN = "export function f() { return 1; }";

/** `m0.js` imports `m1.js`, and so on; the last imports `end`. */
function chain(length: number, end = ""): Files {
  const next = (at: number): string => (at < length - 1 ? `import { f as g } from "./m${at + 1}.js"; g;\n` : end);
  return Object.fromEntries(Array.from({ length }, (_, at) => [`m${at}.js`, `${next(at)}${FN}`]));
}
const codesOf = (entry: string, files: Files): readonly string[] => found(entry, files).map(([, code]) => code);

test("512 sources are taken, one more is not, and that is said once, at the import that is too much", () => {
  assert.deepEqual(made("m0.js", chain(GRAPH_LIMIT)).exports, ["f"]);
  assert.deepEqual(found("m0.js", chain(GRAPH_LIMIT + 1)), [
    [`m${GRAPH_LIMIT - 1}.js`, "WOML_MODULE_GRAPH_LIMIT_EXCEEDED", `./m${GRAPH_LIMIT}.js`],
  ]);
  const star = { ...chain(600), "star.js": `${Array.from({ length: 600 }, (_, at) => `import "./m${at}.js";`).join("\n")}${FN}` };
  assert.deepEqual(codesOf("star.js", star), ["WOML_MODULE_GRAPH_LIMIT_EXCEEDED"]);
});

test("a circle of 500 is said where it closes", () => {
  assert.deepEqual(found("m0.js", chain(500, 'import "./m0.js";\n')), [["m499.js", "WOML_MODULE_GRAPH_CYCLE", "./m0.js"]]);
});

test("a bundle has at most 3 MiB", () => {
  const long = (mib: number): string => `${FN}\n//${"x".repeat(mib * 1_048_576)}`;
  assert.deepEqual(codesOf("m.js", { "m.js": long(3) }), ["WOML_MODULE_SIZE_LIMIT_EXCEEDED"]);
});

const codesIn = (answer: object): string => (Array.isArray(answer) ? answer.map(({ code }) => code).join() : "");

test("many entries that share one long source make no endless bundles", () => {
  const entries = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`m${at}.js`, `import "./big.js";\n${FN}`]));
  const answer = bundle(Object.keys(entries), of({ ...entries, "big.js": `//${"x".repeat(3_000_000)}` }));
  assert.equal([...answer.values()].filter((one) => "digest" in one).length, 11);
  assert.equal([...answer.values()].filter((one) => codesIn(one) === "WOML_MODULE_SIZE_LIMIT_EXCEEDED").length, 9);
});

const DEEP: Readonly<Record<string, (depth: number) => string>> = {
  brackets: (depth) => `x = ${"(".repeat(depth)}1${")".repeat(depth)};`,
  lists: (depth) => `x = ${"[".repeat(depth)}${"]".repeat(depth)};`,
  sums: (depth) => `x = ${"1+".repeat(depth)}1;`,
  blocks: (depth) => `${"{".repeat(depth)}${"}".repeat(depth)}`,
  "types in brackets": (depth) => `type X = ${"(".repeat(depth)}1${")".repeat(depth)};`,
  "assertions of types": (depth) => `x = ${"<T>(".repeat(depth)}1${")".repeat(depth)};`,
  "calls of async": (depth) => `x = ${"async (".repeat(depth)}1${")".repeat(depth)};`,
  comparisons: (depth) => `x = ${"a<".repeat(depth)}1;`,
  templates: (depth) => `x = ${"`${".repeat(depth)}1${"}`".repeat(depth)};`,
};
for (const [name, source] of Object.entries(DEEP)) {
  test(`deep ${name} end soon, and the next module is bundled all the same`, () => {
    for (const depth of [20, 2_000, 200_000]) {
      for (const path of ["m.ts", "m.js"]) {
        const before = process.cpuUsage();
        const answer = bundle([path], of({ [path]: `let x; let a; let T;\n${source(depth)}\n${FN}` })).get(path);
        const codes = answer && "digest" in answer ? "" : codesIn(answer ?? {});
        assert.match(codes, /^(WOML_MODULE_SYNTAX_INVALID)?$/);
        assert.ok(process.cpuUsage(before).user < 5_000_000, `${path} took ${process.cpuUsage(before).user} µs at ${depth}`);
      }
    }
    assert.equal(made("m.ts", { "m.ts": FN }).exports.length, 1);
  });
}

test("no regular expression of a module is compiled", () => {
  const before = process.cpuUsage();
  made("m.ts", { "m.ts": `${FN}\nconst bomb = /${"\\p{RGI_Emoji}".repeat(3_000)}/v; void bomb;` });
  assert.ok(process.cpuUsage(before).user < 2_000_000);
});

test("many faults, on one line, are found in their order and in bounded time", () => {
  for (const path of ["m.ts", "m.js"]) {
    for (const one of [
      (at: number) => `import "./x${at}.ts";`,
      (at: number) => `import("./x${at}.ts");`,
      () => 'import "./same.ts";',
      () => "export default 1;",
    ]) {
      const source = `${path === "m.ts" ? "let a: 1;" : ""}${Array.from({ length: one(1) === one(2) ? 1 : 15_000 }, (_, at) => one(at)).join("")}`;
      const before = process.cpuUsage();
      const answer = bundle([path], of({ [path]: source })).get(path);
      assert.ok(Array.isArray(answer) && answer.length > 0 && answer.length <= 100);
      assert.ok(process.cpuUsage(before).user < 5_000_000, `${path} took ${process.cpuUsage(before).user} µs`);
    }
  }
});

test("the same sources under other paths, in another order, make the same bundle", () => {
  const files = {
    "a.ts": `import { f } from "./lib/b.ts"; export function a() { return f(); }`,
    "lib/b.ts": `import "../c.ts";\n${FN}`,
    "c.ts": "0",
  };
  const moved = Object.fromEntries(Object.entries(files).map(([path, text]) => [`/home/me/${path}`, text]));
  assert.equal(made("a.ts", files).digest, made("/home/me/a.ts", moved).digest);
  assert.match(made("a.ts", files).digest, /^sha256:[0-9a-f]{64}$/);
  assert.doesNotMatch(made("/home/me/a.ts", moved).text, /home|lib|\.ts/);
  const entries = ["a.ts", "lib/b.ts", "bad.ts"];
  const all = { ...files, "bad.ts": 'import "./a.ts"; import "x";' };
  assert.deepEqual([...bundle(entries, of(all))], [...bundle(entries.toReversed(), of(all))]);
});

test("no text makes it throw", () => {
  const part = fc.constantFrom(
    ...[
      "import ",
      "export ",
      "function f() {}",
      "{ f }",
      ' from "./b.ts"',
      "default ",
      "const x = 1;",
      "<T>(",
      "(",
      ")",
      ";",
      "\n",
      "await ",
      "#!",
      "type ",
      "/",
      "`",
      "\\u",
      "require(1)",
    ],
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(part, fc.string({ unit: "binary", maxLength: 5 })), { maxLength: 12 }),
      fc.constantFrom("m.ts", "m.js"),
      (parts, path) => {
        const answer = bundle([path], of({ [path]: parts.join(""), "b.ts": FN })).get(path);
        assert.ok(answer && ("digest" in answer || (Array.isArray(answer) && answer.length > 0)));
      },
    ),
    { numRuns: 2_000 },
  );
});
