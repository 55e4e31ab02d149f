import assert from "node:assert/strict";
import { test } from "node:test";
import { unseal } from "@woml/boot";
import { asTenantId } from "@woml/run";
import { SECRET_BYTES, SECRETS_MAX } from "../secret.ts";
import { openForFile } from "./opened.ts";

const opened = await openForFile();
const SET = "mutation ($input: SetSecretInput!) { setSecret(input: $input) { secret { name createdAt updatedAt } } }";
const REMOVE = "mutation ($name: String!) { removeSecret(input: { name: $name }) { removed } }";
const LIST = "{ secrets { name createdAt updatedAt } }";
const AUDIT = "{ audit { edges { node { tenant at actor action subject detail } } } }";

interface Seen {
  readonly name: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}
interface Audit {
  readonly edges: readonly { readonly node: { readonly action: string; readonly subject: string; readonly actor: string } }[];
}

test("a secret is set, set anew, listed without its value, and removed; what is stored only the private key opens", async () => {
  const tenant = await opened.tenant("secret");
  const id = asTenantId(tenant.id);
  const { secret } = await tenant.field<{ secret: Seen }>("setSecret", SET, { input: { name: "API_KEY", value: "s3cret-ß" } });
  assert.equal(secret.name, "API_KEY");
  const [first] = [...(await opened.engine.secrets(id, ["API_KEY"])).values()];
  assert.ok(first && !Buffer.from(first).includes("s3cret"));
  assert.equal(unseal(opened.seal.privateKey, { tenant: tenant.id, name: "API_KEY" }, first), "s3cret-ß");
  const again = await tenant.field<{ secret: Seen }>("setSecret", SET, { input: { name: "API_KEY", value: "other" } });
  assert.ok(again.secret.updatedAt >= secret.updatedAt && again.secret.createdAt === secret.createdAt);
  const [second] = [...(await opened.engine.secrets(id, ["API_KEY"])).values()];
  assert.equal(unseal(opened.seal.privateKey, { tenant: tenant.id, name: "API_KEY" }, second ?? new Uint8Array()), "other");
  assert.deepEqual(await tenant.field("secrets", LIST), [again.secret]);
  assert.deepEqual(await tenant.field("removeSecret", REMOVE, { name: "API_KEY" }), { removed: true });
  assert.deepEqual(await tenant.field("removeSecret", REMOVE, { name: "API_KEY" }), { removed: false });
  assert.deepEqual(await tenant.field("secrets", LIST), []);
  const audit = await tenant.field<Audit>("audit", AUDIT);
  assert.deepEqual(
    audit.edges.map(({ node }) => [node.action, node.subject, node.actor]),
    ["secret.remove", "secret.set", "secret.set"].map((action) => [action, "API_KEY", tenant.key.split("_")[1]]),
  );
  assert.ok(!/s3cret|other/.test(JSON.stringify(audit)));
});

test("another tenant sees neither the secret nor the audit of it", async () => {
  const [mine, theirs] = [await opened.tenant("secret-mine"), await opened.tenant("secret-theirs")];
  await mine.field("setSecret", SET, { input: { name: "MINE", value: "x" } });
  assert.deepEqual(await theirs.field("secrets", LIST), []);
  assert.deepEqual(await theirs.field("removeSecret", REMOVE, { name: "MINE" }), { removed: false });
  assert.deepEqual(await theirs.field("audit", AUDIT), { edges: [] });
  assert.equal((await mine.field<readonly Seen[]>("secrets", LIST)).length, 1);
  assert.deepEqual((await opened.admin.ask(LIST)).codes, ["WOML_FORBIDDEN"]);
});

