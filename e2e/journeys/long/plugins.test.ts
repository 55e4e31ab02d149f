// A plugin's way into a workflow and out of it, as author, reviewer and tenant go it: over the command line and the API.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { startFar } from "../../support/far.ts";
import { ended, field, flat, publish, runUntil, type SeenRun, start, upForFile } from "../../support/platform.ts";
import { approve, grant, handIn, newTenant, rogueFor, tenantOf, type Written } from "../../support/review.ts";
import { woml } from "../../support/woml.ts";

const far = await startFar();
after(() => far.close());
const { platform, folder } = await upForFile({ privateHosts: [`127.0.0.1:${far.port}`] });
const own = await tenantOf(platform);
const PUBLISH = "mutation ($input: PublishInput!) { publish(input: $input) { version diagnostics { code severity hint } } }";

/** What a test holds back it also answers, however busy the machine is: no call of this file ends by its time. */
const release = (version: string): Written => rogueFor(far.port, version, 120_000);
/** As an author leaves it: manifest.json and plugin.ts in a folder of their own. */
function laid(version: string): string {
  const { manifest, source } = release(version);
  const place = join(folder, `rogue-${version}`);
  mkdirSync(place);
  writeFileSync(join(place, "manifest.json"), JSON.stringify(manifest));
  writeFileSync(join(place, "plugin.ts"), source);
  return place;
}

/** One step that calls twice, with `between` in between. */
function twice(id: string, between = "", range = "^1"): string {
  return `<woml><imports><uses capability="test.rogue" version="${range}" as="rogue"/></imports>
    <workflow id="${id}"><triggers><manual id="go"/></triggers><steps><step id="call"><script>
      const first = await services.rogue.read({ do: "say", text: "a" });
      ${between}
      const second = await services.rogue.read({ do: "say", text: "b" });
      return [first.by, second.by];
    </script></step></steps></workflow></woml>`;
}
const asked = async (id: string, key?: string): Promise<readonly string[]> => {
  const { diagnostics } = field<{ diagnostics: readonly { code: string; severity: string }[] }>(
    await platform.ask(PUBLISH, { input: { files: [{ path: "w.woml", text: twice(id) }] } }, key),
    "publish",
  );
  return diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
};
const finished = (id: string): Promise<SeenRun> => runUntil(platform, id, ended);

/** Leave to call is believed for a second; the call that is under way meanwhile has longer. */
const LEAVE_MS = 1_200;

test("handed in, granted, approved: publish refuses until all is done, then binds one release for life", async () => {
  writeFileSync(join(folder, "twice.woml"), twice("twice"));
  const before = await woml(folder, ["publish", "twice.woml"]);
  assert.deepEqual([before.code, before.stdout], [3, ""]);
  assert.match(before.stderr, /WOML_CAPABILITY_NOT_GRANTED[\s\S]*<uses capability="test\.rogue"/);

  const added = await woml(folder, ["plugins", "add", laid("1.0.0"), "-o", "json"]);
  assert.equal(added.code, 0, added.stderr);
  const one = added.json().release.release;
  assert.match((await woml(folder, ["plugins", "list"])).stdout, new RegExp(`^test\\.rogue@1\\.0\\.0 +submitted +no +${one}$`, "m"));
  const again = await woml(folder, ["plugins", "add", join(folder, "rogue-1.0.0")]);
  assert.deepEqual([again.code, again.stdout.includes(one)], [0, true]);
  assert.match(again.stderr, /had been handed in before/);
  assert.equal((await woml(folder, ["plugins", "grant", "test.rogue"])).code, 0);
  const unapproved = await woml(folder, ["publish", "twice.woml"]);
  assert.deepEqual([unapproved.code, /WOML_CAPABILITY_NOT_FOUND/.test(unapproved.stderr)], [3, true]);
  assert.match((await woml(folder, ["plugins", "approve", one])).stdout, /^test\.rogue@1\.0\.0 +approved/m);

  const bound = await woml(folder, ["publish", "twice.woml", "-o", "json"]);
  assert.equal(bound.code, 0, bound.stderr);
  const { version, diagnostics } = bound.json();
  assert.deepEqual(
    diagnostics.map(({ code, severity }: { code: string; severity: string }) => [code, severity]),
    [["WOML_SECRET_NOT_SET", "warning"]],
  );
  assert.equal((await woml(folder, ["secrets", "set", "ROGUE_KEY"], { stdin: "key of a test\n" })).code, 0);
  const usesOf = async (id: string) =>
    field<{ definition: { uses: readonly object[] } }>(
      await platform.ask("query ($id: ID!) { version(id: $id) { definition } }", { id }),
      "version",
    ).definition.uses;
  const use = { alias: "rogue", capability: "test.rogue", range: "^1" };
  assert.deepEqual(await usesOf(version), [{ ...use, bound: { version: "1.0.0", release: one } }]);
  assert.deepEqual((await finished(await start(platform, { workflow: "twice" }))).result, ["1.0.0", "1.0.0"]);

  const next = await handIn(platform, release("1.1.0"));
  field(await approve(platform, next), "approvePlugin");
  assert.deepEqual((await finished(await start(platform, { workflow: "twice" }))).result, ["1.0.0", "1.0.0"]);
  const later = await publish(platform, twice("twice"));
  assert.notEqual(later, version);
  assert.deepEqual(await usesOf(later), [{ ...use, bound: { version: "1.1.0", release: next.release } }]);
  assert.deepEqual((await finished(await start(platform, { workflow: "twice" }))).result, ["1.1.0", "1.1.0"]);
  assert.deepEqual((await finished(await start(platform, { workflow: "twice", version }))).result, ["1.0.0", "1.0.0"]);
});

