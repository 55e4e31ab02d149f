// Two tenants that hold rows under the very same ids. Whatever one asks, in any order and at once, it gets its own rows, or nothing.
import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { asRunId, asTenantId, type RunId, type TenantId } from "@woml/run";
import { Client } from "pg";
import type { ControlStore, NewRelease, TenantScope } from "../control-store.ts";
import { openControlStore } from "../postgres-control.ts";
import { type Database, openDatabase } from "./database.ts";

interface Side {
  readonly tenant: TenantId;
  readonly mark: string;
  /** Only this side has them. */
  readonly own: { readonly run: RunId; readonly hash: string; readonly workflow: string; readonly label: string };
}
const SHARED_RUN = asRunId("00000000-0000-7000-8000-0000000000ff");
const digestOf = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;
const mint = (): RunId => asRunId(randomUUID());

let database: Database;
let store: ControlStore;
let sides: readonly [Side, Side];
before(async () => {
  database = await openDatabase();
  store = await openControlStore(database.control);
  sides = [await side("left"), await side("right")];
});
after(async () => {
  await store.close();
  await database.close();
});

async function side(mark: string): Promise<Side> {
  const tenant = asTenantId(randomUUID());
  const own = { run: mint(), hash: digestOf(JSON.stringify(mark)), workflow: `flow-${mark}`, label: mark };
  await store.createTenant({ id: tenant, name: mark }, { id: `key-${mark}`, digest: new Uint8Array(32), scopes: ["tenant"] });
  await store.withTenant(tenant, async (scope) => {
    for (const [hash, workflow] of [
      ["hash", "flow"],
      [own.hash, own.workflow],
    ] as const)
      await publish(scope, { hash, workflow, mark });
  });
  await store.withTenant(tenant, async (scope) => {
    await scope.setSecret(`SECRET_${mark}`, Buffer.from(mark));
    await scope.record({ id: randomUUID(), actor: mark, action: mark, subject: mark, detail: { mark } });
    await scope.submitRelease(releaseOf(own.hash, mark));
    if (mark === "left") await scope.setOnAmbiguous("fail");
  });
  await database.ask(
    "INSERT INTO door_secret (tenant, door, name, sealed, set_at) SELECT tenant, $2, name, sealed, updated_at FROM secret WHERE tenant = $1",
    [tenant, SHARED_RUN],
  );
  await store.asAdmin((scope) => scope.grant(tenant, mark, mark));
  await store.asAdmin((scope) => scope.setQuota(tenant, "starts_per_second", 1_000));
  for (const run of [SHARED_RUN, own.run])
    await store.submit(tenant, { id: run, run, scope: "start:flow", key: run, digest: mark, body: { kind: "start", mark } });
  for (const run of [SHARED_RUN, own.run]) {
    const values = [tenant, run, mark];
    await database.ask(
      "INSERT INTO run (tenant, id, workflow, version, labels, status, head, at) VALUES ($1, $2, 'flow', $3, ARRAY[$3], 'failed', 1, 1)",
      values,
    );
    await database.ask(
      "INSERT INTO run_event (tenant, run, seq, type, shape, at, append, data) VALUES ($1, $2, 1, $3::text, 1, 1, $1, json_build_object('mark', $3::text))",
      values,
    );
    await database.ask(
      "INSERT INTO run_event (tenant, run, seq, type, shape, at, append, data) VALUES ($1, gen_random_uuid(), 1, $2, 1, 1, $1, '{}')",
      [tenant, mark],
    );
    await database.ask("INSERT INTO timer (tenant, run, subject, kind, due_at) VALUES ($1, $2, $3, 'retry', 1)", values);
  }
  return { tenant, mark, own };
}

