import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { folderWith, MAIN, valid, woml, womlHere } from "./woml.ts";

const LATIN = Buffer.from('{"name":"\u00ff"}', "latin1");
const FILES = {
  "good.woml": valid("good"),
  "latin.json": LATIN,
  "bad.woml": "<woml>",
  "notes.txt": "",
  "broken.json": "{",
  "empty/notes.txt": "",
};

const REFUSED: readonly (readonly [args: string, code: number, says: RegExp])[] = [
  ["", 2, /^Usage: woml/],
  ["--nonsense", 2, /^WOML_CLI_ARGUMENTS_INVALID: unknown option '--nonsense'/],
  ["nonsense", 2, /^WOML_CLI_ARGUMENTS_INVALID: unknown command 'nonsense'/],
  ["check", 2, /^WOML_CLI_ARGUMENTS_INVALID: missing required argument/],
  ["check missing.woml", 2, /^WOML_FILE_NOT_FOUND: missing.woml is not there/],
  ["check good.woml missing.woml", 2, /^WOML_FILE_NOT_FOUND/],
  ["check notes.txt", 2, /^WOML_INVALID_FILE_EXTENSION/],
  ["check empty", 2, /^WOML_WORKFLOW_DIRECTORY_EMPTY/],
  ["check good.woml --format yaml", 2, /^WOML_CLI_ARGUMENTS_INVALID: .*yaml/],
  ["test", 2, /^WOML_CLI_ARGUMENTS_INVALID: missing required argument/],
  ["test good.woml --payload {", 2, /^WOML_PAYLOAD_INVALID: --payload is not JSON/],
  ["test good.woml --payload {} --payload-file x", 2, /^WOML_CLI_ARGUMENTS_INVALID: Give --payload or --payload-file/],
  ["test good.woml --payload-file missing.json", 2, /^WOML_FILE_NOT_FOUND/],
  ["test good.woml --payload []", 3, /^WOML_PAYLOAD_INVALID: A payload is a JSON object/],
  ["test good.woml --payload null", 3, /^WOML_PAYLOAD_INVALID/],
  ["test bad.woml", 3, /WOML_[A-Z_]+/],
  ["test empty", 2, /^WOML_INVALID_FILE_EXTENSION/],
  ["test broken.json", 2, /^WOML_DEFINITION_INVALID: broken.json is not JSON/],
  ["up --port 70000", 2, /^WOML_CLI_ARGUMENTS_INVALID: --port is "70000"/],
  ["up --port -1", 2, /^WOML_CLI_ARGUMENTS_INVALID/],
  ["up --private-host 10.0.0.5", 2, /^WOML_CLI_ARGUMENTS_INVALID: --private-host is "10.0.0.5"/],
  ["publish bad.woml", 3, /WOML_[A-Z_]+/],
  ["publish good.woml", 1, /^WOML_PLATFORM_NOT_FOUND: No platform runs on \.woml/],
  ["runs", 1, /^WOML_PLATFORM_NOT_FOUND/],
  ["runs --first 0", 2, /^WOML_CLI_ARGUMENTS_INVALID: --first is "0"/],
  ["runs --status done", 2, /^WOML_CLI_ARGUMENTS_INVALID: .*done/],
  ["runs get", 2, /^WOML_CLI_ARGUMENTS_INVALID: missing required argument/],
  ["runs get x --data elsewhere", 1, /^WOML_PLATFORM_NOT_FOUND: No platform runs on elsewhere/],
  ["runs --url http://127.0.0.1:9/graphql", 2, /^WOML_CLI_ARGUMENTS_INVALID: .*--key/],
  ["runs --key k", 2, /^WOML_CLI_ARGUMENTS_INVALID: .*--url/],
  ["runs --url nowhere --key k", 2, /^WOML_CLI_ARGUMENTS_INVALID: nowhere is not an http address/],
  ["runs --url http://127.0.0.1:9 --key k --data x", 2, /^WOML_CLI_ARGUMENTS_INVALID: --data/],
  ["runs --url http://me:secret@127.0.0.1:9/graphql --key k", 2, /^WOML_CLI_ARGUMENTS_INVALID: The address holds a name or password/],
  ["publish latin.json", 2, /^WOML_FILE_UNREADABLE: latin.json is not UTF-8 text/],
  ["test good.woml --payload-file latin.json", 2, /^WOML_FILE_UNREADABLE: latin.json is not UTF-8 text/],
  ["verify --url http://127.0.0.1:1/graphql --key k", 1, /^WOML_UNREACHABLE/],
];

