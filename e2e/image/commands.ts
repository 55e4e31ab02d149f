// What the image does alone, without a network.
import assert from "node:assert/strict";
import { join } from "node:path";
import { makeSealKeys } from "@woml/boot";
import { ROOT } from "../support/platform.ts";
import { inside, type Ways } from "./container.ts";
import type { Report } from "./report.ts";

const PAIR = makeSealKeys();
const WORD = "a-secret-of-forty-characters-0123456789-";
/** Enough for each role to accept what it is given. */
const GIVEN = {
  WOML_DATABASE_URL: `postgres://woml_control:${WORD}@db.example:5432/woml`,
  WOML_SANDBOX_LINE_SECRET: WORD,
  WOML_PLUGIN_HOST_LINE_SECRET: `other-${WORD}`,
  WOML_SANDBOXES: "sandbox:7331",
  WOML_PLUGIN_HOSTS: "plugin-host:7332",
  WOML_SEAL_PUBLIC_KEY: PAIR.publicKey,
  WOML_SEAL_PRIVATE_KEY: PAIR.privateKey,
};
const ROLES = ["control", "engine", "sandbox", "plugin-host", "migrate"];
const MEMORY_MB = 512;

export async function showCommands(image: string, report: Report): Promise<void> {
  const run = (args: readonly string[], ways: Ways = {}): string => {
    const { code, stdout, stderr } = inside(image, args, ways);
    assert.equal(code, 0, `${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  await report.show("woml --version, by its name and by its path", () => {
    assert.equal(run(["--version"]).trim(), "0.1.0");
    assert.equal(run(["--version"], { flags: ["--entrypoint", "woml"] }).trim(), "0.1.0");
  });
  await report.show("woml check of a mounted file", () => {
    const folders = { "/work": join(ROOT, "examples") };
    assert.equal(run(["check", "/work/order-router.woml"], { folders }), "1 file: no errors\n");
  });
  await report.show("every role prints its settings and none of its secrets", () => {
    for (const role of ROLES) {
      const said = run([role, "--print-config"], { env: GIVEN });
      assert.match(said, /^WOML_LOG=info # usual$/m, role);
      assert.ok(!said.includes(WORD) && !said.includes(PAIR.privateKey), `${role} prints a secret`);
    }
  });
  await report.show("a role that lacks a setting ends with its name", () => {
    const { code, stderr } = inside(image, ["engine"]);
    assert.equal(code, 2);
    assert.match(stderr, /WOML_CONFIG_INVALID[\s\S]*WOML_SANDBOX_LINE_SECRET is not set/);
  });
  await report.show("it can write nowhere but to /tmp, and is nobody else", () => {
    const script = `const { writeFileSync } = require("node:fs");
      const tried = (path) => { try { writeFileSync(path, ""); return "written"; } catch (error) { return error.code; } };
      console.log(JSON.stringify([process.getuid(), process.getgid(), ...["/tmp/a", "/a", "/app/a", "/app/sdk/cli/main.ts"].map(tried)]));`;
    const said = run(["--eval", script], { flags: ["--entrypoint", "node"] });
    assert.deepEqual(JSON.parse(said), [10001, 10001, "written", "EROFS", "EROFS", "EROFS"]);
  });
  await report.show(`the heap follows the limit of ${MEMORY_MB} MB`, () => {
    const script = "console.log(require('node:v8').getHeapStatistics().heap_size_limit / 1048576)";
    const limit = Number(run(["--eval", script], { flags: ["--entrypoint", "node", "--memory", `${MEMORY_MB}m`] }));
    assert.ok(limit > MEMORY_MB * 0.5 && limit < MEMORY_MB * 0.75, `${limit} MB`);
  });
}
