import assert from "node:assert/strict";
import { readdirSync, symlinkSync, truncateSync } from "node:fs";
import { test } from "node:test";
import { folderWith, valid, woml, womlHere } from "./woml.ts";

const UNKNOWN = valid("bad").replace("<steps>", "<stepz>").replace("</steps>", "</stepz>");

test("check answers a list of exactly the promised fields and exits with 3", async (t) => {
  const folder = folderWith(t, { "good.woml": valid("good"), "bad.woml": UNKNOWN });
  const { code, stdout } = await woml(folder, ["check", "good.woml", "bad.woml", "--format", "json"]);
  assert.equal(code, 3);
  const found = JSON.parse(stdout);
  assert.ok(found.length > 0);
  for (const one of found) {
    assert.deepEqual(Object.keys(one), ["file", "code", "severity", "message", "hint", "start", "end"]);
    assert.equal(one.file, "bad.woml");
    assert.match(one.code, /^WOML_[A-Z_]+$/);
    assert.deepEqual(Object.keys(one.start), ["line", "column", "offset"]);
  }
});

test("without an error it answers an empty list and exits with 0, and writes nothing", async (t) => {
  const folder = folderWith(t, { "a.woml": valid("a"), "b.woml": valid("b") });
  assert.deepEqual(await woml(folder, ["check", ".", "--format", "json"]), { code: 0, stdout: "[]\n", stderr: "" });
  assert.deepEqual(readdirSync(folder).toSorted(), ["a.woml", "b.woml"]);
});

test("a directory gives its direct .woml children by name; a file named twice is checked once", async (t) => {
  const folder = folderWith(t, {
    "set/z.woml": UNKNOWN,
    "set/a.woml": UNKNOWN,
    "set/deeper/c.woml": UNKNOWN,
    "set/notes.txt": "<woml>",
  });
  const { stdout } = await womlHere(t, folder, ["check", "set", "set/a.woml", "--format", "json"]);
  const files = JSON.parse(stdout).map((one: { file: string }) => one.file);
  assert.deepEqual([...new Set(files)], ["set/a.woml", "set/z.woml"]);
});

test("one file is checked once, whatever leads to it: a folder, a link, another spelling of its path", async (t) => {
  const folder = folderWith(t, { "set/a.woml": valid("a"), "set/b.woml": valid("b") });
  symlinkSync("set", `${folder}/link`);
  symlinkSync("a.woml", `${folder}/set/again.woml`);
  const said = await womlHere(t, folder, ["check", "set/a.woml", "set", `${folder}/set/../set/a.woml`, "link", "link/again.woml"]);
  assert.deepEqual([said.code, said.stdout], [0, "2 files: no errors\n"]);
  symlinkSync("nowhere.woml", `${folder}/set/c.woml`);
  const gone = await womlHere(t, folder, ["check", "set"]);
  assert.deepEqual([gone.code, gone.stderr], [2, "WOML_FILE_NOT_FOUND: set/c.woml is not there.\n"]);
});

test("for people each error has its code frame, and the last line sums up", async (t) => {
  const folder = folderWith(t, { "bad.woml": UNKNOWN });
  const { code, stdout } = await womlHere(t, folder, ["check", "bad.woml"]);
  assert.equal(code, 3);
  assert.match(stdout, /bad\.woml:1:\d+/);
  assert.match(stdout, /\^/);
  assert.match(stdout.trimEnd().split("\n").at(-1) ?? "", /^1 file: \d+ errors?$/);
});

test("two files with one workflow id are told apart by name", async (t) => {
  const folder = folderWith(t, { "a.woml": valid("same"), "b.woml": `<!-- <workflow id="x"> -->\n${valid("same")}` });
  const { code, stdout } = await womlHere(t, folder, ["check", ".", "--format", "json"]);
  assert.equal(code, 3);
  const [one, ...others] = JSON.parse(stdout);
  assert.deepEqual(others, []);
  assert.deepEqual([one.file, one.code, one.start.line], ["b.woml", "WOML_WORKFLOW_ID_DUPLICATE", 2]);
  assert.match(one.message, /a\.woml/);
});

test("the id taken twice is pointed at behind imports too, and a warning alone is no failure", async (t) => {
  const uses = '<uses capability="acme.pay" version="^1" as="pay"/>';
  const text = valid("same").replace("<woml>", `<woml>\n<imports>\n<!-- </imports> <workflow -->${uses}</imports>\n`);
  const folder = folderWith(t, { "a.woml": text, "b.woml": text });
  const one = await womlHere(t, folder, ["check", "a.woml"]);
  assert.deepEqual([one.code, one.stdout.split("\n").at(-2)], [0, "1 file: 1 warning"]);
  const { code, stdout } = await womlHere(t, folder, ["check", ".", "--format", "json"]);
  const found = JSON.parse(stdout).find((diagnostic: { code: string }) => diagnostic.code === "WOML_WORKFLOW_ID_DUPLICATE");
  assert.deepEqual([code, found.start.line, found.start.column], [3, 4, 1]);
});

test("bytes that are not UTF-8 are an error of that file, and others are checked", async (t) => {
  const folder = folderWith(t, { "a.woml": Uint8Array.of(0x3c, 0xff, 0x3e), "b.woml": UNKNOWN });
  const { code, stdout } = await womlHere(t, folder, ["check", ".", "--format", "json"]);
  assert.equal(code, 3);
  const files = JSON.parse(stdout).map((one: { file: string; code: string }) => `${one.file} ${one.code}`);
  assert.equal(files[0], "a.woml WOML_SOURCE_CHARACTER_INVALID");
  assert.ok(files.some((one: string) => one.startsWith("b.woml")));
});

test("the place of broken bytes is theirs, whatever the file says before", async (t) => {
  const folder = folderWith(t, { "a.woml": Buffer.concat([Buffer.from("<!-- \ufffd \u00e9 -->\n "), Uint8Array.of(0xff)]) });
  const { stdout } = await womlHere(t, folder, ["check", "a.woml", "--format", "json"]);
  assert.deepEqual(JSON.parse(stdout)[0].start, { line: 2, column: 2, offset: 14 });
});

test("a file that no source can be is refused before it is read", async (t) => {
  const folder = folderWith(t, { "a.woml": "" });
  truncateSync(`${folder}/a.woml`, 600 * 1_048_576);
  const { code, stderr } = await womlHere(t, folder, ["check", "a.woml"]);
  assert.deepEqual([code, stderr], [2, "WOML_FILE_UNREADABLE: a.woml is larger than 64 MiB.\n"]);
});

test("a path is resolved from where npm was called", async (t) => {
  const folder = folderWith(t, { "here/a.woml": valid("a"), "elsewhere/b.woml": valid("b") });
  const found = await woml(`${folder}/elsewhere`, ["check", "a.woml"], { INIT_CWD: `${folder}/here` });
  assert.deepEqual([found.code, found.stdout], [0, "1 file: no errors\n"]);
});

test("text of a source cannot steer the terminal", async (t) => {
  const folder = folderWith(t, { "bad.woml": `<woml>\u001b[2J\u202e<nonsense></woml>` });
  const { stdout } = await womlHere(t, folder, ["check", "bad.woml"]);
  assert.ok(!stdout.includes("\u001b") && !stdout.includes("\u202e"));
});
