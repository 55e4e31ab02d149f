import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readExpected } from "./expected.ts";
import { runTrials, type Trial } from "./trial.ts";

const SCRIPTS = join(import.meta.dirname, "scripts");
/** Which of two limits is met first depends on who else uses the machine; a class that is not allowed must come three times. */
const TRIES = 3;

test("PC-41: every hostile script ends in an allowed class, beside a bystander who notices nothing", async () => {
  const trials: Trial[] = [];
  const complaints = await runTrials(SCRIPTS, (trial) => trials.push(trial), TRIES);
  assert.deepEqual(complaints, []);
  assert.ok(trials.every(({ supervisorAlive }) => supervisorAlive));
});

test("expected.tsv names every script and no other", () => {
  const files = readdirSync(SCRIPTS).filter((file) => file.endsWith(".js"));
  assert.deepEqual(files.map((file) => file.slice(0, -3)).sort(), [...(readExpected(SCRIPTS)?.keys() ?? [])].sort());
  assert.ok(files.length >= 90);
});