test("a run keeps the release it began with, whatever is approved and published meanwhile", async () => {
  far.hold();
  const old = await publish(platform, twice("held", `await services.rogue.read({ do: "get", text: "${far.url}/held" });`));
  const id = await start(platform, { workflow: "held" });
  await runUntil(platform, id, ({ events }) => events.edges.filter(({ node }) => node.type === "operation_started").length === 2);
  const next = await handIn(platform, release("1.2.0"));
  field(await approve(platform, next), "approvePlugin");
  assert.notEqual(await publish(platform, twice("held", `await services.rogue.read({ do: "get", text: "${far.url}/held" });`)), old);
  far.release();
  const run = await finished(id);
  assert.deepEqual([run.version, run.result], [old, ["1.1.0", "1.1.0"]]);
});

test("approval names the reviewed bytes, with another key than the one that handed them in", async () => {
  const { ask, admin } = platform;
  const handed = await handIn(platform, release("1.3.0"));
  const code = (answer: Awaited<ReturnType<typeof ask>>): unknown => answer.errors?.[0]?.extensions?.code;
  const wrong = `sha256:${"0".repeat(64)}`;
  assert.equal(code(await approve(platform, handed, { artefactDigest: wrong })), "WOML_PLUGIN_DIGEST_MISMATCH");
  assert.equal(code(await approve(platform, handed, { manifestDigest: wrong })), "WOML_PLUGIN_DIGEST_MISMATCH");
  const byAdmin = await woml(folder, ["plugins", "add", laid("1.4.0"), "--url", platform.graphql, "--key", admin]);
  assert.equal(byAdmin.code, 0, byAdmin.stderr);
  const same = await woml(folder, ["plugins", "approve", "test.rogue@1.4.0"]);
  assert.deepEqual([same.code, same.stdout], [1, ""]);
  assert.match(same.stderr, /^WOML_REVIEWER_IS_SUBMITTER: /);
  const byTenant = await woml(folder, ["plugins", "approve", "test.rogue@1.3.0", "--url", platform.graphql, "--key", platform.key]);
  assert.deepEqual([byTenant.code, byTenant.stderr.split(":")[0]], [1, "WOML_FORBIDDEN"]);
});

