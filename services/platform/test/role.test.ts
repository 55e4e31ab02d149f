// What a role is refused for is named by its setting, before it serves anybody.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { type Server, serveRole } from "../cluster/role.ts";

const LINE = "s".repeat(32);
const OWN = { WOML_LISTEN: "127.0.0.1:0", WOML_HEALTH_LISTEN: "127.0.0.1:0", WOML_LOG: "silent" };
const GUESTS = ["sandbox", "plugin-host"] as const;

/** Fails where it starts all the same. */
async function refused(role: Server, env: Readonly<Record<string, string>>): Promise<{ readonly code: unknown; readonly message: string }> {
  const sources = { env: { ...OWN, WOML_SANDBOX_LINE_SECRET: LINE, WOML_PLUGIN_HOST_LINE_SECRET: LINE, ...env }, readFile: () => "" };
  try {
    const serving = await serveRole(role, sources, new AbortController().signal);
    await serving.stop();
  } catch (error) {
    assert.ok(error instanceof Error && "code" in error);
    return { code: error.code, message: error.message };
  }
  return assert.fail(`${role} starts`);
}

async function taken(t: TestContext): Promise<string> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const bound = server.address();
  return typeof bound === "object" && bound !== null ? `127.0.0.1:${bound.port}` : assert.fail();
}

for (const role of GUESTS) {
  test(`${role}: a folder that cannot be written to is named by WOML_STATE_DIR`, async () => {
    for (const [folder, why] of [
      ["/no/such/folder", "ENOENT"],
      ["/dev/null", "ENOTDIR"],
    ] as const) {
      const { code, message } = await refused(role, { WOML_STATE_DIR: folder });
      assert.equal(code, "WOML_CONFIG_INVALID");
      assert.ok(message.includes(`WOML_STATE_DIR is ${folder}, a folder that cannot be written to (${why})`), message);
    }
  });
  for (const name of ["WOML_LISTEN", "WOML_HEALTH_LISTEN"] as const) {
    test(`${role}: a taken port, and an address that is not this machine's, are named by ${name}`, async (t) => {
      const place = await taken(t);
      const busy = await refused(role, { [name]: place });
      assert.equal(busy.code, "WOML_PORT_TAKEN");
      assert.match(busy.message, new RegExp(`^${place} is taken .* with ${name}\\.$`));
      const elsewhere = await refused(role, { [name]: "192.0.2.1:0" });
      assert.equal(elsewhere.code, "WOML_CONFIG_INVALID");
      assert.match(elsewhere.message, new RegExp(`${name} names a place at which this machine cannot listen \\(EADDRNOTAVAIL\\)`));
    });
  }
}

test("control: a key that is none is refused before the database is asked", async () => {
  const env = { WOML_DATABASE_URL: "postgres://woml_control:x@192.0.2.1:1/woml", WOML_BOOTSTRAP_ADMIN_KEY: "woml_secret" };
  const { freshSealKeys } = await import("../administer.ts");
  const { code, message } = await refused("control", { ...env, ...freshSealKeys() });
  assert.equal(code, "WOML_CONFIG_INVALID");
  assert.match(message, /WOML_BOOTSTRAP_ADMIN_KEY is no key/);
  assert.ok(!message.includes("woml_secret"));
});
