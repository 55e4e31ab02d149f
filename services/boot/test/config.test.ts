import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ConfigRefusal,
  makeSealKeys,
  namesOf,
  printSettings,
  ROLES,
  type Role,
  readSettings,
  SETTINGS,
  type Setting,
  type Sources,
} from "../index.ts";

const SECRET = "s".repeat(32);
const PAIR = makeSealKeys();
const ENGINE = {
  WOML_DATABASE_URL: "postgres://woml_engine:pa%20ss@db:5432/woml",
  WOML_SANDBOX_LINE_SECRET: SECRET,
  WOML_PLUGIN_HOST_LINE_SECRET: "p".repeat(32),
  WOML_SANDBOXES: "woml-sandbox:7331, [::1]:7331",
  WOML_PLUGIN_HOSTS: "127.0.0.1:7332",
  WOML_SEAL_PRIVATE_KEY: PAIR.privateKey,
};
const from = (env: Record<string, string>, more: Partial<Sources> = {}): Sources => ({
  env,
  readFile: (path) => {
    throw Object.assign(new Error(`no ${path}`), { code: "ENOENT" });
  },
  ...more,
});
function faults(role: Role, sources: Sources): readonly string[] {
  try {
    readSettings(role, sources);
  } catch (error) {
    assert.ok(error instanceof ConfigRefusal);
    assert.equal(error.code, "WOML_CONFIG_INVALID");
    return error.faults;
  }
  return [];
}

test("settings are read, with the usual value where none is given", () => {
  const settings = readSettings("engine", from(ENGINE));
  assert.deepEqual(settings.WOML_SANDBOXES, [
    { host: "woml-sandbox", port: 7331 },
    { host: "::1", port: 7331 },
  ]);
  assert.deepEqual(settings.WOML_SANDBOX_LINE_SECRET, [SECRET]);
  assert.equal(settings.WOML_LEASE_MS, 15_000);
  assert.equal(settings.WOML_REDIS_URL, undefined);
  assert.equal(settings.WOML_DATABASE_SET_ROLE, false);
  assert.deepEqual(readSettings("sandbox", from({ WOML_SANDBOX_LINE_SECRET: SECRET })).WOML_LISTEN, { host: "127.0.0.1", port: 7331 });
});

test("a role reads nothing of another's", () => {
  assert.ok(!namesOf("sandbox").some((name) => /DATABASE|REDIS|SEAL|ADMIN|OTEL/.test(name)), namesOf("sandbox").join(" "));
  assert.ok(!namesOf("plugin-host").some((name) => /DATABASE|REDIS|SEAL|ADMIN/.test(name)));
  assert.ok(!namesOf("sandbox").includes("WOML_PLUGIN_HOST_LINE_SECRET"), "out of a sandbox no plugin host can be spoken to");
  assert.ok(!namesOf("control").some((name) => /PRIVATE_KEY|LINE_SECRET/.test(name)));
  assert.deepEqual(
    faults("sandbox", from({ WOML_SANDBOX_LINE_SECRET: SECRET, WOML_DATABASE_URL: "nonsense", WOML_PORT: "tcp://10.0.0.1:7330" })),
    [],
  );
});

test("what is missing or wrong is named, all of it at once, and no secret is quoted", () => {
  const found = faults(
    "engine",
    from({ ...ENGINE, WOML_SANDBOX_LINE_SECRET: "short-and-secret", WOML_LEASE_MS: "soon", WOML_DATABASE_URL: "" }),
  );
  assert.deepEqual(
    found.map((fault) => fault.split(" ")[0]),
    ["WOML_DATABASE_URL", "WOML_SANDBOX_LINE_SECRET", "WOML_LEASE_MS"],
  );
  assert.match(found[0] ?? "", /is not set: PostgreSQL/);
  assert.match(found[2] ?? "", /is not a whole number of 1000 to 300000$/);
  assert.ok(!found.join().includes("short-and-secret"));
});

test("an engine refuses one secret for both kinds of line, also among several", () => {
  const other = "o".repeat(32);
  const found = faults("engine", from({ ...ENGINE, WOML_PLUGIN_HOST_LINE_SECRET: `${other},${SECRET}` }));
  assert.deepEqual(found, ["WOML_PLUGIN_HOST_LINE_SECRET has an entry that WOML_SANDBOX_LINE_SECRET has too"]);
});

