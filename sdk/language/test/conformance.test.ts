// 304 documents of the language's conformance corpus. `language` and `languageCode` are the verdict of WOML 1.0; `here` says whether
// this version gives the same or answers that it does not run the document yet; `answer` is every diagnostic with its place.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compile } from "../index.ts";

const DIR = join(import.meta.dirname, "conformance");
const [, ...rows] = readFileSync(join(DIR, "expected.tsv"), "utf8").trimEnd().split("\n");
const documents = rows.map((row) => {
  const [path = "", language = "", languageCode = "", here = "", answer = ""] = row.split("\t");
  return { path, language, languageCode, here, answer };
});

test("every document has its row", () => {
  assert.deepEqual(
    documents.map(({ path }) => path).toSorted(),
    readdirSync(DIR)
      .filter((name) => name.endsWith(".woml"))
      .toSorted(),
  );
  assert.equal(documents.length, 304);
});

for (const { path, language, languageCode, here, answer } of documents) {
  test(`${path}: ${answer || "accepted"}`, () => {
    const { diagnostics, definition } = compile({ path, text: readFileSync(join(DIR, path), "utf8") });
    assert.equal(diagnostics.map(({ code, start }) => `${code}@${start?.line}:${start?.column}`).join(" "), answer);
    const codes = diagnostics.map(({ code }) => code);
    assert.equal(
      definition === null,
      diagnostics.some(({ severity }) => severity === "error"),
    );
    if (here === "later") assert.ok(codes.includes("WOML_FEATURE_NOT_EXECUTABLE"));
    else if (language === "valid") assert.deepEqual(codes, []);
    else assert.ok(codes.includes(languageCode));
  });
}
