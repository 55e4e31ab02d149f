import assert from "node:assert/strict";
import { test } from "node:test";
import { canonical, type Definition, type Json } from "@woml/model";
import { asTenantId } from "@woml/run";
import { digestOf } from "../digest.ts";
import { chain, openForFile, publishText, type Tenant } from "./opened.ts";

const opened = await openForFile();
const FIELDS = "id workflow kind version url signal cron timezone everyMs onMissed secrets setting since nextFires";
const LIST = `query ($workflow: ID, $first: Int, $after: String) { triggers(workflow: $workflow, first: $first, after: $after) {
  edges { node { ${FIELDS} } } pageInfo { hasNextPage endCursor } } }`;
const SET = `mutation ($input: SetTriggerInput!) { setTrigger(input: $input) { trigger { ${FIELDS} } } }`;
const ACTIVATE = "mutation ($v: ID!) { activate(input: { version: $v }) { changed workflow { triggers { id } } } }";
const DEFINITION = "query ($id: ID!) { version(id: $id) { definition } }";

interface Seen {
  readonly id: string;
  readonly workflow: string;
  readonly url: string | null;
  readonly secrets: readonly string[];
  readonly setting: Json;
  readonly since: string;
  readonly nextFires: readonly string[];
}
interface Listed {
  readonly edges: readonly { readonly node: Seen }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}
const ALL: Definition["triggers"] = [
  { id: "by-hand", kind: "manual" },
  { id: "each-hour", kind: "interval", everyMs: 3_600_000, onMissed: "skip" },
  { id: "in", kind: "webhook", path: "/orders/in", secret: "TOKEN" },
  { id: "nightly", kind: "schedule", cron: "30 2 * * *", timezone: "America/New_York", onMissed: "run-once" },
  { id: "told", kind: "signal", name: "order.paid" },
  { id: "toldOutside", kind: "signal", name: "order.paid", secret: "TOKEN" },
];

/** Stores a version with these triggers past `publish`, and makes it the active one; answers its id. */
async function bound(tenant: Tenant, workflow: string, triggers: Definition["triggers"], isActive = true): Promise<string> {
  const base = await publishText(tenant, chain(workflow, { s: "return 1;" }), false);
  const { definition } = await tenant.field<{ definition: object }>("version", DEFINITION, { id: base });
  const changed = { ...definition, triggers } as unknown as Json;
  const version = { hash: digestOf(changed), workflow, definition: canonical(changed), source: null, sourceMap: null };
  await opened.store.withTenant(asTenantId(tenant.id), (scope) => scope.publish(version));
  const id = `ver_${version.hash.slice("sha256:".length)}`;
  if (isActive) await tenant.field("activate", ACTIVATE, { v: id });
  return id;
}

