// What the image would hold, without building it: `npm run image` does that where buildah is.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { laidOut, unwanted } from "./image/facts.ts";

const folder = mkdtempSync(join(tmpdir(), "woml-image-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("the image holds what the roles need, and nothing of tests, tools or development", (t) => {
  const { root, files, megabytes } = laidOut(folder);
  t.diagnostic(`${files.length} files, ${megabytes} MB`);
  assert.deepEqual(unwanted(files), []);
  assert.ok(megabytes < 60, `${megabytes} MB`);
  for (const needed of ["prisma/append.sql", "prisma/schema.prisma", "sdk/client/schema.graphql", "plugins/http/plugin.ts", "LICENSE"])
    assert.ok(files.includes(needed), needed);
  const argv = ["--disable-warning=ExperimentalWarning", join(root, "bin", "woml"), "sandbox", "--print-config"];
  const env = { WOML_SANDBOX_LINE_SECRET: "x".repeat(40), NODE_DISABLE_COMPILE_CACHE: "1" };
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { cwd: "/", env, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^WOML_SANDBOX_LINE_SECRET=\*\*\* # environment$/m);
});
