import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openFolder, readPrivate, writePrivate } from "../folder.ts";
import { isLocked, takeLock } from "../lock.ts";
import { scratch } from "./scratch.ts";

const HOLDER = `
import { openFolder } from ${JSON.stringify(join(import.meta.dirname, "..", "folder.ts"))};
import { takeLock } from ${JSON.stringify(join(import.meta.dirname, "..", "lock.ts"))};
takeLock(openFolder(process.argv[1]));
console.log("held");
setInterval(() => {}, 1000);
`;

test("a second platform on one folder is refused in a sentence that names the first", async (t) => {
  const folder = openFolder(join(scratch(t), "data"));
  assert.equal(isLocked(folder), false);
  const holder = spawn(process.execPath, ["--input-type=module", "--eval", HOLDER, folder.path], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => holder.kill("SIGKILL"));
  await once(holder.stdout, "data");
  assert.equal(isLocked(folder), true);
  const message = `A platform (pid ${holder.pid}) already runs on ${folder.path}; stop it, or give another folder with --data.`;
  assert.throws(() => takeLock(folder), { code: "WOML_DATA_FOLDER_IN_USE", message });
});

test("a lock ends with its holder, however that ends, and whatever it left behind", async (t) => {
  const folder = openFolder(join(scratch(t), "data"));
  const holder = spawn(process.execPath, ["--input-type=module", "--eval", HOLDER, folder.path], { stdio: ["ignore", "pipe", "inherit"] });
  await once(holder.stdout, "data");
  holder.kill("SIGKILL");
  await once(holder, "exit");
  assert.equal(existsSync(`${folder.lock}.pid`), true);
  assert.equal(isLocked(folder), false);
  const unlock = takeLock(folder);
  assert.throws(() => takeLock(folder), { code: "WOML_DATA_FOLDER_IN_USE" });
  unlock();
  takeLock(folder)();
});

test("the data folder is closed to others, also one that was not", (t) => {
  const path = join(scratch(t), "data");
  mkdirSync(path);
  chmodSync(path, 0o755);
  openFolder(path);
  assert.equal(statSync(path).mode & 0o777, 0o700);
});

test("a folder in which other things lie keeps its mode; one that everybody may write to is refused", (t) => {
  const path = scratch(t);
  writeFileSync(join(path, "letter.txt"), "");
  chmodSync(path, 0o755);
  takeLock(openFolder(path))();
  assert.equal(statSync(path).mode & 0o777, 0o755);
  assert.equal(statSync(join(path, "lock")).mode & 0o777, 0o600);
  chmodSync(path, 0o1777);
  assert.throws(() => openFolder(path), { code: "WOML_DATA_FOLDER_UNUSABLE", message: /every user may write there/ });
  assert.equal(statSync(path).mode & 0o1777, 0o1777);
});

test("a name that cannot be made, and one that no log could show, are answered in a sentence", () => {
  for (const path of ["/proc/woml/data", "/dev/null/data", "/tmp/two\nlines"])
    assert.throws(() => openFolder(path), { code: "WOML_DATA_FOLDER_UNUSABLE", message: /^[^\n]+$/ });
});

test("a file in the way is answered in a sentence", (t) => {
  const path = join(scratch(t), "data");
  writeFileSync(path, "");
  assert.throws(() => openFolder(path), { code: "WOML_DATA_FOLDER_UNUSABLE", message: /cannot be used as a data folder/ });
});

test("private files are mode 0600 whatever the umask, and half a file reads as none", (t) => {
  const path = join(scratch(t), "keys.json");
  const umask = process.umask(0);
  t.after(() => process.umask(umask));
  writePrivate(path, { a: 1 });
  writePrivate(path, { a: 2 });
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readPrivate(path), { a: 2 });
  writeFileSync(path, '{"a":');
  assert.equal(readPrivate(path), undefined);
});
