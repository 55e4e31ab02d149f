import assert from "node:assert/strict";
import { test } from "node:test";
import type { Definition, Use } from "@woml/model";
import { approved, grant, manifest, REVOKE, type Release } from "./acme.ts";
import { openForFile, type Published, publish, start, type Tenant } from "./opened.ts";

const opened = await openForFile();
const VERSION = "query ($id: ID!) { version(id: $id) { definition } }";

const capability = (name: string, over: object = {}, version = "1.0.0"): object => manifest(version, { id: `bind.${name}`, ...over });
/** Line 2 imports, line 3 calls. */
function workflow(name: string, script = 'return await services.pay.quote({ amount: 1 }, { name: "q" });', range = "^1"): string {
  const uses = `<imports><uses capability="bind.${name}" version="${range}" as="pay"/></imports>`;
  return `<woml>${uses}<workflow id="w"><triggers><manual id="go"/></triggers><steps>
<step id="a"><script>${script}</script></step></steps></workflow></woml>`;
}
const publishText = (tenant: Tenant, text: string): Promise<Published> =>
  tenant.field(
    "publish",
    "mutation ($input: PublishInput!) { publish(input: $input) { version created diagnostics { file code severity message hint start { line column } } } }",
    { input: { files: [{ path: "w.woml", text }] } },
  );
const codesOf = ({ diagnostics }: Published): readonly string[] => diagnostics.map(({ code }) => code);

async function definitionOf(tenant: Tenant, { version }: Published): Promise<Definition> {
  return (await tenant.field<{ definition: Definition }>("version", VERSION, { id: version })).definition;
}
const boundTo = async (tenant: Tenant, published: Published): Promise<Use["bound"]> =>
  (await definitionOf(tenant, published)).uses?.[0]?.bound;
const bound = (release: Release): Use["bound"] => ({ version: String(release["version"]), release: release.release });

test("PC-44: a range is bound to the highest release that is approved, not revoked and granted, and again later to a higher one", async () => {
  const tenant = await opened.tenant("bind-range");
  const text = workflow("range");
  assert.deepEqual(codesOf(await publishText(tenant, text)), ["WOML_CAPABILITY_NOT_GRANTED"]);
  await grant(opened, tenant, "bind.range");
  assert.deepEqual(codesOf(await publishText(tenant, text)), ["WOML_CAPABILITY_NOT_FOUND"]);
  const one = await approved(opened, tenant, capability("range", {}, "1.2.0"));
  await approved(opened, tenant, capability("range", {}, "2.0.0"));
  const first = await publishText(tenant, text);
  assert.deepEqual([first.diagnostics, await boundTo(tenant, first)], [[], bound(one)]);
  const two = await approved(opened, tenant, capability("range", {}, "1.10.0"));
  const second = await publishText(tenant, text);
  assert.deepEqual([second.created, await boundTo(tenant, second)], [true, bound(two)]);
  assert.deepEqual(await boundTo(tenant, first), bound(one));
  assert.deepEqual([(await publishText(tenant, text)).created, (await publishText(tenant, text)).version], [false, second.version]);
  await opened.admin.field("revokePlugin", REVOKE, { input: { release: two.release, reason: "bad" } });
  assert.equal((await publishText(tenant, text)).version, first.version);
});

test("what is refused stands at its <uses>, what the release does not have at its call, and nothing is stored", async () => {
  const tenant = await opened.tenant("bind-places");
  const refused = await publishText(tenant, workflow("places"));
  assert.equal(refused.version, null);
  assert.deepEqual(
    refused.diagnostics.map((one) => [one.code, one.file, (one as unknown as { start: object }).start]),
    [["WOML_CAPABILITY_NOT_GRANTED", "w.woml", { line: 1, column: 16 }]],
  );
  await grant(opened, tenant, "bind.places");
  await approved(opened, tenant, capability("places"));
  const unknown = await publishText(tenant, workflow("places", "return await services.pay.chargge({ amount: 1 });"));
  const [remark] = unknown.diagnostics as unknown as readonly { code: string; start: { line: number }; hint: string }[];
  assert.deepEqual([unknown.version, remark?.code, remark?.start.line], [null, "WOML_OPERATION_UNKNOWN", 2]);
  assert.match(remark?.hint ?? "", /charge, quote, refund/);
});

