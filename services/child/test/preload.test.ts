import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { writePreload } from "../index.ts";

test("what is kept beside compiled code is what would be made, and follows every change of a source", (t) => {
  const before = process.env["NODE_COMPILE_CACHE"];
  const folder = mkdtempSync(join(tmpdir(), "woml-preload-"));
  t.after(() => {
    if (before === undefined) delete process.env["NODE_COMPILE_CACHE"];
    else process.env["NODE_COMPILE_CACHE"] = before;
    rmSync(folder, { recursive: true });
  });
  const cache = mkdtempSync(join(folder, "cache"));
  const sources = mkdtempSync(join(folder, "sources"));
  const target = join(folder, "preload.mjs");
  const written = (): string => {
    writePreload(sources, target);
    assert.equal(statSync(target).mode & 0o777, 0o600);
    return readFileSync(target, "utf8");
  };
  writeFileSync(join(sources, "a.ts"), "export const a: number = 1;");
  delete process.env["NODE_COMPILE_CACHE"];
  const plain = written();
  process.env["NODE_COMPILE_CACHE"] = join(cache, "new");
  assert.equal(written(), plain);
  assert.equal(written(), plain);
  assert.equal(readdirSync(join(cache, "new")).length, 1);
  writeFileSync(join(sources, "a.ts"), "export const a: number = 2;");
  assert.match(written(), /= 2;/);
  process.env["NODE_COMPILE_CACHE"] = join(target, "no folder");
  assert.match(written(), /= 2;/);
});
