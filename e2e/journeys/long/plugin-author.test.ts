// An author outside of this house: an empty folder, the packed contract, and the plugin; nothing of the workspace.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

const ROOT = join(import.meta.dirname, "../../..");
const PLUGIN = join(ROOT, "examples/plugins/acme-payments");
let folder = "";

function run(program: string, args: readonly string[], cwd = folder): string {
  // Of a test within a test Node would report to the outer one.
  const { NODE_TEST_CONTEXT: _outer, ...env } = process.env;
  return execFileSync(program, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

before(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "woml-author-")));
  for (const name of ["tsconfig.json", "plugin.ts", "write-manifest.ts", "test"]) {
    cpSync(join(PLUGIN, name), join(folder, name), { recursive: true });
  }
  // Without the tools: npm would look even for those that it is told to leave out, and what it has kept of them differs by machine.
  const { devDependencies: _tools, ...manifest } = JSON.parse(readFileSync(join(PLUGIN, "package.json"), "utf8"));
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const capability = run(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", join(ROOT, "tools/pack.ts"), "sdk/capability", folder],
    ROOT,
  ).trim();
  // Its one dependency comes from here too: this test asks no registry.
  const typebox = run("npm", ["pack", join(ROOT, "node_modules/typebox"), "--pack-destination", folder, "--silent"]).trim();
  run("npm", ["install", "--offline", "--omit=dev", "--no-audit", "--no-fund", "--no-package-lock", capability, join(folder, typebox)]);
});
after(() => rmSync(folder, { recursive: true, force: true }));

test("the plugin's types are checked against the packed declarations", () => {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  run(process.execPath, [tsc, "--noEmit", "--typeRoots", join(ROOT, "node_modules/@types")]);
});

test("what it writes as its manifest is what is submitted", () => {
  run(process.execPath, ["--disable-warning=ExperimentalWarning", "write-manifest.ts"]);
  const json = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));
  assert.deepEqual(json(join(folder, "manifest.json")), json(join(PLUGIN, "manifest.json")));
});

test("its own tests run, conformance to its classes among them", () => {
  const told = run(process.execPath, ["--disable-warning=ExperimentalWarning", "--test", "--test-reporter=tap", "test/plugin.test.ts"]);
  assert.match(told, /^ok \d+ - charge: is reattachable: the status is that of the effect/m);
  assert.match(told, /^# fail 0$/m);
});