test("a check says beforehand what a publish would, to a tenant; the administrator has no grants to say it of", async () => {
  const tenant = await opened.tenant("bind-check");
  const CHECK = "query ($files: [SourceInput!]!) { check(files: $files) { code start { line } } }";
  const files = [
    { path: "a.woml", text: workflow("checked") },
    { path: "b.woml", text: workflow("checked", "return 1;").replace(/<imports>.*<\/imports>/, "") },
  ];
  assert.deepEqual(await tenant.field("check", CHECK, { files }), [{ code: "WOML_CAPABILITY_NOT_GRANTED", start: { line: 1 } }]);
  assert.deepEqual(await opened.admin.field("check", CHECK, { files }), []);
});

test("another tenant's grant counts for nobody else", async () => {
  const [mine, theirs] = [await opened.tenant("bind-mine"), await opened.tenant("bind-theirs")];
  await approved(opened, theirs, capability("grants"));
  await grant(opened, theirs, "bind.grants");
  assert.deepEqual(codesOf(await publishText(mine, workflow("grants"))), ["WOML_CAPABILITY_NOT_GRANTED"]);
  assert.deepEqual(codesOf(await publishText(theirs, workflow("grants"))), []);
});

test("secrets that are named and not set are a warning, the script's and the plugin's; once they are set, none", async () => {
  const tenant = await opened.tenant("bind-secrets");
  const permissions = { secrets: [{ name: "ACME_KEY", reason: "signs" }] };
  await approved(opened, tenant, capability("secrets", { permissions }));
  await grant(opened, tenant, "bind.secrets");
  const text = workflow("secrets", 'return await services.pay.quote({ amount: secrets.MINE ? 1 : 2 }, { name: "q" });');
  const warned = await publishText(tenant, text);
  assert.notEqual(warned.version, null);
  assert.deepEqual(codesOf(warned).toSorted(), ["WOML_SECRET_NOT_SET", "WOML_SECRET_NOT_SET"]);
  for (const name of ["MINE", "ACME_KEY"])
    await tenant.field("setSecret", "mutation ($input: SetSecretInput!) { setSecret(input: $input) { secret { name } } }", {
      input: { name, value: "x" },
    });
  assert.deepEqual((await publishText(tenant, text)).diagnostics, []);
});

test("a secret of a trigger that is not set is a warning at the trigger, in the source and in the definition", async () => {
  const tenant = await opened.tenant("bind-doors");
  const doors = `<webhook id="in" path="/in" auth="bearer" secret="{{secrets.HOOK}}"/>\n<event id="told" name="a.b" secret="{{secrets.TOLD}}"/>`;
  const text = `<woml><workflow id="w"><triggers><manual id="go"/>\n${doors}</triggers><steps><step id="s"><script>return 1;</script></step></steps></workflow></woml>`;
  const stored = await publishText(tenant, text);
  const shown = (diagnostics: Published["diagnostics"]): readonly string[] => diagnostics.map(({ code, message }) => `${code} ${message}`);
  assert.notEqual(stored.version, null);
  const expected = ["in names the secret HOOK", "told names the secret TOLD"].map((part) => `The trigger ${part}, which is not set.`);
  assert.deepEqual(
    shown(stored.diagnostics),
    expected.map((message) => `WOML_SECRET_NOT_SET ${message}`),
  );
  const again = await publish(tenant, { definition: await definitionOf(tenant, stored), activate: false });
  assert.deepEqual(
    shown(again.diagnostics),
    [1, 2].map((at) => `WOML_SECRET_NOT_SET /triggers/${at}: ${expected[at - 1]}`),
  );
});

