import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { canonical, type Json } from "@woml/model";
import { asTenantId } from "@woml/run";
import { FILES_MAX } from "../sources.ts";
import { chain, openForFile, publish, publishText } from "./opened.ts";

const opened = await openForFile();
const VERSION = "query ($id: ID!) { version(id: $id) { id workflow hash definition source createdAt } }";
const WORKFLOW =
  "query ($id: ID!) { workflow(id: $id) { id name active { id } versions { edges { node { id } } pageInfo { hasNextPage } } } }";

interface SeenVersion {
  readonly id: string;
  readonly hash: string;
  readonly definition: never;
  readonly source: unknown;
}

test("files become a version with definition, hash and source", async () => {
  const tenant = await opened.tenant("publish-files");
  const text = chain("w", { a: "return 1;" });
  const { version, created, diagnostics } = await publish(tenant, { files: [{ path: "w.woml", text }] });
  assert.deepEqual([created, diagnostics], [true, []]);
  const seen = await tenant.field<SeenVersion>("version", VERSION, { id: version });
  assert.deepEqual(seen.source, [{ path: "w.woml", text }]);
  assert.equal(seen.hash, `sha256:${createHash("sha256").update(canonical(seen.definition)).digest("hex")}`);
  assert.equal(seen.id, `ver_${seen.hash.slice("sha256:".length)}`);
});

test("a definition made elsewhere is the same version as the source that lowers to it, in whatever order it lists", async () => {
  const tenant = await opened.tenant("publish-definition");
  const version = await publishText(tenant, chain("w", { a: "return 1;", b: "return 2;" }));
  const { definition } = await tenant.field<{ definition: { nodes: unknown[]; edges: unknown[] } }>("version", VERSION, { id: version });
  const turned = { ...definition, nodes: definition.nodes.toReversed(), edges: definition.edges.toReversed() };
  assert.deepEqual(await publish(tenant, { definition: turned }), { version, created: false, diagnostics: [] });
  const other = await opened.tenant("publish-definition-2");
  assert.deepEqual(await publish(other, { definition: turned }), { version, created: true, diagnostics: [] });
  assert.equal((await other.field<SeenVersion>("version", VERSION, { id: version })).source, null);
});

test("an invalid source or definition stores nothing and says all that is wrong", async () => {
  const tenant = await opened.tenant("publish-invalid");
  const bad = await publish(tenant, { files: [{ path: "bad.woml", text: "<woml><workflow id='B' /></woml>" }] });
  assert.deepEqual([bad.version, bad.created, bad.diagnostics[0]?.file], [null, false, "bad.woml"]);
  const wrong = await publish(tenant, { definition: { schemaVersion: 1, nodes: [] } });
  assert.deepEqual([wrong.version, wrong.created, wrong.diagnostics[0]?.file], [null, false, "definition"]);
  assert.ok(
    wrong.diagnostics.some(({ message }) => message.startsWith("/nodes")),
    JSON.stringify(wrong.diagnostics),
  );
  const { workflows } = (await tenant.ask("{ workflows { edges { cursor } } }")).data ?? {};
  assert.deepEqual(workflows, { edges: [] });
});

test("a schema that no payload can be judged by is refused, whoever made the definition", async () => {
  const tenant = await opened.tenant("publish-schemas");
  const version = await publishText(tenant, chain("w", { a: "return 1;" }));
  const { definition } = await tenant.field<{ definition: object }>("version", VERSION, { id: version });
  const judged = async (schema: Json) => {
    const triggers = [
      { id: "h", kind: "webhook", path: "/h", schema },
      { id: "s", kind: "signal", name: "order.paid", schema },
    ];
    const { version: stored, diagnostics } = await publish(tenant, { definition: { ...definition, triggers } });
    assert.equal(stored, null);
    return diagnostics.map(({ code, message }) => `${code} ${message.split(":")[0]}`);
  };
  assert.deepEqual(await judged({ properties: { a: { type: "nope" } } }), [
    "WOML_WEBHOOK_SCHEMA_INVALID /triggers/0/schema/properties/a/type",
    "WOML_EVENT_SCHEMA_INVALID /triggers/1/schema/properties/a/type",
  ]);
  assert.deepEqual(await judged({ pattern: "(a)\\1" }), [
    "WOML_SCHEMA_PATTERN_UNSUPPORTED /triggers/0/schema/pattern",
    "WOML_SCHEMA_PATTERN_UNSUPPORTED /triggers/1/schema/pattern",
  ]);
  assert.deepEqual(await judged({ $ref: "https://example.com/a" }), [
    "WOML_WEBHOOK_SCHEMA_INVALID /triggers/0/schema/$ref",
    "WOML_EVENT_SCHEMA_INVALID /triggers/1/schema/$ref",
  ]);
});

