// Whether each mutant is killed is `npm run mutants`, which takes long: that each still fits the code it breaks is seen with every change.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { mutants } from "./mutants/patches.ts";

const ROOT = join(import.meta.dirname, "..");

/** What git says against it; empty: it applies. */
function misfit(file: string): string {
  try {
    execFileSync("git", ["apply", "--check", "--unsafe-paths", `--directory=${ROOT}`, file], { cwd: "/", stdio: "pipe", encoding: "utf8" });
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

test("each mutant applies, says what it breaks, and names suites that there are", () => {
  const all = mutants();
  assert.ok(all.length > 0);
  assert.deepEqual(
    all.map(({ file }) => misfit(file)).filter((fault) => fault !== ""),
    [],
  );
  for (const { name, suites, breaks } of all) {
    assert.notEqual(breaks, "", name);
    for (const suite of suites) assert.ok(suite.endsWith(".test.ts") && existsSync(join(ROOT, suite)), `${name}: ${suite}`);
  }
});
