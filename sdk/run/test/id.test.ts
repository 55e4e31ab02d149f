import assert from "node:assert/strict";
import { test } from "node:test";
import { asRunId, parseRunId, parseVersionId, showRunId, showVersionId } from "../id.ts";

const uuid = "01890000-0000-7000-8000-00000000abcd";
const hash = "ab".repeat(32);

test("ids at the API and inside are each other's inverse", () => {
  assert.equal(parseRunId(showRunId(asRunId(uuid))), uuid);
  assert.equal(parseVersionId(showVersionId(`sha256:${hash}`)), `sha256:${hash}`);
});

for (const text of [uuid, `run_${uuid.toUpperCase()}`, `run_${uuid}\n`, `run_${uuid}0`, "run_", "", `ver_${hash}`])
  test(`${JSON.stringify(text)} is no run id`, () => assert.equal(parseRunId(text), null));

for (const text of [hash, `ver_${hash.toUpperCase()}`, `ver_${hash}\n`, `ver_${hash}0`, `sha256:${hash}`, ""])
  test(`${JSON.stringify(text)} is no version id`, () => assert.equal(parseVersionId(text), null));
