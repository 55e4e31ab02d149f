import assert from "node:assert/strict";
import { test } from "node:test";
import { openClient } from "../index.ts";
import { connection, platform } from "./platform.ts";

const answer = (data: object): { readonly body: object } => ({ body: { data } });
const release = { release: `sha256:${"a".repeat(64)}`, capability: "acme.payments", version: "1.0.0" };

test("an unknown outcome is resolved in the API's words, against the head that was seen", async (t) => {
  const run = { id: "run_1", status: "RUNNING" };
  const { url, asked } = await platform(
    t,
    answer({ run: { head: 9, unresolvedEffects: ["pay:1:1"] } }),
    answer({ resolveUnknown: { run } }),
    answer({ run: null }),
  );
  const client = openClient(url, "k");
  assert.deepEqual(await client.standing("run_1"), { head: 9, unresolvedEffects: ["pay:1:1"] });
  const said = { run: "run_1", operation: "pay:1:1", expectedHead: 9 };
  assert.equal((await client.resolveUnknown({ ...said, outcome: "succeeded", result: { id: 1 } })).status, "running");
  assert.deepEqual(asked[1]?.variables, { input: { ...said, outcome: "SUCCEEDED", result: { id: 1 } } });
  assert.equal(await client.standing("run_2"), null);
});

test("a plugin is handed in as the base64 of its UTF-8, however long it is", async (t) => {
  const artefact = `// Grüße 👋\n${"x".repeat(100_000)}`;
  const submitted = { release, created: true, complaints: [] };
  const { url, asked } = await platform(t, answer({ submitPlugin: submitted }));
  assert.deepEqual(await openClient(url, "k").submitPlugin({ manifest: { id: "a" }, artefact }), submitted);
  assert.ok(asked[0]);
  const { input } = asked[0].variables as { input: { artefact: string; manifest: unknown } };
  assert.equal(Buffer.from(input.artefact, "base64").toString("utf8"), artefact);
  assert.deepEqual(input.manifest, { id: "a" });
});

test("plugins are listed, approved, revoked, granted", async (t) => {
  const { url, asked } = await platform(
    t,
    answer({ plugins: connection([release], "c", false) }),
    answer({ approvePlugin: { release } }),
    answer({ revokePlugin: { release } }),
    answer({ grantPlugin: { changed: true } }),
    answer({ revokeGrant: { changed: false } }),
  );
  const client = openClient(url, "k");
  assert.deepEqual(await client.plugins({ first: 5 }), { items: [release], hasNextPage: false, endCursor: "c" });
  const digests = { artefactDigest: "sha256:b", manifestDigest: "sha256:c" };
  assert.deepEqual(await client.approvePlugin({ release: release.release, ...digests }), release);
  assert.deepEqual(await client.revokePlugin(release.release, "found wanting"), release);
  assert.equal(await client.grantPlugin({ tenant: "t", capability: "acme.payments" }), true);
  assert.equal(await client.revokeGrant({ tenant: "t", capability: "acme.payments" }), false);
  assert.deepEqual(asked[2]?.variables, { input: { release: release.release, reason: "found wanting" } });
});

test("secrets come without values, and settings in our words", async (t) => {
  const secret = { name: "API_KEY", createdAt: "2023-11-14T22:13:20.000Z", updatedAt: "2023-11-14T22:13:20.000Z" };
  const { url, asked } = await platform(
    t,
    answer({ setSecret: { secret } }),
    answer({ secrets: [secret] }),
    answer({ removeSecret: { removed: true } }),
    answer({ onAmbiguous: "ASK" }),
    answer({ setOnAmbiguous: { onAmbiguous: "FAIL" } }),
    answer({ audit: connection([{ action: "secret.set" }], null, false) }),
  );
  const client = openClient(url, "k");
  assert.deepEqual(await client.setSecret("API_KEY", "s3cret"), secret);
  assert.deepEqual(asked[0]?.variables, { input: { name: "API_KEY", value: "s3cret" } });
  assert.deepEqual(await client.secrets(), [secret]);
  assert.equal(await client.removeSecret("API_KEY"), true);
  assert.equal(await client.onAmbiguous(), "ask");
  assert.equal(await client.setOnAmbiguous("fail"), "fail");
  assert.deepEqual(asked[4]?.variables, { input: { onAmbiguous: "FAIL" } });
  assert.deepEqual((await client.audit()).items, [{ action: "secret.set" }]);
});