async function publish(
  scope: TenantScope,
  { hash, workflow, mark }: { readonly hash: string; readonly workflow: string; readonly mark: string },
): Promise<void> {
  const modules = [{ digest: hash, text: mark }];
  await scope.publish({ hash, workflow, definition: JSON.stringify(mark), source: mark, sourceMap: mark, modules });
  const common = { spec: mark, secrets: [mark], nextAt: null };
  await scope.activate(workflow, hash, [
    { trigger: "hook", kind: "webhook", route: `/${workflow}`, ...common },
    { trigger: "heard", kind: "signal", route: workflow, ...common },
  ]);
  await scope.setLane(workflow, { most: 1, rate: null, queue: mark });
  await scope.setTrigger({ workflow, trigger: "hook" }, mark);
  const id = idOf(workflow);
  await scope.deliver({ id, workflow, trigger: "hook", kind: "webhook", outcome: "rejected", payload: mark });
}

/** Shaped like a UUID, and the same for the same text. */
function idOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const releaseOf = (digest: string, mark: string): NewRelease => ({
  ...{ digest, capability: `acme.${mark}`, version: "1.0.0", manifest: JSON.stringify(mark), artefact: Buffer.from(mark) },
  ...{ manifestDigest: mark, artefactDigest: mark, submittedBy: mark },
});

/** Every function of the scope that reads, with ids that both sides have, and with those of one side only. */
type Question = (scope: TenantScope, of: Side["own"]) => Promise<unknown>;
const page = { first: 50, after: null };
const QUESTIONS: Readonly<Record<string, Question>> = {
  tenantRow: (scope) => scope.tenantRow(),
  workflow: (scope, of) => scope.workflow(of.workflow),
  workflows: (scope) => scope.workflows(page),
  "workflows after": (scope, of) => scope.workflows({ first: 50, after: of.workflow }),
  version: (scope, of) => scope.version(of.hash),
  versionsByHash: async (scope, of) => [...(await scope.versionsByHash([of.hash]))],
  intact: async (scope, of) => [...(await scope.intact([of.hash]))],
  modules: async (scope, of) => [...(await scope.modules([of.hash]))],
  versions: (scope, of) => scope.versions(of.workflow, page),
  "versions after": (scope, of) => scope.versions("flow", { first: 50, after: of.hash }),
  startOf: (scope, of) => scope.startOf(of.run),
  startedIn: async (scope) => [...(await scope.startedIn(["start:flow"]))],
  unadmitted: async (scope) => (await scope.unadmitted({ workflow: null, status: null, label: null }, page)).items,
  "unadmitted by label": async (scope, of) =>
    (await scope.unadmitted({ workflow: "flow", status: ["queued"], label: of.label }, page)).items,
  run: (scope, of) => scope.run(of.run),
  runs: (scope) => scope.runs({ workflow: null, status: null, label: null }, page),
  "runs after": (scope, of) => scope.runs({ workflow: "flow", status: ["failed"], label: null }, { first: 50, after: of.run }),
  "runs by label": (scope, of) => scope.runs({ workflow: null, status: null, label: of.label }, page),
  rowless: (scope) => scope.rowless({ ...page, until: null }),
  events: (scope, of) => scope.events([{ run: of.run, after: 0, limit: 50, maxBytes: 1e6 }]),
  ends: async (scope, of) => [...(await scope.ends([of.run]))],
  findings: (scope) => scope.findings(50),
  timers: async (scope, of) => [...(await scope.timers([of.run]))],
  secrets: (scope) => scope.secrets(),
  doorSecrets: async (scope) => {
    const found = await scope.doorSecrets(SHARED_RUN, ["SECRET_left", "SECRET_right"]);
    return found.map(({ sealed }) => Buffer.from(sealed).toString());
  },
  triggers: async (scope, of) => (await scope.triggers([of.workflow], page)).items,
  "triggers after": async (scope, of) => (await scope.triggers(null, { first: 50, after: `${of.workflow}/` })).items,
  trigger: (scope, of) => scope.trigger({ workflow: of.workflow, trigger: "hook" }),
  webhook: (scope, of) => scope.webhook(`/${of.workflow}`),
  subscribers: (scope, of) => scope.subscribers(of.workflow),
  subscribersBy: (scope, of) => scope.subscribersBy(of.workflow, [of.label]),
  signalSecrets: (scope, of) => scope.signalSecrets(of.workflow),
  deliveries: (scope, of) => scope.deliveries({ workflow: of.workflow, trigger: null }, page),
  lastDeliveries: (scope, of) => scope.lastDeliveries([{ workflow: of.workflow, trigger: "hook" }]),
  delivery: (scope, of) => scope.delivery(idOf(of.workflow)),
  lanes: (scope, of) => scope.lanes(of.workflow),
  place: (scope, of) => scope.place(of.run),
  quotas: (scope) => scope.quotas(),
  onAmbiguous: (scope) => scope.onAmbiguous(),
  releases: (scope) => scope.releases(page),
  audit: (scope) => scope.audit(page),
  offers: async (scope) => [...(await scope.offers(["left", "right"])).granted],
};
/** Of the platform's, not of a tenant's. */
const NOBODYS = ["now", "release"];
const WRITING = [
  ...[
    "publish",
    "activate",
    "setTrigger",
    "setLane",
    "deliver",
    "submit",
    "fanOut",
    "announce",
    "record",
    "setSecret",
    "removeSecret",
    "setOnAmbiguous",
    "submitRelease",
  ],
];
const SHARED: Side["own"] = { run: SHARED_RUN, hash: "hash", workflow: "flow", label: "hash" };
/** What a question answers when nothing is found: by id null or empty; a list shows the asker's own. */
const LISTS = new Set([
  ...["tenantRow", "workflows", "workflows after", "runs", "runs after", "rowless"],
  ...[
    "secrets",
    "doorSecrets",
    "quotas",
    "onAmbiguous",
    "releases",
    "audit",
    "offers",
    "startedIn",
    "unadmitted",
    "unadmitted by label",
    "findings",
  ],
]);