test("names and values are bounded, and no refusal says a value back", async () => {
  const tenant = await opened.tenant("secret-bounds");
  const value = "hunter2";
  for (const name of ["", "1A", "a-b", "a.b", "ä", "A".repeat(129), "A\n"]) {
    const { codes, errors } = await tenant.ask(SET, { input: { name, value } });
    assert.deepEqual(codes, ["WOML_SECRET_NAME_INVALID"], name);
    assert.ok(!JSON.stringify(errors).includes(value));
  }
  for (const bad of ["", "x".repeat(SECRET_BYTES + 1), "ß".repeat(SECRET_BYTES / 2 + 1), "\ud800"])
    assert.deepEqual((await tenant.ask(SET, { input: { name: "A", value: bad } })).codes, ["WOML_SECRET_INVALID"]);
  const inline = (text: string): string => `mutation { setSecret(input: { name: "A", value: ${text} }) { secret { name } } }`;
  const unfit: readonly (readonly [message: RegExp, query: string, variables?: object])[] = [
    [/^Variable "\$input" got an invalid value at "input.value": String cannot/, SET, { input: { name: "A", value: 123_456_789 } }],
    [/^Variable "\$v" got an invalid value: String cannot/, `mutation ($v: String!) ${inline("$v").slice(9)}`, { v: 123_456_789 }],
    [/^String cannot represent a non string value\.$/, inline("hunter2")],
    [/^String cannot represent a non string value\.$/, inline("123456789")],
    [/^String cannot represent a non string value\.$/, inline('{ hunter2: "hunter2; x" }')],
    [/^Syntax Error: Expected Name, found String\.$/, inline('"a" "hunter2"')],
    [/^Syntax Error: Expected Name, found BlockString\.$/, inline('"a" """hun"ter2"""')],
    [/^Syntax Error: Expected Name, found Int\.$/, inline('"a" 123456789')],
  ];
  for (const [message, query, variables] of unfit) {
    const { codes, errors } = await tenant.ask(query, variables);
    assert.deepEqual(codes, ["WOML_QUERY_INVALID"], query);
    assert.match(errors?.[0]?.message ?? "", message);
    assert.ok(!/hunter2|123456789|hun"ter2/.test(JSON.stringify(errors)), JSON.stringify(errors));
  }
  assert.deepEqual((await tenant.ask(SET, { input: { name: "A".repeat(128), value: "x".repeat(SECRET_BYTES) } })).codes, []);
});

test("what a tenant's new runs do where nobody knows an outcome is set, read and audited", async () => {
  const tenant = await opened.tenant("ambiguous");
  const SET_IT = "mutation ($to: OnAmbiguous!) { setOnAmbiguous(input: { onAmbiguous: $to }) { onAmbiguous } }";
  assert.equal(await tenant.field("onAmbiguous", "{ onAmbiguous }"), "ASK");
  assert.deepEqual(await tenant.field("setOnAmbiguous", SET_IT, { to: "FAIL" }), { onAmbiguous: "FAIL" });
  assert.equal(await tenant.field("onAmbiguous", "{ onAmbiguous }"), "FAIL");
  assert.equal(await (await opened.tenant("ambiguous-2")).field("onAmbiguous", "{ onAmbiguous }"), "ASK");
  await tenant.field("setOnAmbiguous", SET_IT, { to: "ASK" });
  assert.equal(await tenant.field("onAmbiguous", "{ onAmbiguous }"), "ASK");
  const { edges } = await tenant.field<Audit>("audit", AUDIT);
  assert.deepEqual(
    edges.map(({ node }) => node.action),
    ["tenant.on_ambiguous", "tenant.on_ambiguous"],
  );
});

test("a tenant has so many secrets and no more, but may set each of them anew", async () => {
  const tenant = await opened.tenant("secret-many");
  await opened.store.withTenant(asTenantId(tenant.id), async (scope) => {
    for (let i = 1; i < SECRETS_MAX; i++) await scope.setSecret(`S${i}`, Uint8Array.of(1));
  });
  const codesOf = async (name: string): Promise<readonly string[]> => (await tenant.ask(SET, { input: { name, value: "x" } })).codes;
  assert.deepEqual([await codesOf("LAST"), await codesOf("MORE"), await codesOf("LAST")], [[], ["WOML_SECRETS_TOO_MANY"], []]);
});