test("another tenant has its own grants, sees no release that only waits for its review, and may not bind to what it was not granted", async () => {
  const other = await newTenant(platform, "other");
  assert.deepEqual(await asked("theirs", other.key), ["WOML_CAPABILITY_NOT_GRANTED"]);
  const place = ["--url", platform.graphql, "--key", other.key];
  const listed = (await woml(folder, ["plugins", "list", "-o", "json", ...place])).json();
  const versions = listed
    .filter(({ capability }: { capability: string }) => capability === "test.rogue")
    .map(({ version, granted }: { version: string; granted: boolean }) => [version, granted]);
  assert.deepEqual(versions, [
    ["1.2.0", false],
    ["1.1.0", false],
    ["1.0.0", false],
  ]);
  const { definition } = field<{ definition: object }>(
    await platform.ask("query ($id: ID!) { workflow(id: $id) { active { definition } } }", { id: "twice" }),
    "workflow",
  )["active" as never] as { definition: object };
  const bound = await platform.ask(PUBLISH, { input: { definition } }, other.key);
  assert.deepEqual(
    field<{ diagnostics: readonly { code: string }[] }>(bound, "publish").diagnostics.map(({ code }) => code),
    ["WOML_CAPABILITY_NOT_GRANTED"],
  );
  await grant(platform, other.id, "test.rogue");
  assert.deepEqual(await asked("theirs", other.key), []);
});

/** Started, and its second call is held back by the provider. */
async function underWay(id: string, between: string): Promise<string> {
  far.hold();
  await publish(platform, twice(id, between));
  const run = await start(platform, { workflow: id });
  await runUntil(platform, run, ({ events }) => events.edges.filter(({ node }) => node.type === "operation_started").length === 2);
  return run;
}

test("a grant taken back: no publish, no new call; a call under way ends as it ends; given again, all goes on", async () => {
  const held = `await services.rogue.read({ do: "get", text: "${far.url}/held" });`;
  const id = await underWay("ungranted", held);
  const taken = await woml(folder, ["plugins", "revoke", "--grant", "test.rogue"]);
  assert.deepEqual([taken.code, taken.stdout], [0, `test.rogue  not granted any more to ${own}\n`]);
  assert.deepEqual(await asked("twice"), ["WOML_CAPABILITY_NOT_GRANTED"]);
  await new Promise((resolve) => setTimeout(resolve, LEAVE_MS));
  far.release();
  const run = await finished(id);
  assert.deepEqual([run.status, run.failure?.code], ["FAILED", "WOML_CAPABILITY_NOT_GRANTED"]);
  const { operations } = flat<{ operations: readonly { outcome: string; failure: { code: string } | null }[] }>(
    field(await platform.ask("query ($id: ID!) { run(id: $id) { operations { edges { node { outcome failure } } } } }", { id }), "run"),
  );
  assert.deepEqual(
    operations.map(({ outcome, failure }) => [outcome, failure?.code ?? null]),
    [
      ["succeeded", null],
      ["succeeded", null],
      ["refused", "WOML_CAPABILITY_NOT_GRANTED"],
    ],
  );
  await grant(platform, own, "test.rogue");
  assert.deepEqual(await asked("twice"), []);
});

test("a release revoked: publish takes the next lower one, what is bound to it calls nothing any more, and it never comes back", async () => {
  const held = `await services.rogue.act({ do: "post", text: "/held" });`;
  const id = await underWay("revoked", held);
  const revoked = await woml(folder, ["plugins", "revoke", "test.rogue@1.2.0", "--reason", "it lies"]);
  assert.deepEqual([revoked.code, /^test\.rogue@1\.2\.0 +revoked/m.test(revoked.stdout)], [0, true], revoked.stderr);
  await new Promise((resolve) => setTimeout(resolve, LEAVE_MS));
  far.release();
  const run = await finished(id);
  assert.deepEqual([run.status, run.failure?.code], ["FAILED", "WOML_PLUGIN_REVOKED"]);
  const operations = (await woml(folder, ["runs", "operations", id, "-o", "json"])).json();
  assert.deepEqual(
    operations.map(({ outcome, failure }: { outcome: string; failure: { code: string } | null }) => [outcome, failure?.code ?? null]),
    [
      ["succeeded", null],
      ["succeeded", null],
      ["refused", "WOML_PLUGIN_REVOKED"],
    ],
  );
  const next = await publish(platform, twice("revoked-next"));
  assert.ok(next);
  assert.deepEqual((await finished(await start(platform, { workflow: "revoked-next" }))).result, ["1.1.0", "1.1.0"]);
  const back = await woml(folder, ["plugins", "approve", "test.rogue@1.2.0"]);
  assert.deepEqual([back.code, back.stderr.split(":")[0]], [1, "WOML_PLUGIN_REVOKED"]);
});
