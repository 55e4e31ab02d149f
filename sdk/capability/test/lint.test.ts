import assert from "node:assert/strict";
import { test } from "node:test";
import { definePlugin, faults, type Manifest, manifestOf, operation, type Plugin, readManifest, Type } from "../index.ts";
import { patternFault } from "../lint/pattern.ts";

const input = Type.Object({ amount: Type.Integer({ minimum: 1 }) }, { additionalProperties: false });
const output = Type.Object({ id: Type.String() }, { additionalProperties: false });
const idempotency = { header: "Idempotency-Key", windowHours: 24 };
const status = { conclusiveNotFoundAfterMs: 60_000, pendingMaxMs: 60_000 };
const charge = operation({ effect: "keyed", idempotency, input, output, perform: ({ amount }, call) => ({ id: `${call.key}${amount}` }) });
const plugin: Plugin = {
  id: "acme.payments",
  version: "1.0.0",
  publisher: "Acme",
  permissions: {
    network: [{ host: "payments.acme.example", ports: [443], methods: ["GET", "POST"], reason: "its API" }],
    secrets: [{ name: "ACME_API_KEY", reason: "signs in" }],
  },
  operations: { charge },
};
const good = manifestOf(plugin);

function complaints(change: (manifest: Manifest) => unknown): readonly string[] {
  const copy = structuredClone(good);
  change(copy);
  const read = readManifest(copy);
  return "complaints" in read ? read.complaints : [];
}

test("a good manifest is read as it is, with defaults, as plain JSON", () => {
  assert.deepEqual(readManifest(good), { manifest: good });
  assert.deepEqual(JSON.parse(JSON.stringify(good)), good);
  const { timeoutMs, maxInputBytes, maxOutputBytes } = good.operations["charge"] ?? {};
  assert.deepEqual([good.contract, good.manifestVersion, timeoutMs, maxInputBytes, maxOutputBytes], [1, 1, 30_000, 1_048_576, 1_048_576]);
  assert.deepEqual(manifestOf(plugin), good);
});

const op = (change: (operation: Record<string, unknown>) => unknown) => (manifest: Manifest) =>
  change(manifest.operations["charge"] as never);
const host = (name: string) => (manifest: Manifest) => Object.assign(manifest.permissions.network?.[0] ?? {}, { host: name });
const schema = (part: unknown) => op((one) => Object.assign(one, { input: part }));