test("each trigger of an active version is shown with what starts it, in order, in pages, and below its workflow", async () => {
  const tenant = await opened.tenant("triggers-shown");
  const version = await bound(tenant, "shop", ALL);
  const { edges } = await tenant.field<Listed>("triggers", LIST, { workflow: "shop" });
  const none = { url: null, signal: null, cron: null, timezone: null, everyMs: null, onMissed: null, secrets: [], setting: null };
  const shown = edges.map(({ node: { since, nextFires, ...rest } }) => ({
    ...rest,
    fires: nextFires.length,
    at: !Number.isNaN(Date.parse(since)),
  }));
  const of = (id: string, kind: string, fires: number, own: object) => ({
    ...none,
    id,
    kind,
    workflow: "shop",
    version,
    fires,
    at: true,
    ...own,
  });
  const origin = new URL(opened.url).origin;
  assert.deepEqual(shown, [
    of("by-hand", "manual", 0, {}),
    of("each-hour", "interval", 5, { everyMs: 3_600_000, onMissed: "skip" }),
    of("in", "webhook", 0, { url: `${origin}/t/triggers-shown/hooks/orders/in`, secrets: ["TOKEN"] }),
    of("nightly", "schedule", 5, { cron: "30 2 * * *", timezone: "America/New_York", onMissed: "run-once" }),
    of("told", "signal", 0, { signal: "order.paid" }),
    of("toldOutside", "signal", 0, { signal: "order.paid", url: `${origin}/t/triggers-shown/events/order.paid`, secrets: ["TOKEN"] }),
  ]);
  await bound(tenant, "alone", [{ id: "go", kind: "manual" }]);
  const first = await tenant.field<Listed>("triggers", LIST, { first: 4 });
  assert.deepEqual(
    [first.edges.map(({ node }) => `${node.workflow} ${node.id}`), first.pageInfo.hasNextPage],
    [["alone go", "shop by-hand", "shop each-hour", "shop in"], true],
  );
  const rest = await tenant.field<Listed>("triggers", LIST, { first: 4, after: first.pageInfo.endCursor });
  assert.deepEqual([rest.edges.map(({ node }) => node.id), rest.pageInfo.hasNextPage], [["nightly", "told", "toldOutside"], false]);
  const below = await tenant.field("workflows", "{ workflows { edges { node { id triggers { id } } } } }");
  assert.deepEqual(below, {
    edges: [{ node: { id: "alone", triggers: [{ id: "go" }] } }, { node: { id: "shop", triggers: ALL.map(({ id }) => ({ id })) } }],
  });
  const other = await opened.tenant("triggers-other");
  assert.deepEqual((await other.field<Listed>("triggers", LIST)).edges, []);
});

test("the next fires of an interval stand on the grid of its activation, those of a schedule on its wall times", async () => {
  const tenant = await opened.tenant("triggers-fires");
  await bound(tenant, "shop", ALL);
  const { edges } = await tenant.field<Listed>("triggers", LIST);
  const [hourly, nightly] = ["each-hour", "nightly"].map((id) => edges.find(({ node }) => node.id === id)?.node ?? assert.fail());
  const since = Date.parse(hourly?.since ?? "");
  assert.deepEqual(
    hourly?.nextFires,
    [1, 2, 3, 4, 5].map((n) => new Date(since + n * 3_600_000).toISOString()),
  );
  const wall = new Intl.DateTimeFormat("en-GB", { timeZone: "America/New_York", timeStyle: "short" });
  for (const at of nightly?.nextFires ?? []) assert.equal(wall.format(Date.parse(at)), "02:30");
  const ask = "query ($first: Int) { triggers { edges { node { nextFires(first: $first) } } } }";
  assert.deepEqual((await tenant.ask(ask, { first: 0 })).codes, ["WOML_PAGE_SIZE_INVALID"]);
});

test("what came to a trigger last is shown with it, of a whole list in one question", async () => {
  const tenant = await opened.tenant("triggers-last");
  await bound(tenant, "shop", ALL);
  const id = (n: number) => `019a0000-0000-7000-8000-00000000000${n}`;
  await opened.store.withTenant(asTenantId(tenant.id), async (scope) => {
    const came = { workflow: "shop", kind: "webhook" } as const;
    await scope.deliver({ ...came, id: id(2), trigger: "in", outcome: "refused", code: "WOML_TRIGGER_UNAUTHORIZED" });
    await scope.deliver({ ...came, id: id(1), trigger: "in", outcome: "accepted" });
    await scope.deliver({ ...came, id: id(3), trigger: "gone", outcome: "accepted" });
  });
  const query = "{ triggers { edges { node { id lastDelivery { outcome code } } } } }";
  const { edges } = await tenant.field<{ edges: { node: { id: string; lastDelivery: object | null } }[] }>("triggers", query);
  assert.deepEqual(
    edges.filter(({ node }) => node.lastDelivery !== null).map(({ node }) => node),
    [{ id: "in", lastDelivery: { outcome: "refused", code: "WOML_TRIGGER_UNAUTHORIZED" } }],
  );
});