test("what cannot be done is answered in one coded sentence on stderr, with the exit code of its kind", async (t) => {
  const folder = folderWith(t, FILES);
  for (const [args, code, says] of REFUSED) {
    const said = await womlHere(t, folder, args.split(" ").filter(Boolean));
    assert.deepEqual([said.code, said.stdout], [code, ""], `woml ${args}: ${said.stderr}`);
    assert.match(said.stderr, says, `woml ${args}`);
  }
});

test("an empty path, as of a variable that is not set, is never the folder where one stands", async (t) => {
  const folder = folderWith(t, FILES);
  for (const args of [
    ["check", ""],
    ["publish", "good.woml", "--data", ""],
    ["up", "--data", ""],
    ["test", "good.woml", "--data", ""],
  ]) {
    const said = await womlHere(t, folder, args);
    assert.deepEqual([said.code, said.stdout], [2, ""], args.join(" "));
    assert.match(said.stderr, /WOML_CLI_ARGUMENTS_INVALID: A path is empty\.\n$/);
  }
});

test("an answer that cannot be written is no success; one that nobody reads is", {
  skip: !existsSync("/dev/full") && "no /dev/full",
}, async (t) => {
  const folder = folderWith(t, FILES);
  const full = openSync("/dev/full", "w");
  t.after(() => closeSync(full));
  for (const [args, code] of [
    [["check", "good.woml"], 1],
    [["check", "bad.woml"], 3],
  ] as const) {
    const said = await woml(folder, args, {}, full);
    assert.equal(said.code, code);
    assert.match(said.stderr, /^WOML_ANSWER_NOT_WRITTEN: .*ENOSPC/m);
  }
  const gone = spawn("sh", ["-c", '"$0" "$1" check good.woml | true', process.execPath, MAIN], {
    cwd: folder,
    env: { ...process.env, INIT_CWD: folder },
    stdio: ["ignore", "ignore", "pipe"],
  });
  assert.equal(await text(gone.stderr), "");
});

test("a trial that finds no place for its folder says so", async (t) => {
  const said = await woml(folderWith(t, FILES), ["test", "good.woml"], { TMPDIR: "/nowhere" });
  assert.deepEqual([said.code, said.stdout], [1, ""]);
  assert.match(said.stderr, /^WOML_DATA_FOLDER_UNUSABLE: No temporary folder can be made .*--data\.\n$/);
});

test("a key is never said aloud, and one in the environment without an address is no other tenant's", async (t) => {
  const folder = folderWith(t, FILES);
  const place = ["--url", "http://127.0.0.1:9/graphql", "--key", "woml_secret\r"];
  const broken = await womlHere(t, folder, ["runs", ...place]);
  assert.deepEqual([broken.code, broken.stdout, broken.stderr.includes("secret")], [2, "", false]);
  assert.match(broken.stderr, /^WOML_CLI_ARGUMENTS_INVALID: The key holds characters/);
  const alone = await woml(folder, ["runs"], { WOML_KEY: "woml_secret" });
  assert.deepEqual([alone.code, alone.stdout, alone.stderr.includes("secret")], [2, "", false]);
  assert.match(alone.stderr, /A key alone does not find a platform/);
  const elsewhere = await woml(folder, ["runs", "--data", "x"], { WOML_KEY: "woml_secret" });
  assert.match(elsewhere.stderr, /^WOML_PLATFORM_NOT_FOUND/);
});

test("help and version are answers", async (t) => {
  const folder = folderWith(t, {});
  assert.match((await woml(folder, ["--version"])).stdout, /^\d+\.\d+\.\d+\n$/);
  for (const args of [["--help"], ["check", "--help"], ["runs", "get", "--help"]]) {
    const { code, stdout, stderr } = await womlHere(t, folder, args);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^Usage: woml/);
  }
});

test("a bad value in the environment names its variable", async (t) => {
  for (const [name, value] of Object.entries({ WOML_LOG: "loud", WOML_DATABASE_URL: "secret" })) {
    const said = await woml(folderWith(t, {}), ["up", "--port", "0"], { [name]: value });
    assert.deepEqual([said.code, said.stdout], [2, ""]);
    assert.match(said.stderr, new RegExp(`WOML_CLI_ARGUMENTS_INVALID: ${name} is `));
    assert.ok(!said.stderr.includes("secret"));
  }
});

test("an invalid document is answered by test -o json as check answers it", async (t) => {
  const folder = folderWith(t, FILES);
  const tested = await woml(folder, ["test", "bad.woml", "-o", "json"]);
  const checked = await woml(folder, ["check", "bad.woml", "--format", "json"]);
  assert.deepEqual([tested.code, tested.stdout], [3, checked.stdout]);
});
