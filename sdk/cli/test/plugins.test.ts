import assert from "node:assert/strict";
import { test } from "node:test";
import { platform, refusal } from "./platform.ts";
import { folderWith, womlHere } from "./woml.ts";

const DIGEST = `sha256:${"a".repeat(64)}`;
const RELEASE = {
  ...{
    release: DIGEST,
    capability: "acme.payments",
    version: "1.0.0",
    manifest: {},
    submittedBy: "k1",
    createdAt: "2026-01-01T00:00:00.000Z",
  },
  ...{ artefactDigest: "sha256:b", manifestDigest: "sha256:c", approved: null, revokedAt: null, granted: false },
};
const page = (...nodes: readonly object[]): object => ({
  edges: nodes.map((node) => ({ node })),
  pageInfo: { hasNextPage: false, endCursor: null },
});
const FILES = {
  "plugin/manifest.json": '{"id":"acme.payments"}',
  "plugin/plugin.ts":
    'import { definePlugin } from "@woml/capability";\nconst n: number = 1;\nexport default definePlugin({ n } as never);\n',
  "script/manifest.json": "{}",
  "script/plugin.js": "export default 1;\n",
  "enum.ts": "enum A { B }\nexport default A;\n",
  "broken.json": "{",
  "empty/notes.txt": "",
};

test("add sends the manifest and the one file without its types, and says what is still missing", async (t) => {
  const { place, asked } = await platform(t, { submitPlugin: { release: RELEASE, created: true, complaints: [] } });
  const said = await womlHere(t, folderWith(t, FILES), ["plugins", "add", "plugin", ...place]);
  assert.deepEqual([said.code, said.stdout.split("\n")[1]], [0, `acme.payments@1.0.0  submitted  no       ${DIGEST}`]);
  assert.match(said.stderr, /woml plugins approve acme\.payments@1\.0\.0/);
  const { manifest, artefact } = asked[0]?.variables.input ?? {};
  assert.deepEqual(manifest, { id: "acme.payments" });
  const text = Buffer.from(String(artefact), "base64").toString("utf8");
  assert.match(text, /^import \{ definePlugin \} from "@woml\/capability";\nconst n +=/);
  assert.doesNotMatch(text, /: number|as never/);
});

test("a file without types is sent as it is; the two files may lie apart", async (t) => {
  const { place, asked } = await platform(t, {
    submitPlugin: { release: { ...RELEASE, approved: { by: "k2" } }, created: false, complaints: [] },
  });
  const files = ["--manifest", "plugin/manifest.json", "--artefact", "script/plugin.js"];
  const said = await womlHere(t, folderWith(t, FILES), ["plugins", "add", ...files, "-o", "json", ...place]);
  assert.deepEqual([said.code, JSON.parse(said.stdout).created], [0, false]);
  assert.equal(said.stderr, "The same had been handed in before.\n");
  assert.equal(asked[0]?.variables.input?.["artefact"], Buffer.from(FILES["script/plugin.js"]).toString("base64"));
});

test("complaints about a manifest are said one by one, and nothing is stored", async (t) => {
  const { place } = await platform(t, {
    submitPlugin: { release: null, created: false, complaints: ["id is missing", "version is missing"] },
  });
  const said = await womlHere(t, folderWith(t, FILES), ["plugins", "add", "plugin", ...place]);
  assert.deepEqual(
    [said.code, said.stdout, said.stderr],
    [3, "", "WOML_PLUGIN_MANIFEST_INVALID: id is missing\nWOML_PLUGIN_MANIFEST_INVALID: version is missing\n"],
  );
});

test("what cannot be handed in is refused before anybody is asked", async (t) => {
  const folder = folderWith(t, FILES);
  for (const [args, code, says] of [
    ["add", 2, /^WOML_CLI_ARGUMENTS_INVALID: Give a folder, or/],
    ["add plugin --artefact enum.ts", 2, /^WOML_CLI_ARGUMENTS_INVALID: .*not both/],
    ["add empty", 2, /^WOML_FILE_NOT_FOUND: empty\/manifest\.json is not there/],
    ["add --manifest plugin/manifest.json --artefact enum.ts", 3, /^WOML_PLUGIN_ARTEFACT_INVALID: The types of enum\.ts/],
    ["add --manifest broken.json --artefact enum.ts", 2, /^WOML_PLUGIN_MANIFEST_INVALID: broken\.json is not JSON/],
    ["revoke", 2, /^WOML_CLI_ARGUMENTS_INVALID: Name a release/],
    ["revoke x --grant y", 2, /^WOML_CLI_ARGUMENTS_INVALID: Name a release/],
    ["revoke x", 2, /^WOML_CLI_ARGUMENTS_INVALID: Say with --reason/],
    ["approve", 2, /^WOML_CLI_ARGUMENTS_INVALID: missing required argument/],
  ] as const) {
    const said = await womlHere(t, folder, ["plugins", ...args.split(" ")]);
    assert.deepEqual([said.code, said.stdout], [code, ""], `${args}: ${said.stderr}`);
    assert.match(said.stderr, says);
  }
});