test("hooks, notices, own lifecycles and props are judged like steps, each at its place in the source or the definition", async () => {
  const tenant = await opened.tenant("bind-hooks");
  await grant(opened, tenant, "bind.hooks");
  await approved(opened, tenant, capability("hooks"));
  const uses = `<uses capability="bind.hooks" version="^1" as="pay"/>`;
  const pager = `<woml><imports>${uses}</imports><props><prop name="key" secret="true"/></props>
<provider kind="notification"><script>return services.pay.lost({ key: props.key });</script></provider>
<lifecycle><on-error><script>await services.pay.later({});</script></on-error></lifecycle></woml>`;
  const main = `<woml><imports>${uses}<module name="pager" from="./pager.woml"/></imports><workflow id="w"><triggers><manual id="go"/></triggers>
<lifecycle><on-error><script>return secrets.HOOK;</script><script>await services.pay.gone({});</script><notify>
<pager key="{{secrets.HOOKED}}" message="x"/></notify></on-error></lifecycle><steps>
<approval id="ask"><notify>
<pager key="{{secrets.ASKED}}"/></notify><when-approved></when-approved><when-rejected></when-rejected></approval></steps></workflow></woml>`;
  const MUTATION = "mutation ($input: PublishInput!) { publish(input: $input) { version diagnostics { code message start { line } } } }";
  const files = [
    { path: "w.woml", text: main },
    { path: "pager.woml", text: pager },
  ];
  interface Remark {
    readonly code: string;
    readonly message: string;
    readonly start: { readonly line: number } | null;
  }
  const said = async (input: object): Promise<readonly Remark[]> =>
    (await tenant.field<{ diagnostics: readonly Remark[] }>("publish", MUTATION, { input })).diagnostics;
  const at = ({ message, start }: Remark): string => `${start?.line ?? ""} ${message.replace(/ has no operation (\w+)\.$/, " $1")}`;
  assert.deepEqual((await said({ files })).map(at), ["2 pay gone", "3 pay lost", "3 pay later", "5 pay lost", "5 pay later"]);
  const sound = [main, pager].map((text) => text.replace(/pay\.(gone|lost|later)/g, "pay.quote"));
  const warned = await said({ files: files.map(({ path }, index) => ({ path, text: sound[index] })) });
  assert.deepEqual(
    warned.map(({ code, start, message }) => [code, start?.line, message.split(" names the secret ")]),
    [
      ["WOML_SECRET_NOT_SET", 2, ["The script", "HOOK, which is not set."]],
      ["WOML_SECRET_NOT_SET", 3, ["The prop key", "HOOKED, which is not set."]],
      ["WOML_SECRET_NOT_SET", 5, ["The prop key", "ASKED, which is not set."]],
    ],
  );
  const stored = await publish(tenant, { files: files.map(({ path }, index) => ({ path, text: sound[index] })), activate: false });
  const text = JSON.stringify(await definitionOf(tenant, stored)).replaceAll('"pay.quote"', '"pay.gone"');
  const pointers = (await said({ definition: JSON.parse(text) })).map(({ message }) => message.split(":")[0]);
  const [hook, notice] = ["/lifecycle/0/actions", "/nodes/0/notices/0"];
  assert.deepEqual(pointers, [
    ...[`${notice}/script/calls`, `${notice}/reusable/onError/0/calls`, `${hook}/1/script/calls`],
    ...[`${hook}/2/notices/0/script/calls`, `${hook}/2/notices/0/reusable/onError/0/calls`],
  ]);
});

test("a definition is bound like a source; one that comes bound must be bound to what the tenant could have got", async () => {
  const tenant = await opened.tenant("bind-definition");
  const release = await approved(opened, tenant, capability("given"));
  await grant(opened, tenant, "bind.given");
  const sourced = await publishText(tenant, workflow("given"));
  const definition = await definitionOf(tenant, sourced);
  assert.deepEqual(await publish(tenant, { definition }), { version: sourced.version, created: false, diagnostics: [] });
  const bare = { ...definition, uses: definition.uses?.map(({ bound: _, ...use }) => use) };
  assert.equal((await publish(tenant, { definition: bare })).version, sourced.version);
  const another = `sha256:${"0".repeat(64)}`;
  for (const wrong of [
    { version: "1.0.0", release: another },
    { version: "1.0.1", release: release.release },
  ]) {
    const uses = definition.uses?.map((use) => ({ ...use, bound: wrong }));
    const refused = await publish(tenant, { definition: { ...definition, uses } });
    assert.deepEqual([refused.version, codesOf(refused)], [null, ["WOML_CAPABILITY_NOT_FOUND"]], JSON.stringify(wrong));
    assert.match(refused.diagnostics[0]?.message ?? "", /^\/uses\/0: /);
  }
  const outside = { ...definition, uses: definition.uses?.map((use) => ({ ...use, range: "^2" })) };
  assert.deepEqual(codesOf(await publish(tenant, { definition: outside })), ["WOML_CAPABILITY_NOT_FOUND"]);
  const other = await opened.tenant("bind-definition-2");
  assert.deepEqual(codesOf(await publish(other, { definition })), ["WOML_CAPABILITY_NOT_GRANTED"]);
});

test("a start carries what its tenant had set when it was asked", async () => {
  const tenant = await opened.tenant("bind-start");
  await publishText(tenant, workflow("none", "return 1;").replace(/<imports>.*<\/imports>/, ""));
  const bodyOf = async (): Promise<object> => {
    const { run } = await start(tenant, { workflow: "w" });
    const row = await opened.store.withTenant(tenant.id as never, (scope) => scope.startOf(run.id.slice(4) as never));
    return row?.body as object;
  };
  assert.ok(!("onAmbiguous" in (await bodyOf())));
  await tenant.field("setOnAmbiguous", "mutation { setOnAmbiguous(input: { onAmbiguous: FAIL }) { onAmbiguous } }");
  assert.equal(((await bodyOf()) as { onAmbiguous: string }).onAmbiguous, "fail");
});
