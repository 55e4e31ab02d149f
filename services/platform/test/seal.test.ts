import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { seal, unseal } from "@woml/boot";
import { openFolder } from "../folder.ts";
import { ensureSealKeys } from "../seal.ts";
import { scratch } from "./scratch.ts";

const OF = { tenant: "t", name: "API_KEY" };

test("the pair of keys is made once, for its owner's eyes, and opens what it sealed at an earlier start", (t) => {
  const folder = openFolder(join(scratch(t), "data"));
  const sealed = seal(ensureSealKeys(folder).publicKey, OF, "value");
  assert.equal(unseal(ensureSealKeys(folder).privateKey, OF, sealed), "value");
  assert.equal(statSync(folder.seal).mode & 0o777, 0o600);
});

test("a file that holds no such pair is refused and stays: whatever it was, it may be what opens the secrets", (t) => {
  const folder = openFolder(join(scratch(t), "data"));
  const { publicKey } = ensureSealKeys(folder);
  const other = ensureSealKeys(openFolder(join(scratch(t), "data")));
  for (const text of ["", "null", "[]", "{}", '{"publicKey":"a","privateKey":"b"}', JSON.stringify({ ...other, publicKey })]) {
    writeFileSync(folder.seal, text);
    assert.throws(() => ensureSealKeys(folder), { code: "WOML_SEAL_UNREADABLE" });
    assert.equal(readFileSync(folder.seal, "utf8"), text);
  }
});
