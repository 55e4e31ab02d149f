import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { CODES } from "../index.ts";

const room = new URL("../", import.meta.url);
const sources = ["", "laws/", "node/", "schema/"]
  .flatMap((folder) => readdirSync(new URL(folder, room)).map((file) => folder + file))
  .filter((file) => file.endsWith(".ts") && file !== "codes.ts")
  .map((file) => readFileSync(new URL(file, room), "utf8"));

test("codes are words, each is written once in the table, explained, and used", () => {
  const table = readFileSync(new URL("codes.ts", room), "utf8");
  for (const [code, meaning] of Object.entries(CODES)) {
    assert.match(code, /^WOML(_[A-Z]+)+$/);
    assert.equal(table.split(`  ${code}:`).length, 2, code);
    assert.match(meaning, /\.$/);
    assert.ok(
      sources.some((source) => source.includes(`"${code}"`)),
      code,
    );
  }
});

test("no two codes mean the same", () => {
  assert.equal(new Set(Object.values(CODES)).size, Object.keys(CODES).length);
});
