// Documents made for one code each, and the page of docs that shows them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compare, readRows } from "../conformance/expected.ts";
import { documentsOf, judge } from "../conformance/judge.ts";
import { entries } from "./entries.ts";
import { pageOf } from "./page.ts";

const DOCUMENTS = join(import.meta.dirname, "documents");

test("every document raises the code it was made for, where its row says, and nothing else", () => {
  const judged = documentsOf(DOCUMENTS).map((file) => judge(DOCUMENTS, file));
  const { differences, places } = compare(judged, readRows(readFileSync(join(DOCUMENTS, "expected.tsv"), "utf8")));
  assert.ok(judged.length > 600, `${judged.length} documents`);
  assert.deepEqual(differences, []);
  assert.deepEqual(places.others, []);
  assert.deepEqual(
    judged.filter(({ codes }) => codes.length > 1).map(({ file, codes }) => `${file}: ${codes.join(" ")}`),
    [],
  );
});

test("every code has a document that raises it, and docs/errors.md is what `npm run errors` makes of them", () => {
  const all = entries();
  assert.deepEqual(
    all.filter(({ shown }) => shown === null).map(({ code }) => code),
    [],
  );
  assert.equal(readFileSync(join(import.meta.dirname, "..", "..", "docs", "errors.md"), "utf8"), pageOf(all));
});