test("two workflows in one publish are one too many, and nothing is stored", async () => {
  const tenant = await opened.tenant("publish-two");
  const files = ["a", "b"].map((id) => ({ path: `${id}.woml`, text: chain(id, { s: "return 1;" }) }));
  const { version, diagnostics } = await publish(tenant, { files });
  assert.equal(version, null);
  assert.deepEqual(
    diagnostics.map(({ code, file }) => [code, file]),
    [["WOML_PUBLISH_ONE_WORKFLOW", "b.woml"]],
  );
});

test("what a workflow imports is sent with it: what is wrong with a file is said of it, and a file too many is warned of", async () => {
  const tenant = await opened.tenant("publish-imports");
  const main = chain("imports", { s: "return services.m.total();" }).replace(
    "<woml>",
    '<woml><imports><module name="m" from="./lib/m.ts"/></imports>',
  );
  const fn = "export function total(): number { return 1; }";
  const send = async (lib: Readonly<Record<string, string>>, isStored = false) => {
    const files = [...Object.entries(lib).map(([path, text]) => ({ path, text })), { path: "flows/w.woml", text: main }];
    const { version, diagnostics } = await publish(tenant, { files });
    assert.equal(version !== null, isStored);
    return diagnostics.map(({ code, file }) => `${file} ${code}`);
  };
  assert.deepEqual(await send({ "flows/lib/m.ts": fn }, true), []);
  assert.deepEqual(await send({ "flows/lib/m.ts": fn, "flows/x.ts": fn, "y.woml": "<woml><step><script>1</script></step></woml>" }, true), [
    "flows/x.ts WOML_PUBLISH_FILE_UNUSED",
    "y.woml WOML_PUBLISH_FILE_UNUSED",
  ]);
  assert.deepEqual(await send({}), ["flows/w.woml WOML_MODULE_FILE_NOT_FOUND"]);
  assert.deepEqual(await send({ "flows/lib/m.ts": "export default 1;" }), ["flows/lib/m.ts WOML_MODULE_DEFAULT_EXPORT_UNSUPPORTED"]);
  assert.deepEqual(await send({ "flows/lib/m.ts": `import '${"../".repeat(4)}etc/passwd.js';\n${fn}` }), [
    "flows/lib/m.ts WOML_MODULE_FILE_NOT_FOUND",
  ]);
});

