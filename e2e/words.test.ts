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
  ["e2e/bench/main.ts", ["w10"], /^There is no workload w10; there are w1, /],
  ["e2e/bench/main.ts", ["w5", "--jsn"], /^There is no option --jsn; /],
  ["e2e/mutants/main.ts", ["jsonb", "nonsense"], /^There is no mutant nonsense; there are /],
  ["e2e/cluster/main.ts", ["--run", "60"], /^Unknown option '--run'/],
  ["e2e/cluster/main.ts", ["60"], /^Unexpected argument '60'/],
  ["e2e/cluster/main.ts", ["--runs", "many"], /^--runs takes a whole number from 1, not many\.$/],
  ["e2e/cluster/main.ts", ["--calm", "--rate", "0"], /^--rate takes a whole number from 1, not 0\.$/],
  ["e2e/cluster/main.ts", ["--seed"], /^Option '--seed <value>' argument missing/],
  ["e2e/helm/main.ts", ["--jsn"], /^There is no option --jsn; there are --json and --static\.$/],
  ["e2e/helm/main.ts", ["--json", "3"], /^There is no option 3; /],
  ["e2e/image/main.ts", ["--json"], /^There is no option --json; there is none at all\.$/],
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