test("approve names exactly the digests that are listed, by digest or id and version", async (t) => {
  const approved = { ...RELEASE, approved: { by: "k2", at: RELEASE.createdAt }, granted: null };
  const { place, asked } = await platform(t, {
    plugins: page({ ...RELEASE, version: "0.9.0" }, RELEASE),
    approvePlugin: { release: approved },
  });
  const said = await womlHere(t, folderWith(t, {}), ["plugins", "approve", "acme.payments@1.0.0", ...place]);
  assert.deepEqual([said.code, said.stdout.split("\n")[1]], [0, `acme.payments@1.0.0  approved           ${DIGEST}`]);
  assert.deepEqual(asked[1]?.variables.input, { release: DIGEST, artefactDigest: "sha256:b", manifestDigest: "sha256:c" });
  const missing = await womlHere(t, folderWith(t, {}), ["plugins", "approve", "acme.payments@2.0.0", ...place]);
  assert.deepEqual([missing.code, missing.stdout], [1, ""]);
  assert.match(missing.stderr, /^WOML_PLUGIN_NOT_FOUND/);
});

test("a grant goes to the tenant that asks unless another is named; the administrator has to name one", async (t) => {
  const answers = { grantPlugin: { changed: true }, revokeGrant: { changed: false }, plugins: page(RELEASE) };
  const own = await platform(t, { ...answers, me: { tenant: { id: "t1", name: "demo" }, admin: false } });
  const said = await womlHere(t, folderWith(t, {}), ["plugins", "grant", "acme.payments", ...own.place]);
  assert.deepEqual([said.code, said.stdout, said.stderr], [0, "acme.payments  granted to t1\n", ""]);
  const strange = await womlHere(t, folderWith(t, {}), ["plugins", "grant", "acme.paymets", ...own.place]);
  assert.deepEqual([strange.code, strange.stderr], [0, "Nothing of acme.paymets has been handed in yet.\n"]);
  const taken = await womlHere(t, folderWith(t, {}), ["plugins", "revoke", "--grant", "acme.payments", "--tenant", "t2", ...own.place]);
  assert.deepEqual([taken.code, taken.stdout], [0, "acme.payments  was not granted to t2\n"]);
  assert.deepEqual(own.asked.at(-1)?.variables.input, { tenant: "t2", capability: "acme.payments" });
  const admin = await platform(t, { me: { tenant: null, admin: true } });
  const nobody = await womlHere(t, folderWith(t, {}), ["plugins", "grant", "acme.payments", ...admin.place]);
  assert.deepEqual([nobody.code, nobody.stderr.includes("--tenant")], [2, true]);
});

test("a refusal of the platform keeps its code", async (t) => {
  const { place } = await platform(t, { plugins: page(RELEASE), approvePlugin: refusal("WOML_REVIEWER_IS_SUBMITTER", "another key") });
  const said = await womlHere(t, folderWith(t, {}), ["plugins", "approve", DIGEST, ...place]);
  assert.deepEqual([said.code, said.stderr], [1, "WOML_REVIEWER_IS_SUBMITTER: another key\n"]);
});

test("secrets are set, listed without values, and removed", async (t) => {
  const secret = { name: "API_KEY", createdAt: RELEASE.createdAt, updatedAt: RELEASE.createdAt };
  const { place, asked } = await platform(t, { setSecret: { secret }, secrets: [secret], removeSecret: { removed: false } });
  const folder = folderWith(t, {});
  const set = await womlHere(t, folder, ["secrets", "set", "API_KEY", "--value", "s3cret", ...place]);
  assert.deepEqual([set.code, set.stdout, set.stderr], [0, "API_KEY  set\n", ""]);
  assert.deepEqual(asked[0]?.variables.input, { name: "API_KEY", value: "s3cret" });
  const list = await womlHere(t, folder, ["secrets", "list", ...place]);
  assert.equal(list.stdout, `SECRET   SET\nAPI_KEY  ${secret.updatedAt}\n`);
  const empty = await womlHere(t, folder, ["secrets", "set", "API_KEY", "--value", "", ...place]);
  assert.deepEqual([empty.code, empty.stderr], [2, "WOML_SECRET_VALUE_EMPTY: The value is empty.\n"]);
  const gone = await womlHere(t, folder, ["secrets", "rm", "API_KEY", ...place]);
  assert.deepEqual([gone.code, gone.stderr], [1, "WOML_SECRET_NOT_SET: There is no secret API_KEY.\n"]);
});