test("every reading function is asked", async () => {
  const asked = new Set(Object.keys(QUESTIONS).map((name) => name.split(" ")[0]));
  await store.withTenant(sides[0].tenant, async (scope) => {
    const reading = Object.keys(scope).filter((name) => !["tenant", ...WRITING, ...NOBODYS].includes(name));
    assert.deepEqual(
      reading.filter((name) => !asked.has(name)),
      [],
    );
  });
});

/** Enough for every session of the store to have others' behind it, and so few that none waits long for a session on a busy machine. */
const AT_ONCE = 40;

test("400 questions, 40 at once, with shared and with the other's ids: no answer holds a mark of the other side", async () => {
  const names = Object.keys(QUESTIONS);
  const asks = Array.from({ length: 400 }, (_, n) => {
    const me = sides[n % 2] ?? sides[0];
    const other = sides[(n + 1) % 2] ?? sides[1];
    const name = names[(n >> 1) % names.length] ?? "";
    const with_ = [SHARED, me.own, other.own][(n >> 3) % 3] ?? SHARED;
    return { me, other, name, of: with_ };
  });
  const left = asks.values();
  const asking = Array.from({ length: AT_ONCE }, async () => {
    for (const asked of left) await answered(asked);
  });
  await Promise.all(asking);
  async function answered({ me, other, name, of }: (typeof asks)[number]): Promise<void> {
    const text = await store.withTenant(me.tenant, async (scope) => JSON.stringify(await QUESTIONS[name]?.(scope, of)));
    const told = `${me.mark} asks ${name}: ${text}`;
    assert.ok(!text.includes(other.tenant), told);
    assert.ok(!text.replaceAll(of.hash, "").replaceAll(of.workflow, "").includes(other.mark), told);
  }
});

test("by an id that only the other side has, nothing is found; its owner finds it", async () => {
  const [me, other] = sides;
  for (const [name, ask] of Object.entries(QUESTIONS)) {
    if (LISTS.has(name)) continue;
    const empty = await store.withTenant(me.tenant, (scope) => ask(scope, other.own));
    assert.match(JSON.stringify(empty), /^(null|\[\]|\[\[\]\]|\{"items":\[\],"hasNext":false\})$/, name);
    if (name === "versions after") continue;
    const twin = await store.withTenant(other.tenant, (scope) => ask(scope, other.own));
    assert.doesNotMatch(JSON.stringify(twin), /^(null|\[\]|\[\[\]\]|\{"items":\[\],"hasNext":false\})$/, name);
  }
});

