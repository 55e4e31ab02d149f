import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT, scratch } from "../support/platform.ts";

/** Stands for npm: notes that it was called, takes its time, and puts there what the real one would. */
const NPM = `
const { appendFileSync, mkdirSync, writeFileSync, readFileSync } = require("node:fs");
appendFileSync("calls", process.argv.slice(2).join(" ") + "\\n");
setTimeout(() => {
  if (process.env.NPM_FAILS) { console.error("npm error: no network"); process.exit(7); }
  mkdirSync("node_modules/prisma/build", { recursive: true });
  writeFileSync("node_modules/prisma/build/index.js", "require('node:fs').mkdirSync('generated', { recursive: true })");
  writeFileSync("node_modules/.package-lock.json", readFileSync("package-lock.json"));
}, 700);
`;

function cloned(t: TestContext, name = "clone"): string {
  const root = join(scratch(t), name);
  mkdirSync(root);
  for (const folder of ["tools", "prisma"]) mkdirSync(join(root, folder));
  copyFileSync(join(ROOT, "tools", "install.mjs"), join(root, "tools", "install.mjs"));
  writeFileSync(join(root, "npm.cjs"), NPM);
  writeFileSync(join(root, "prisma", "schema.prisma"), "");
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages: { "": {}, "node_modules/one": { version: "1.0.0" } } }));
  return root;
}

const started = (root: string, env: Readonly<Record<string, string>> = {}) =>
  spawn(process.execPath, [join(root, "tools", "install.mjs")], {
    env: { PATH: process.env["PATH"] ?? "", npm_execpath: join(root, "npm.cjs"), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });

async function install(root: string, env: Readonly<Record<string, string>> = {}) {
  const child = started(root, env);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, stdout, stderr };
}

const calls = (root: string): readonly string[] => readFileSync(join(root, "calls"), "utf8").trim().split("\n");

test("the first install asks npm once and says so on stderr; the second finds all there and is silent", async (t) => {
  const root = cloned(t);
  const first = await install(root);
  assert.deepEqual([first.code, first.stdout], [0, ""], first.stderr);
  assert.match(first.stderr, /^installing 2 packages …\n {2}done in [\d.]+ s\nmaking the Prisma client …\n {2}done in [\d.]+ s\n$/);
  assert.match(calls(root)[0] ?? "", /^ci --ignore-scripts /);
  assert.deepEqual(await install(root), { code: 0, stdout: "", stderr: "" });
  assert.equal(calls(root).length, 1);
  writeFileSync(join(root, "prisma", "schema.prisma"), "// changed");
  assert.match((await install(root)).stderr, /^making the Prisma client/);
});

test("two installs at the same moment: the second waits and then has nothing to do", async (t) => {
  const root = cloned(t);
  const both = await Promise.all([install(root), install(root), install(root)]);
  assert.deepEqual(
    both.map(({ code }) => code),
    [0, 0, 0],
  );
  assert.equal(calls(root).length, 1);
  const said = both.map(({ stderr }) => stderr).filter((stderr) => !stderr.startsWith("installing"));
  assert.equal(said.length, 2);
  for (const stderr of said) assert.match(stderr, /^(another install is running here( \(pid \d+\))?: waiting …\n)?$/);
});

test("after an install was killed the next one waits for the npm it left, and goes on", async (t) => {
  const root = cloned(t);
  const child = started(root);
  while (!existsSync(join(root, "calls"))) await sleep(10);
  child.kill("SIGKILL");
  await once(child, "exit");
  const next = await install(root);
  assert.equal(next.code, 0, next.stderr);
  assert.equal(existsSync(join(root, "prisma", "generated", ".stamp")), true);
  writeFileSync(join(root, ".woml", "install.lock"), String(child.pid));
  writeFileSync(join(root, "prisma", "schema.prisma"), "// changed");
  assert.match((await install(root)).stderr, /^making the Prisma client/);
});

test("what npm says is shown when it fails, and only then", async (t) => {
  const root = cloned(t);
  const failed = await install(root, { NPM_FAILS: "1" });
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /npm error: no network\n\ninstalling 2 packages: failed \(7\)\n$/);
  assert.equal((await install(root)).code, 0);
});

test("a clone that may not be written to is answered in a sentence", async (t) => {
  const root = cloned(t);
  // Refused to root too, who may write into any folder.
  writeFileSync(join(root, ".woml"), "");
  const { code, stdout, stderr } = await install(root);
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^WOML cannot be installed in .*: E[A-Z]+: .*\.woml'\n$/);
});

test("a clone in a place that Node, npm or PostgreSQL does not bear is answered in a sentence, before anything is fetched", async (t) => {
  for (const name of ['a "b"', "$a", "a`", "a*b", "a:b", "a\nb"]) {
    const root = cloned(t, name);
    const { code, stderr } = await install(root);
    assert.deepEqual([code, existsSync(join(root, "calls"))], [1, false], name);
    assert.match(stderr, /^WOML cannot run in ".*": its path may hold none of .*\n$/);
  }
  assert.equal((await install(cloned(t, "it's ü; & (ß) [x] {a}?#%20"))).code, 0);
});
