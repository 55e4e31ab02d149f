// The corpus of WOML 1.0 against the language, and the command that compares them.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { compile, diagnose } from "@woml/language";
import { compare, type Row, readRows } from "./expected.ts";
import { documentsOf, type Judged, judge } from "./judge.ts";
import { projectOf } from "./project.ts";

const DOCUMENTS = join(import.meta.dirname, "documents");
const rows = readRows(readFileSync(join(DOCUMENTS, "expected.tsv"), "utf8"));
const judged = documentsOf(DOCUMENTS).map((file) => judge(DOCUMENTS, file));

test("all 304 documents have the verdict and the code of WOML 1.0, and begin where it begins", () => {
  const { differences, places } = compare(judged, rows);
  assert.equal(judged.length, 304);
  assert.deepEqual(differences, []);
  assert.equal(places.total, 223);
  assert.deepEqual(places.others, []);
});

test("by the profile 1.0 too", () => {
  const strict = documentsOf(DOCUMENTS).map((file) => judge(DOCUMENTS, file, "1.0"));
  assert.deepEqual(compare(strict, rows).differences, []);
});

test("one fault is told once: hardly any document has a second error", () => {
  const several = judged.filter(({ codes }) => codes.length > 1).map(({ file, codes }) => `${file}: ${codes.join(" ")}`);
  assert.deepEqual(several, []);
});

test("what is diagnosed is what compiling says, and the workflow what it makes", () => {
  for (const file of documentsOf(DOCUMENTS)) {
    const source = { path: file, text: readFileSync(join(DOCUMENTS, file), "utf8") };
    const project = projectOf(DOCUMENTS, source);
    const { diagnostics, definition } = compile(source, project);
    assert.deepEqual(diagnose(source, project), { diagnostics, workflow: definition?.workflow.id ?? null }, file);
  }
});

test("every flipped row is seen", () => {
  const flipped = (row: Row): Row => ({ ...row, verdict: row.verdict === "valid" ? "invalid" : "valid" });
  for (const row of rows.filter(({ verdict }) => verdict !== "either")) {
    const { differences } = compare(judged, [...rows.filter((one) => one !== row), flipped(row)]);
    assert.deepEqual(
      differences.map(({ file, what }) => [file, what]),
      [[row.file, "verdict"]],
    );
  }
});

test("another code, a document that is not there and one without a row are differences", () => {
  const [first] = rows.filter(({ verdict }) => verdict === "invalid");
  assert.ok(first);
  const others = rows.filter((row) => row !== first);
  const seen = (list: readonly Row[]): unknown => compare(judged, list).differences.map(({ file, what }) => [file, what]);
  assert.deepEqual(seen([...others, { ...first, codes: ["WOML_DUPLICATE_ID"] }]), [[first.file, "code"]]);
  assert.deepEqual(seen([...rows, { ...first, file: "nowhere.woml" }]), [["nowhere.woml", "document"]]);
  assert.deepEqual(seen(others), [[first.file, "row"]]);
});

test("a table that cannot be read is named by its line", () => {
  assert.throws(() => readRows("path\texpect\na.woml\tgood\n"), /line 2: "good"/);
  assert.throws(() => readRows("a\tb\n"), /heading/);
});

test("the command prints a line per document, then the differences, and ends with 1 on any", () => {
  const folder = mkdtempSync(join(tmpdir(), "woml-conformance-"));
  try {
    const names = ["lex-ok-minimal.woml", "id-dup-step.woml"];
    for (const name of names) copyFileSync(join(DOCUMENTS, name), join(folder, name));
    mkdirSync(join(folder, "mod"));
    const table = (verdict: string): string =>
      `path\texpect\tcodes\tnotes\nid-dup-step.woml\t${verdict}\tWOML_DUPLICATE_ID\tat 5:57\nlex-ok-minimal.woml\tvalid\t\t\n`;
    writeFileSync(join(folder, "expected.tsv"), table("invalid"));
    const ok = run(folder);
    assert.equal(ok.status, 0);
    assert.match(ok.stdout, /^id-dup-step\.woml\tinvalid\tWOML_DUPLICATE_ID\t5:57 \(offset 138\)\nlex-ok-minimal\.woml\tvalid\n/);
    assert.match(ok.stdout, /\n0 differences of verdict or code\n1 of 1 first errors begin where expected/);
    writeFileSync(join(folder, "expected.tsv"), table("valid"));
    const bad = run(folder, "--json");
    assert.equal(bad.status, 1);
    const lines = bad.stdout.trimEnd().split("\n");
    const [first, second] = lines.map((line): Judged => JSON.parse(line));
    assert.deepEqual(
      [first?.file, first?.verdict, first?.codes, first?.start],
      [...["id-dup-step.woml", "invalid", ["WOML_DUPLICATE_ID"]], { line: 5, column: 57, offset: 138 }],
    );
    assert.deepEqual([second?.verdict, second?.codes, second?.start], ["valid", [], null]);
    assert.match(bad.stderr, /^id-dup-step\.woml\tverdict\tvalid WOML_DUPLICATE_ID\tinvalid WOML_DUPLICATE_ID$/m);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function run(
  folder: string,
  ...flags: readonly string[]
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const args = ["--disable-warning=ExperimentalWarning", join(import.meta.dirname, "main.ts"), "--dir", folder, ...flags];
  return spawnSync(process.execPath, args, { encoding: "utf8" });
}