test("modules are stored with the version that names them; a definition made elsewhere may name those that are", async () => {
  const tenant = await opened.tenant("publish-modules");
  const text = chain("m", { s: "return services.a.f() + services.b.f();" }).replace(
    "<woml>",
    '<woml><imports><module name="a" from="./a.ts"/><module name="b" from="./b.js"/></imports>',
  );
  const files = [
    { path: "m.woml", text },
    { path: "a.ts", text: "import { n } from './n.js';\nexport function f(): number { return n; }" },
    { path: "b.js", text: "export function f() { return 2; }" },
    { path: "n.js", text: "export const n = 1;" },
  ];
  const { version } = await publish(tenant, { files });
  const { definition } = await tenant.field<{ definition: Json & { modules: readonly { digest: string }[] } }>("version", VERSION, {
    id: version,
  });
  const digests = definition.modules.map(({ digest }) => digest);
  const stored = await opened.engine.modules(asTenantId(tenant.id), digests);
  assert.equal(stored.size, 2);
  for (const [digest, module] of stored) assert.equal(digest, `sha256:${createHash("sha256").update(module).digest("hex")}`);
  const [kept] = await opened.engine.definitions([{ tenant: asTenantId(tenant.id), version: `sha256:${String(version).slice(4)}` }]);
  const { modules } = (kept ?? assert.fail()).sourceMap as {
    readonly modules: Readonly<Record<string, readonly (readonly [string, number])[]>>;
  };
  assert.deepEqual(
    Object.values(modules)
      .map((sections) => sections.map(([path]) => path))
      .toSorted(),
    [["b.js"], ["n.js", "a.ts"]],
  );
  const { nodes, edges, ...rest } = definition as unknown as { readonly nodes: readonly object[]; readonly edges: readonly object[] };
  const again = await publish(tenant, { definition: { ...rest, nodes, edges, workflow: { id: "again" } } });
  assert.deepEqual([again.created, again.diagnostics], [true, []]);
  const other = await opened.tenant("publish-modules-2");
  const refused = await publish(other, { definition });
  assert.deepEqual(
    [refused.version, refused.diagnostics.map(({ code, message }) => `${code} ${message.split(":")[0]}`)],
    [null, ["WOML_MODULE_NOT_STORED /modules/0", "WOML_MODULE_NOT_STORED /modules/1"]],
  );
});

test("check takes what documents import, and says what is wrong with a module once", async () => {
  const tenant = await opened.tenant("check-imports");
  const text = chain("w", { s: "return services.m.f();" }).replace("<woml>", '<woml><imports><module name="m" from="./m.js"/></imports>');
  const check = async (module: string) => {
    const files = [
      { path: "m.js", text: module },
      { path: "a.woml", text },
      { path: "b.woml", text },
    ];
    const query = "query ($files: [SourceInput!]!) { check(files: $files) { file code } }";
    return (await tenant.field<readonly { file: string; code: string }[]>("check", query, { files })).map(
      ({ file, code }) => `${file} ${code}`,
    );
  };
  assert.deepEqual(await check("export function f() { return 1; }"), []);
  assert.deepEqual(await check("module.exports = 1;"), ["m.js WOML_MODULE_COMMONJS_UNSUPPORTED"]);
  const long = `<woml><step><script>//${"x".repeat(250_000)}</script></step></woml>`;
  const many = Array.from({ length: 20 }, (_, at) => ({
    path: `${at}.woml`,
    text: text.replace("</imports>", '<module name="long" from="./long.woml"/></imports>'),
  }));
  const answer = await tenant.ask("query ($files: [SourceInput!]!) { check(files: $files) { code } }", {
    files: [...many, { path: "long.woml", text: long }],
  });
  assert.deepEqual(answer.codes, ["WOML_SOURCES_INVALID"]);
});

test("neither files nor a definition, both, too many files and bad paths are refused with a code", async () => {
  const tenant = await opened.tenant("publish-input");
  const file = { path: "a.woml", text: "" };
  const codesOf = async (input: object) =>
    (await tenant.ask("mutation ($i: PublishInput!) { publish(input: $i) { created } }", { i: input })).codes;
  for (const input of [{}, { files: [] }, { files: null, definition: null }, { files: [file], definition: {} }]) {
    assert.deepEqual(await codesOf(input), ["WOML_PUBLISH_INPUT_INVALID"]);
  }
  const many = Array.from({ length: FILES_MAX + 1 }, () => file);
  for (const files of [
    many,
    [{ ...file, path: "" }],
    [{ ...file, path: "a\0" }],
    [{ ...file, path: "a".repeat(1025) }],
    [{ ...file, path: "\ud800" }],
  ]) {
    assert.deepEqual(await codesOf({ files }), ["WOML_SOURCES_INVALID"]);
  }
});