const SOUND: { readonly [R in Role]: Readonly<Record<string, string>> } = {
  control: { WOML_DATABASE_URL: "postgres://a@b/c", WOML_SEAL_PUBLIC_KEY: PAIR.publicKey },
  engine: ENGINE,
  sandbox: { WOML_SANDBOX_LINE_SECRET: SECRET },
  "plugin-host": { WOML_PLUGIN_HOST_LINE_SECRET: SECRET },
  migrate: { WOML_DATABASE_URL: "postgres://a@b/c" },
};
/** With "secret" where something opens; none of these is quoted. */
const BAD: readonly (readonly [role: Role, name: string, values: readonly string[], why: RegExp])[] = [
  [
    "control",
    "WOML_LISTEN",
    ["7330", "0.0.0.0:65536", "a b:1", "localhost", ":1", "::1:1", "[:::]:1", "999.1.1.1:1", "a..b:1"],
    /HOST:PORT/,
  ],
  ["control", "WOML_PUBLIC_URL", ["woml.example.com", "ftp://a"], /begins with http/],
  ["control", "WOML_PUBLIC_URL", ["https://a:secret@b", "https://b/?secret=1"], /holds a name or password|goes on after its path/],
  ["control", "WOML_LOG", ["loud"], /none of fatal/],
  ["control", "WOML_DATABASE_URL", ["secret", "mysql://a:secret@b/c", "postgres:", "postgresql:secret"], /begins with postgres:\/\//],
  ["control", "WOML_DATABASE_URL", ["postgres:///secret"], /without a host/],
  ["control", "WOML_DATABASE_URL", ["postgres://a:secret@b", "postgres://a:secret@b/"], /names no database/],
  ["control", "WOML_DATABASE_URL", ["postgres://a:secret%zz@b/c"], /%25/],
  ["control", "WOML_DATABASE_URL", ["postgres://a:secret@b,c/d"], /more than one host/],
  ["migrate", "WOML_CONTROL_DATABASE_URL", ["postgres://woml_control:secret%@b/c"], /%25/],
  ["control", "WOML_DATABASE_SET_ROLE", ["true"], /none of on, off/],
  ["control", "WOML_REDIS_URL", ["http://secret", "redis:secret"], /redis:\/\//],
  ["control", "WOML_REDIS_URL", ["redis://:secret@", "redis:///0"], /redis:\/\/|host/],
  ["control", "WOML_REDIS_URL", ["redis://:secret@a/woml", "redis://a/0/1"], /no number/],
  ["control", "WOML_DRAIN_DELAY_MS", ["-1"], /whole number/],
  ["control", "WOML_GRACE_MS", ["1e3"], /whole number/],
  ["control", "OTEL_EXPORTER_OTLP_ENDPOINT", ["collector:4318", "http://"], /http:\/\//],
  ["control", "OTEL_EXPORTER_OTLP_ENDPOINT", ["http://a:secret@b:4318"], /headers are the place/],
  ["control", "OTEL_EXPORTER_OTLP_HEADERS", ["secret", "=secret", "a=secret,b"], /name=value/],
  ["control", "WOML_SEAL_PUBLIC_KEY", ["two words", "secret", PAIR.privateKey], /public key of a pair/],
  ["engine", "WOML_SEAL_PRIVATE_KEY", ["secret", PAIR.publicKey], /private key of a pair/],
  ["engine", "WOML_SANDBOXES", ["a:0", "a:1,b:0"], /port 0/],
  ["plugin-host", "WOML_PRIVATE_HOSTS", ["10.0.0.1", "http://a:1", "10.0.0.0/8", "a:1,"], /HOST:PORT/],
  ["plugin-host", "WOML_OWN_HOSTS", ["a/b", "http://a", "a,,b", "a:99999"], /neither a host/],
  ["plugin-host", "WOML_STATE_DIR", ["tmp", "./tmp"], /begins with \//],
];
for (const [role, name, values, why] of BAD)
  for (const value of values)
    test(`${role}: ${name}=${value.slice(0, 40)} is refused by its name`, () => {
      const found = faults(role, from({ ...SOUND[role], [name]: value }));
      assert.equal(found.length, 1, found.join());
      assert.ok(found[0]?.startsWith(`${name} `));
      assert.match(found[0] ?? "", why);
      assert.ok(!found[0]?.includes("secret") && !found[0]?.includes(PAIR.privateKey));
    });

test("places are taken in each of their forms", () => {
  const of = (role: Role, env: Record<string, string>) => faults(role, from({ ...SOUND[role], ...env }));
  for (const WOML_DATABASE_URL of [
    "postgresql://u:p%25@[::1]:5432/w?sslmode=require",
    "postgres://u@db.example./w",
    "postgres:///w?host=/run/pg",
  ])
    assert.deepEqual(of("control", { WOML_DATABASE_URL }), []);
  for (const WOML_REDIS_URL of ["redis://r", "rediss://u:p@r:6380/3", "redis://[::1]:6379/"])
    assert.deepEqual(of("control", { WOML_REDIS_URL }), []);
  for (const WOML_LISTEN of ["[::]:7331", "my_sandbox:0", "a-b.c.svc.cluster.local.:1"])
    assert.deepEqual(of("sandbox", { WOML_LISTEN }), []);
  const env = { WOML_PRIVATE_HOSTS: "Ledger.internal:80, [::1]:443", WOML_OWN_HOSTS: "db, DB:5432, 10.0.0.1, [::1]" };
  const read = readSettings("plugin-host", from({ ...SOUND["plugin-host"], ...env }));
  assert.deepEqual(read.WOML_PRIVATE_HOSTS, ["ledger.internal:80", "[::1]:443"]);
  assert.deepEqual(read.WOML_OWN_HOSTS, ["db", "db:5432", "10.0.0.1", "[::1]"]);
});

test("a secret may come from a file, without the line break at its end; not from both", () => {
  const files: Record<string, string> = { "/run/line": `${SECRET}\n` };
  const readFile = (path: string): string => files[path] ?? assert.fail(path);
  const settings = readSettings("sandbox", from({ WOML_SANDBOX_LINE_SECRET_FILE: "/run/line" }, { readFile }));
  assert.deepEqual(settings.WOML_SANDBOX_LINE_SECRET, [SECRET]);
  const both = faults("sandbox", from({ WOML_SANDBOX_LINE_SECRET_FILE: "/run/line", WOML_SANDBOX_LINE_SECRET: SECRET }, { readFile }));
  assert.match(both.join(), /WOML_SANDBOX_LINE_SECRET is given twice/);
  assert.match(faults("sandbox", from({ WOML_SANDBOX_LINE_SECRET_FILE: "/run/none" })).join(), /the file \/run\/none \(ENOENT\)/);
});

test("a file of settings: the environment goes before it, and it holds nothing else", () => {
  const file = { path: "woml.json", text: JSON.stringify({ WOML_SANDBOX_LINE_SECRET: SECRET, WOML_GRACE_MS: 7, WOML_LOG: "debug" }) };
  const settings = readSettings("sandbox", from({ WOML_LOG: "error" }, { file }));
  assert.equal(settings.WOML_GRACE_MS, 7);
  assert.equal(settings.WOML_LOG, "error");
  const strange = { path: "woml.json", text: JSON.stringify({ WOML_SANDBOX_LINE_SECRETS: SECRET, WOML_GRACE_MS: [1] }) };
  const found = faults("sandbox", from({ WOML_SANDBOX_LINE_SECRET: SECRET }, { file: strange }));
  assert.match(found.join("\n"), /WOML_GRACE_MS in woml.json is neither/);
  assert.match(found.join("\n"), /WOML_SANDBOX_LINE_SECRETS is no setting/);
  assert.match(
    faults("sandbox", from({ WOML_SANDBOX_LINE_SECRET: SECRET }, { file: { path: "w", text: "[" } })).join(),
    /w is not a JSON object/,
  );
});

test("what is printed hides every secret and says where a value comes from", () => {
  const env: Record<string, string> = {};
  for (const [name, one] of Object.entries(SETTINGS) as [string, Setting<unknown>][]) env[name] = one.isSecret ? "CANARY" : "shown";
  for (const role of ROLES) {
    const lines = printSettings(role, from(env));
    assert.equal(lines.length, namesOf(role).length);
    assert.ok(!lines.join("\n").includes("CANARY"), role);
  }
  const refused = printSettings("engine", from({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://me:CANARY@collector:4318" }));
  assert.ok(refused.includes("OTEL_EXPORTER_OTLP_ENDPOINT=http://***@collector:4318 # environment"));
  const lines = printSettings("engine", from(ENGINE));
  assert.ok(lines.includes("WOML_SANDBOX_LINE_SECRET=*** # environment"));
  assert.ok(lines.includes("WOML_LEASE_MS=15000 # usual"));
  assert.ok(lines.includes("WOML_REDIS_URL= # not set"));
});

test("every setting that could open something is marked as a secret", () => {
  for (const [name, one] of Object.entries(SETTINGS) as [string, Setting<unknown>][])
    if (/DATABASE_URL|REDIS_URL|SECRET|PRIVATE_KEY|ADMIN_KEY|HEADERS/.test(name)) assert.equal(one.isSecret, true, name);
});
