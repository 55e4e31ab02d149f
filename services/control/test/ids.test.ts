import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRunId, showRunId } from "@woml/run";
import { ApiError } from "../errors.ts";
import { mintedAt, mintRunId, runIdOf, versionHashOf, workflowIdOf } from "../ids.ts";

const isRefused = (error: unknown): boolean => error instanceof ApiError && error.code === "WOML_ID_INVALID";

test("a minted run id is a UUIDv7 that tells its time and sorts by it", () => {
  const [early, late] = [mintRunId(1_700_000_000_000), mintRunId(1_700_000_000_001)];
  assert.match(early, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(mintedAt(early), 1_700_000_000_000);
  assert.ok(early < late);
  assert.equal(parseRunId(showRunId(early)), early);
});

test("PC-28: what cannot be an id is refused with a code", () => {
  for (const text of [
    "",
    "run_",
    "x",
    "run_\0",
    `run_${"0".repeat(36)}`,
    showRunId(mintRunId()).toUpperCase(),
    `${showRunId(mintRunId())} `,
  ]) {
    assert.throws(() => runIdOf(text), isRefused, text);
  }
  for (const text of ["", "ver_", `ver_${"g".repeat(64)}`, `sha256:${"a".repeat(64)}`])
    assert.throws(() => versionHashOf(text), isRefused, text);
  for (const text of ["", "A", "a_b", "-a", "a--b", "a\0", "a".repeat(257), "1a"]) assert.throws(() => workflowIdOf(text), isRefused, text);
});

test("what could be an id passes", () => {
  assert.equal(versionHashOf(`ver_${"0f".repeat(32)}`), `sha256:${"0f".repeat(32)}`);
  for (const text of ["a", "order-router", "a1-2b", "a".repeat(256)]) assert.equal(workflowIdOf(text), text);
});