test("a setting is judged, stored, shown, audited and taken back; it outlives its version and may come before it", async () => {
  const tenant = await opened.tenant("triggers-set");
  const second = await bound(tenant, "shop", [...ALL.slice(0, 4)], false);
  const verification = { scheme: "github", secrets: ["TOKEN", "NEXT"] };
  const set = (trigger: string, setting: unknown) =>
    tenant.field<{ trigger: Seen | null }>("setTrigger", SET, { input: { workflow: "shop", trigger, setting } });
  assert.deepEqual(await set("in", { verification }), { trigger: null });
  await tenant.field("activate", ACTIVATE, { v: second });
  const { edges } = await tenant.field<Listed>("triggers", LIST);
  const webhook = edges.find(({ node }) => node.id === "in")?.node;
  assert.deepEqual([webhook?.setting, webhook?.secrets], [{ verification }, ["TOKEN", "NEXT"]]);
  assert.deepEqual((await set("in", null)).trigger?.setting, null);
  const audit = await tenant.field<{ edges: { node: object }[] }>("audit", "{ audit { edges { node { action subject detail } } } }");
  assert.deepEqual(
    audit.edges.map(({ node }) => node).filter((node) => (node as { action: string }).action === "trigger.set"),
    [
      { action: "trigger.set", subject: "shop in", detail: { setting: null } },
      { action: "trigger.set", subject: "shop in", detail: { setting: { verification } } },
    ],
  );
});

test("a setting that does not belong to its trigger, or to none, is refused with its places, and nothing is written", async () => {
  const tenant = await opened.tenant("triggers-refused");
  await bound(tenant, "shop", ALL);
  const asked = (trigger: string, setting: unknown, workflow = "shop") => tenant.ask(SET, { input: { workflow, trigger, setting } });
  const refused = await asked("nightly", { repeatedHour: "twice", verification: { scheme: "slack", secrets: ["A"] } });
  assert.deepEqual(refused.codes, ["WOML_TRIGGER_SETTING_INVALID"]);
  assert.deepEqual(
    ((refused.errors[0]?.extensions["faults"] ?? []) as { path: string }[]).map(({ path }) => path),
    ["/repeatedHour", "/verification"],
  );
  assert.deepEqual((await asked("nobody", {})).codes, ["WOML_TRIGGER_NOT_FOUND"]);
  assert.deepEqual((await asked("in", {}, "nowhere")).codes, ["WOML_WORKFLOW_NOT_FOUND"]);
  assert.deepEqual((await asked("No Id", {})).codes, ["WOML_ID_INVALID"]);
  assert.deepEqual((await opened.admin.ask(SET, { input: { workflow: "shop", trigger: "in" } })).codes, ["WOML_FORBIDDEN"]);
  const { edges } = await tenant.field<Listed>("triggers", LIST);
  assert.ok(edges.every(({ node }) => node.setting === null));
});

test("another rule moves the next slot, and a slot that is due and was not fired is not lost to it", async () => {
  const tenant = await opened.tenant("triggers-rule");
  await bound(tenant, "shop", [{ id: "often", kind: "schedule", cron: "* * * * *", timezone: "UTC", onMissed: "skip" }]);
  const of = { workflow: "shop", trigger: "often" };
  const set = (setting: unknown) => tenant.field("setTrigger", SET, { input: { ...of, setting } });
  const next = () => opened.store.withTenant(asTenantId(tenant.id), async (scope) => (await scope.trigger(of))?.nextAt ?? assert.fail());
  await set({ repeatedHour: "once" });
  const ahead = (await next()) - Date.now();
  assert.ok(ahead > -1_000 && ahead <= 61_000, `${ahead}`);
  const past = (Math.floor(Date.now() / 60_000) - 1) * 60_000;
  await opened.store.withTenant(asTenantId(tenant.id), (scope) => scope.setTrigger(of, null, past));
  await set({ repeatedHour: "once" });
  assert.equal(await next(), past);
});
