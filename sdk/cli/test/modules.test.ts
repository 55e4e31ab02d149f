import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { folderWith, valid, womlHere } from "./woml.ts";

const FN = "export function total(lines: number[]): number { return lines.length; }";
const importing = (...from: readonly string[]): string => {
  const modules = from.map(
    (path, at) => `<module name="${path.endsWith(".woml") ? `tag-${String.fromCharCode(97 + at)}` : `m${at}`}" from="${path}"/>`,
  );
  return valid("flow").replace("<woml>", `<woml><imports>${modules.join("")}</imports>`);
};
const DEFINITION = "<woml><step><script>return 1;</script></step></woml>";

/** `<file> <code> <line>:<column>` of each error that `check` finds; what it warns of is left out. */
async function errors(
  t: TestContext,
  files: Readonly<Record<string, string | Uint8Array>>,
  path = "flow.woml",
): Promise<readonly string[]> {
  return errorsIn(t, folderWith(t, files), path);
}
async function errorsIn(t: TestContext, folder: string, path = "flow.woml"): Promise<readonly string[]> {
  const { stdout } = await womlHere(t, folder, ["check", path, "--format", "json"]);
  const found: readonly { file: string; code: string; severity: string; start: { line: number; column: number } }[] = JSON.parse(stdout);
  return found
    .filter(({ severity }) => severity === "error")
    .map(({ file, code, start }) => `${file} ${code} ${start.line}:${start.column}`);
}

test("modules and definitions are read from the folder of the file that names them", async (t) => {
  const files = {
    "flows/flow.woml": importing("./m.ts", "../lib/tag.woml", "../lib/j.js"),
    "flows/m.ts": FN,
    "lib/j.js": 'import { total } from "../flows/m.ts"; export function two() { return total([1, 2]); }',
    "lib/tag.woml": DEFINITION.replace("<woml>", '<woml><imports><module name="deep" from="./deep.ts"/></imports>'),
    "lib/deep.ts": FN,
    "package.json": "{}",
  };
  assert.deepEqual(await errors(t, files, "flows/flow.woml"), []);
  const broken = { ...files, "lib/deep.ts": `${FN}\nimport "lodash";` };
  assert.deepEqual(await errors(t, broken, "flows/flow.woml"), ["lib/deep.ts WOML_MODULE_PACKAGE_IMPORT_UNAVAILABLE 2:9"]);
  assert.deepEqual(await errors(t, broken, "./flows/../flows/flow.woml"), ["lib/deep.ts WOML_MODULE_PACKAGE_IMPORT_UNAVAILABLE 2:9"]);
});

test("for people, a fault of a module is shown in its own text", async (t) => {
  const folder = folderWith(t, { "flow.woml": importing("./m.ts"), "m.ts": `// prices\n${FN}\nexport default total;` });
  const { code, stdout } = await womlHere(t, folder, ["check", "flow.woml"]);
  assert.equal(code, 3);
  assert.match(stdout, /m\.ts:3:1 error WOML_MODULE_DEFAULT_EXPORT_UNSUPPORTED/);
  assert.match(stdout, /3 \| export default total;\n {4}\| \^{6}\n/);
});

const COLUMN = importing("./x").indexOf("./x") + 1;
test("what an import cannot be is said at the path that names it", async (t) => {
  const at = (code: string): string[] => [`flow.woml ${code} 1:${COLUMN}`];
  assert.deepEqual(await errors(t, { "flow.woml": importing("./none.ts") }), at("WOML_MODULE_FILE_NOT_FOUND"));
  assert.deepEqual(await errors(t, { "flow.woml": importing("../m.ts") }), at("WOML_MODULE_PATH_ESCAPE"));
  assert.deepEqual(
    await errors(t, { "flow.woml": importing("./m.ts"), "m.ts": new Uint8Array([0x2f, 0x2f, 0xff]) }),
    at("WOML_MODULE_FILE_NOT_READABLE"),
  );
  assert.deepEqual(await errors(t, { "flow.woml": importing("./m.ts"), "m.ts/inner.txt": "" }), at("WOML_MODULE_FILE_NOT_READABLE"));
  assert.deepEqual(
    await errors(t, { "flow.woml": importing("./m.ts"), "m.ts": `//${"x".repeat(16_777_216)}` }),
    at("WOML_MODULE_SIZE_LIMIT_EXCEEDED"),
  );
  const boundary = `flow.woml WOML_MODULE_PROJECT_BOUNDARY 1:${importing("../tag.woml").indexOf("../tag") + 1}`;
  assert.deepEqual(await errors(t, { "flow.woml": importing("../tag.woml") }), [boundary]);
});