test("the same hash, key and id written by both stay two rows", async () => {
  const key = { id: randomUUID(), run: mint(), scope: "start:flow", key: "same", digest: "d", body: { kind: "start" } };
  const made = await Promise.all(sides.map(({ tenant }) => store.submit(tenant, key)));
  assert.deepEqual(
    made.map(({ created }) => created),
    [true, true],
  );
  const versions = await Promise.all(sides.map(({ tenant }) => store.withTenant(tenant, (scope) => scope.version("hash"))));
  assert.deepEqual(
    versions.map((version) => version?.source),
    ["left", "right"],
  );
});

test("below the store: a session without a tenant sees nothing, and nobody writes for another", async () => {
  const client = new Client({ connectionString: database.control });
  await client.connect();
  const tables = [
    ...["tenant", "api_key", "workflow", "definition_version", "request", "run", "run_event", "timer"],
    ...["secret", "plugin_grant", "audit_entry", "trigger_binding", "trigger_setting", "delivery", "lane", "quota"],
  ];
  for (const table of tables) assert.equal((await client.query(`SELECT FROM ${table}`)).rowCount, 0, table);
  await client.query("SELECT set_config('app.tenant', $1, false)", [sides[0].tenant]);
  for (const table of tables) {
    const column = table === "tenant" ? "id" : "tenant";
    const { rows } = await client.query(`SELECT DISTINCT ${column}::text AS tenant FROM ${table}`);
    assert.deepEqual(rows, [{ tenant: sides[0].tenant }], table);
  }
  const foreign = [
    "INSERT INTO workflow (tenant, id) VALUES ($1, 'x')",
    "INSERT INTO api_key (tenant, id, digest, created_at) VALUES ($1, 'x', '', 1)",
    "INSERT INTO request (tenant, id, kind, scope, digest, run, body, created_at) VALUES ($1, $1, 'start', '', '', $1, '{}', 1)",
    "INSERT INTO definition_version (tenant, hash, workflow, schema_version, definition, created_at) VALUES ($1, 'x', 'x', 1, '{}', 1)",
    "INSERT INTO tenant (id, name, created_at) VALUES ($1, 'x', 1)",
    "INSERT INTO secret (tenant, name, sealed, created_at, updated_at) VALUES ($1, 'x', '', 1, 1)",
    "INSERT INTO audit_entry (tenant, id, at, actor, action, subject, detail) VALUES ($1, $1, 1, '', '', '', '{}')",
    `INSERT INTO plugin_release (digest, capability, version, manifest, manifest_digest, artefact_digest, artefact, submitted_by, submitter, created_at)
      VALUES ('x', 'x', 'x', 'x', 'x', 'x', 'x', 'x', $1, 1)`,
  ];
  for (const statement of foreign) await assert.rejects(client.query(statement, [sides[1].tenant]), { code: "42501" }, statement);
  // Nobody but the administrator says what may be run, not for himself either.
  const own = [
    "INSERT INTO plugin_grant (tenant, capability, granted_by, at) VALUES ($1, 'x', 'x', 1)",
    "INSERT INTO plugin_approval (release, capability, version, artefact_digest, manifest_digest, reviewer, at) SELECT 'x', 'x', 'x', 'x', 'x', 'x', 1 WHERE $1::uuid IS NOT NULL",
    "INSERT INTO plugin_revocation (release, by, at, reason) SELECT 'x', 'x', 1, 'x' WHERE $1::uuid IS NOT NULL",
  ];
  for (const statement of own) await assert.rejects(client.query(statement, [sides[0].tenant]), { code: "42501" }, statement);
  assert.equal((await client.query("DELETE FROM plugin_grant")).rowCount, 0);
  assert.equal((await client.query("DELETE FROM secret WHERE tenant = $1", [sides[1].tenant])).rowCount, 0);
  assert.equal((await client.query("UPDATE workflow SET active = 'x' WHERE tenant = $1", [sides[1].tenant])).rowCount, 0);
  await client.query("SELECT set_config('app.tenant', '', false)");
  assert.equal((await client.query("SELECT FROM run")).rowCount, 0);
  await client.end();
});
