import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "..");
const SIMULATE = "services/engine/test/simulation/main.ts";

function told(
  file: string,
  ...words: readonly string[]
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  return spawnSync(process.execPath, ["--disable-warning=ExperimentalWarning", file, ...words], { cwd: ROOT, encoding: "utf8" });
}

// A word that chooses nothing must not look like a matrix without a wrong cell.
for (const [file, words, said] of [
  ["e2e/matrix/main.ts", ["keyed", "nonsense"], /^No cell's name holds keyed and nonsense\. Such are: /],
  ["e2e/bench/main.ts", ["w9"], /^There is no workload w9; there are w1, /],
  ["e2e/bench/main.ts", ["w5", "--jsn"], /^There is no option --jsn; /],
  ["e2e/mutants/main.ts", ["jsonb", "nonsense"], /^There is no mutant nonsense; there are /],
  [SIMULATE, ["--seeds", "none"], /^--seeds takes a whole number from 1, not none\.$/],
  [SIMULATE, ["--frob"], /^Unknown option '--frob'/],
] as const) {
  test(`${file} ${words.join(" ")} is refused before anything is begun`, () => {
    const { status, stdout, stderr } = told(file, ...words);
    assert.equal(status, 2, stderr);
    assert.equal(stdout, "");
    assert.match(stderr.trim(), said);
    assert.doesNotMatch(stderr, /^ {4}at /m);
  });
}