test("the newest publish is active unless it says no, and an older version can be made active again", async () => {
  const tenant = await opened.tenant("publish-active");
  const active = async () => (await tenant.field<{ active: { id: string } }>("workflow", WORKFLOW, { id: "w" })).active.id;
  const [one, two, three] = [1, 2, 3].map((n) => chain("w", { s: `return ${n};` }));
  const first = await publishText(tenant, one ?? "");
  assert.equal(await active(), first);
  const second = await publishText(tenant, two ?? "");
  assert.equal(await active(), second);
  const third = await publishText(tenant, three ?? "", false);
  assert.equal(await active(), second);
  assert.equal(await publishText(tenant, one ?? ""), first);
  assert.equal(await active(), first);
  const { versions } = await tenant.field<{ versions: { edges: { node: { id: string } }[] } }>("workflow", WORKFLOW, { id: "w" });
  assert.deepEqual(
    versions.edges.map(({ node }) => node.id),
    [third, second, first],
  );
});

test("workflows and versions are read in pages", async () => {
  const tenant = await opened.tenant("publish-pages");
  for (const id of ["c", "a", "b"]) for (const n of [1, 2, 3]) await publishText(tenant, chain(id, { s: `return ${n};` }));
  const query = `query ($first: Int, $after: String) { workflows(first: $first, after: $after) {
    edges { cursor node { id active { definition } versions(first: 2) { edges { node { id definition } } pageInfo { hasNextPage endCursor } } } }
    pageInfo { hasNextPage endCursor } } }`;
  interface Page {
    readonly edges: readonly {
      readonly node: { readonly id: string; readonly versions: { readonly pageInfo: { endCursor: string; hasNextPage: boolean } } };
    }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  }
  const first = await tenant.field<Page>("workflows", query, { first: 2 });
  assert.deepEqual([first.edges.map(({ node }) => node.id), first.pageInfo.hasNextPage], [["a", "b"], true]);
  const rest = await tenant.field<Page>("workflows", query, { first: 2, after: first.pageInfo.endCursor });
  assert.deepEqual([rest.edges.map(({ node }) => node.id), rest.pageInfo.hasNextPage], [["c"], false]);
  const ofA = first.edges[0]?.node.versions.pageInfo;
  assert.equal(ofA?.hasNextPage, true);
  const more =
    "query ($id: ID!, $after: String) { workflow(id: $id) { versions(after: $after) { edges { node { id } } pageInfo { hasNextPage } } } }";
  const left = await tenant.field<{ versions: { edges: unknown[] } }>("workflow", more, { id: "a", after: ofA?.endCursor });
  assert.equal(left.versions.edges.length, 1);
  assert.deepEqual((await tenant.ask(more, { id: "b", after: ofA?.endCursor })).codes, ["WOML_CURSOR_INVALID"]);
});

test("check answers diagnostics and stores nothing", async () => {
  const tenant = await opened.tenant("check");
  const query =
    "query ($files: [SourceInput!]!) { check(files: $files) { file code severity message hint start { line column offset } end { line } } }";
  const files = [
    { path: "ok.woml", text: chain("ok", { s: "return 1;" }) },
    { path: "bad.woml", text: "<woml>" },
  ];
  const found = await tenant.field<readonly { file: string; severity: string }[]>("check", query, { files });
  assert.ok(found.length > 0 && found.every(({ file, severity }) => file === "bad.woml" && severity === "error"));
  assert.equal(await tenant.field("workflow", WORKFLOW, { id: "ok" }), null);
  assert.deepEqual(await opened.admin.field("check", query, { files: [] }), []);
});

test("a tenant's name is taken once, and has to be a name", async () => {
  await opened.tenant("taken");
  const query = "mutation ($name: String!) { createTenant(input: { name: $name }) { key } }";
  assert.deepEqual((await opened.admin.ask(query, { name: "taken" })).codes, ["WOML_TENANT_EXISTS"]);
  for (const name of ["", "  ", "a\0", "a\nb", " taken", "taken ", "\u202enekat", "n".repeat(129)]) {
    assert.deepEqual((await opened.admin.ask(query, { name })).codes, ["WOML_TENANT_NAME_INVALID"], JSON.stringify(name));
  }
});