const refused: Readonly<Record<string, readonly [(manifest: Manifest) => unknown, RegExp]>> = {
  "another contract": [(m) => Object.assign(m, { contract: 2 }), /contract 2/],
  "an unknown member": [(m) => Object.assign(m, { runtime: "x" }), /runtime/],
  "an id with capitals": [(m) => Object.assign(m, { id: "Acme" }), /id/],
  "a version that is none": [(m) => Object.assign(m, { version: "1.0" }), /version/],
  "no operation": [(m) => Object.assign(m, { operations: {} }), /operations/],
  "an operation with an impossible name": [(m) => Object.assign(m.operations, { "a b": m.operations["charge"] }), /a b/],
  "keyed without idempotency": [op((one) => delete one["idempotency"]), /nobody knows/],
  "reattachable without status": [op((one) => Object.assign(one, { effect: "reattachable" })), /without status/],
  "status without reattachable": [op((one) => Object.assign(one, { status })), /reattachable only/],
  "idempotency of an unsafe operation": [op((one) => Object.assign(one, { effect: "unsafe" })), /keyed and reattachable only/],
  "an unknown class": [op((one) => Object.assign(one, { effect: "safe" })), /effect/],
  "a time-out of an hour": [op((one) => Object.assign(one, { timeoutMs: 3_600_000 })), /timeoutMs/],
  "a pointer that is none": [
    op((one) =>
      Object.assign(one, { effect: { table: [{ when: { pointer: "a~2", present: true }, effect: "keyed" }], default: "unsafe" } }),
    ),
    /no JSON pointer/,
  ],
  "a header that is none": [op((one) => Object.assign(one, { idempotency: { ...idempotency, header: "a b" } })), /no header's name/],
  "write methods of a plugin that is pure": [
    op((one) => {
      one["effect"] = "pure";
      delete one["idempotency"];
    }),
    /POST could not be/,
  ],
  "a star": [host("*"), /own plugins/],
  "a star above one label": [host("*.example"), /two labels/],
  "a star in the middle": [host("api.*.example.com"), /no host/],
  "a star above a public suffix": [host("*.co.uk"), /strangers/],
  "a host with a port": [host("acme.example:443"), /no host/],
  "a host with a scheme": [host("https://acme.example"), /no host/],
  "a host in capitals": [host("Acme.example"), /no host/],
  "a host with a dot at its end": [host("acme.example."), /no host/],
  "a secret named twice": [(m) => m.permissions.secrets?.push({ name: "ACME_API_KEY", reason: "again" }), /twice/],
  "a remote $ref": [schema({ $ref: "https://acme.example/schema.json" }), /same schema/],
  "a remote $ref deep inside": [schema({ properties: { $ref: { items: [{ $ref: "other.json#/a" }] } } }), /same schema/],
  "a schema without end": [schema({ $ref: "#" }), /cannot be followed/],
  "a type that JSON has not": [schema({ type: "bigint" }), /none of JSON's/],
  "a member of the schema library's own": [schema({ "~refine": [] }), /~refine/],
  "a format nobody checks": [schema({ format: "idn-email" }), /not checked/],
  "a costly pattern": [schema({ properties: { a: { pattern: "^(a+)+$" } } }), /within a repetition/],
  "a costly pattern of names": [schema({ patternProperties: { "(a|a)*": {} } }), /within a repetition/],
  "schemas nested without end": [schema(Array.from({ length: 80 }).reduce<object>((items) => ({ items }), {})), /deep/],
};
for (const [name, [change, expected]] of Object.entries(refused)) {
  test(`refused: ${name}`, () => assert.match(complaints(change).join("\n"), expected));
}

const accepted: Readonly<Record<string, (manifest: Manifest) => unknown>> = {
  "a wildcard below a domain": host("*.acme.example"),
  "an address": host("127.0.0.1"),
  "a local $ref": schema({ $defs: { a: { type: "string" } }, $ref: "#/$defs/a" }),
  "a recursive schema": schema(JSON.parse(JSON.stringify(Type.Cyclic({ A: Type.Object({ next: Type.Optional(Type.Ref("A")) }) }, "A")))),
  "a property named pattern, $ref, format and type": schema({
    properties: { pattern: {}, $ref: {}, format: {}, type: { type: "string" } },
  }),
  "enumerated objects that look like schemas": schema({ enum: [{ $ref: "http://x" }] }),
  "a star of the platform's own": (m) => Object.assign(m, { id: "http" }) && host("*")(m),
};
for (const [name, change] of Object.entries(accepted)) test(`accepted: ${name}`, () => assert.deepEqual(complaints(change), []));

test("definePlugin throws every complaint, and looks at functions too", () => {
  const reattach = () => ({ status: "not_found" }) as const;
  assert.equal(definePlugin(plugin), plugin);
  const broken = { ...charge, effect: "reattachable", status } as const;
  assert.throws(() => definePlugin({ ...plugin, operations: { charge: broken } }), /has a status and no reattach/);
  assert.throws(() => definePlugin({ ...plugin, version: "1", id: "A", operations: { charge: { ...charge, reattach } } }), /version/);
  definePlugin({ ...plugin, operations: { charge: { ...broken, reattach } } });
});

const patterns: readonly (readonly [string, number | undefined, boolean])[] = [
  ["^.*$", undefined, true],
  ["^[a-z][a-z0-9-]*$", undefined, true],
  [".*", undefined, false],
  ["a", 4_096, true],
  ["^[^@]+@[^@]+$", undefined, false],
  ["^[^@]+@[^@]+$", 254, true],
  ["^\\d+\\.\\d+\\.\\d+$", 64, true],
  ["^\\d+\\.\\d+\\.\\d+$", 1_000, false],
  ["^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$", undefined, true],
  ["^-?\\d{1,18}(?:\\.\\d{1,9})?$", undefined, true],
  ["^(red|green|blue)$", undefined, true],
  ["^(a|aa)+$", 10, false],
  ["^(a?){50}a{50}$", 100, false],
  ["^(?<x>a+)*$", 100, false],
  ["^(a)\\1$", 10, false],
  ["^a\\\\1$", 10, true],
  ["^(", 10, false],
  [`^${"a".repeat(256)}$`, 10, false],
  ["^\\p{L}{1,40}$", undefined, true],
  ["^\\u{41}[)\\]|(]{2}$", undefined, true],
  ["^a|b+c+$", 3_000, false],
  ["^a{1,9}a{1,9}a{1,9}a{1,9}a{1,9}a{1,9}a{1,9}a{1,9}$", 64, false],
];
for (const [pattern, maxLength, fine] of patterns) {
  test(`pattern ${pattern} of ${maxLength ?? "any"} is ${fine ? "" : "not "}taken`, () => {
    assert.equal(patternFault(pattern, maxLength) === null, fine, patternFault(pattern, maxLength) ?? "");
  });
}

test("faults names each place once, and unions as one", () => {
  const raw = JSON.parse(JSON.stringify(Type.Object({ a: input, b: Type.Optional(Type.Union([Type.Literal("x"), Type.Number()])) })));
  assert.deepEqual(faults(raw, { a: { amount: 1 }, b: "x" }), []);
  const told = faults(raw, { a: { amount: 0, extra: 1 }, b: true });
  assert.deepEqual(told.toSorted(), ["/a/amount: must be >= 1", "/a/extra: unknown member", "/b: must match a schema in anyOf"]);
  assert.deepEqual(faults(raw, 5), ["the value: must be object"]);
  assert.ok(
    faults(
      { type: "array", items: { type: "string" } },
      Array.from({ length: 1_000 }, () => 1),
    ).length <= 20,
  );
  assert.deepEqual(faults({ anyOf: [{ type: "string" }] }, 1), ["the value: must match a schema in anyOf"]);
});

test("a text that is too long is never matched against its pattern", () => {
  const costly = { type: "string", maxLength: 60, pattern: "^([a-z]+)+$" };
  const before = process.cpuUsage();
  assert.deepEqual(faults(costly, `${"a".repeat(5_000)}!`), ["the value: must not have more than 60 characters"]);
  assert.ok(process.cpuUsage(before).user < 1_000_000);
});
