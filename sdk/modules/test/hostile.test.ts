// Sources that cost far more than their length before something bounded them. What is counted is the time of the processor.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bundle } from "../index.ts";
import { type Files, found, made, of } from "./files.ts";

const FN = "export function f() { return 1; }\n";
const LID_MS = 3_000;
const filled = (piece: string, length: number): string => piece.repeat(Math.floor(length / piece.length));
const numbered = (count: number, piece: (at: number) => string): string => Array.from({ length: count }, (_, at) => piece(at)).join("");

function within(run: () => void): void {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  assert.ok((user + system) / 1_000 < LID_MS, `${(user + system) / 1_000} ms`);
}

for (const [name, source] of [
  ["a name like that of a bundle's own, of 1 MiB", `${FN}//source${"_".repeat(1_048_576)}`],
  ["every such name", `${FN}${numbered(60_000, (at) => `//source${at}_\n`)}`],
  ["fields with values", `${FN}class A{${numbered(20_000, (at) => `private a${at}: number = 1;`)}}`],
  ["imports in escapes, on a line with types", `let x: number;${filled('import "./\\x61.ts";', 400_000)}${FN}`],
] as const) {
  test(`${name}: bundled in good time`, () => within(() => assert.equal(made("m.ts", { "m.ts": source, "a.ts": "" }).exports.length, 1)));
}

for (const [name, source] of [
  ["classes in fields of classes", `${FN}class A{${"a=class{".repeat(200)}${"}".repeat(201)}`],
  [
    "variables that are called like imports",
    `${numbered(20_000, (at) => `import { a${at} } from "./b.ts";`)}${FN}{{${numbered(20_000, (at) => `let a${at} = 1;`)}}}`,
  ],
  ["what the type stripper loses count of", `${FN}a<import `],
  ["what it loses depth of", `${FN}(@x `],
] as const) {
  test(`${name}: refused in good time`, () =>
    within(() => assert.deepEqual(found("m.ts", { "m.ts": source })[0]?.[1], "WOML_MODULE_SYNTAX_INVALID")));
}

for (const path of ["m.js", "m.ts"]) {
  test(`${path}: millions of statements are refused before they fill the memory`, () => {
    const before = process.memoryUsage().heapUsed;
    within(() => assert.deepEqual(found(path, { [path]: FN + filled(";", 4_000_000) })[0]?.[1], "WOML_MODULE_SYNTAX_INVALID"));
    assert.ok(process.memoryUsage().heapUsed - before < 400_000_000);
  });
}

test("behind the bound of all sources no further file is read", () => {
  const read: string[] = [];
  const long = `${FN}//${"x".repeat(6_000_000)}`;
  bundle(
    Array.from({ length: 50 }, (_, at) => `m${at + 10}.js`),
    (path) => {
      read.push(path);
      return long;
    },
  );
  assert.equal(read.length, 3);
});

const entries = (big: Files): Files => ({
  ...Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`m${at}.js`, `import "./big.js";\n${FN}`])),
  ...big,
});
for (const [name, big, code] of [
  ["what is too large for each", { "big.js": `//${"x".repeat(4_000_000)}` }, "WOML_MODULE_SIZE_LIMIT_EXCEEDED"],
  [
    "names that there are not",
    { "big.js": `import { ${numbered(100_000, (at) => `a${at},`)} } from "./b.js";`, "b.js": "" },
    "WOML_MODULE_BUILD_FAILED",
  ],
  ["imports of one file", { "big.js": filled('import "./b.js";', 1_500_000), "b.js": "" }, ""],
] as const) {
  test(`90 modules share ${name}`, () =>
    within(() => {
      const files = entries(big);
      const answer = bundle(
        Object.keys(files)
          .filter((path) => path.startsWith("m"))
          .sort(),
        of(files),
      ).get("m0.js");
      assert.equal(Array.isArray(answer) ? answer[0]?.code : "", code);
    }));
}

test("a bundle's own names are not those of its sources, and short", async () => {
  const { text } = made("m.js", { "m.js": `import { source } from "./b.js"; ${FN} // source1_`, "b.js": "export const source = 2;" });
  assert.match(text, /^const source2_0 = /);
});