test("what cannot be read is told from what is not there", async (t) => {
  const folder = folderWith(t, { "flow.woml": importing("./m.ts") });
  symlinkSync("m.ts", join(folder, "m.ts"));
  assert.deepEqual(await errorsIn(t, folder), [`flow.woml WOML_MODULE_FILE_NOT_READABLE 1:${COLUMN}`]);
});

test("a symbolic link may lead anywhere in the project, and not out of it", async (t) => {
  const outside = folderWith(t, { "m.ts": FN });
  const folder = folderWith(t, { "flow.woml": importing("./m.ts"), "lib/real.ts": FN });
  symlinkSync(join(folder, "lib", "real.ts"), join(folder, "m.ts"));
  assert.deepEqual(await errorsIn(t, folder), []);
  const leaving = folderWith(t, { "flow.woml": importing("./m.ts") });
  symlinkSync(join(outside, "m.ts"), join(leaving, "m.ts"));
  assert.deepEqual(await errorsIn(t, leaving), [`flow.woml WOML_MODULE_SYMLINK_ESCAPE 1:${COLUMN}`]);
});

test("two spellings of one path are refused where both files exist, whatever the file system", async (t) => {
  const found = await errors(t, { "flow.woml": importing("./Price.ts", "./price.ts"), "Price.ts": FN, "price.ts": FN });
  assert.deepEqual(found, [`flow.woml WOML_MODULE_PATH_CASE_COLLISION 1:${importing("./Price.ts", "./price.ts").indexOf("./price") + 1}`]);
});

test("an absolute path of a document is taken as one", async (t) => {
  const folder = folderWith(t, { "flow.woml": importing("./m.ts"), "m.ts": 'import "./none.ts";' });
  assert.deepEqual(
    await errorsIn(t, folder, join(folder, "flow.woml")),
    [`${join(folder, "m.ts")} WOML_MODULE_FILE_NOT_FOUND 1:9`, `${join(folder, "m.ts")} WOML_MODULE_EXPORTS_EMPTY 1:1`].toSorted(),
  );
});

test("a directory of definitions holds nothing that could be run; a definition that is named is checked", async (t) => {
  const folder = folderWith(t, {
    "lib/a.woml": DEFINITION,
    "lib/b.woml": DEFINITION,
    "all/a.woml": DEFINITION,
    "all/flow.woml": valid("flow"),
  });
  const { code, stderr } = await womlHere(t, folder, ["check", "lib"]);
  assert.equal(code, 2);
  assert.match(stderr, /^WOML_RUNNABLE_WORKFLOW_REQUIRED: lib holds no workflow/);
  assert.equal((await womlHere(t, folder, ["check", "lib/a.woml", "all"])).code, 0);
  // One workflow in what is named is enough.
  assert.equal((await womlHere(t, folder, ["check", "lib", "all"])).code, 0);
});

test("what two workflows import is told once", async (t) => {
  const folder = folderWith(t, {
    "a.woml": importing("./m.ts"),
    "b.woml": importing("./m.ts").replace('id="flow"', 'id="other"'),
    "m.ts": "export const x = 1;",
  });
  assert.deepEqual(await errorsIn(t, folder, "."), ["m.ts WOML_MODULE_EXPORT_UNSUPPORTED 1:1"]);
});
