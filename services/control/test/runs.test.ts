import assert from "node:assert/strict";
import { test } from "node:test";
import { ANSWER_BYTES } from "../reads.ts";
import { chain, openForFile, publishText, start, type Tenant } from "./opened.ts";

const opened = await openForFile();
const { player } = opened;

interface Edge<T> {
  readonly edges: readonly { readonly cursor: string; readonly node: T }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}
interface Seen {
  readonly id: string;
  readonly status: string;
  readonly payload: unknown;
  readonly result: unknown;
  readonly failure: { readonly code: string } | null;
  readonly waiting: { readonly cause: string; readonly reason?: string } | null;
  readonly endedAt: string | null;
  readonly steps: Edge<{
    readonly id: string;
    readonly status: string;
    readonly output: unknown;
    readonly attempts: readonly { readonly number: number }[];
  }>;
  readonly events: Edge<{ readonly seq: number; readonly type: string; readonly data: Readonly<Record<string, unknown>> }>;
}
const FIELDS = `id status payload result failure waiting createdAt endedAt labels
  steps { edges { cursor node { id status output attempts { number outcome failure startedAt endedAt cpuMs } } } pageInfo { hasNextPage endCursor } }
  events(first: 4) { edges { cursor node { seq type at data } } pageInfo { hasNextPage endCursor } }`;
const RUN = `query ($id: ID!) { run(id: $id) { ${FIELDS} } }`;
const RUNS = `query ($first: Int, $after: String, $workflow: ID, $status: [RunStatus!], $label: String) {
  runs(first: $first, after: $after, workflow: $workflow, status: $status, label: $label) { edges { cursor node { ${FIELDS} } } pageInfo { hasNextPage endCursor } } }`;
const CANCEL = "mutation ($run: ID!) { cancelRun(input: { run: $run }) { run { status } } }";
const VERIFY =
  "query ($first: Int, $after: String) { verify(first: $first, after: $after) { edges { cursor node { run tenant ok differences } } pageInfo { hasNextPage endCursor } } }";
type Verified = Edge<{ readonly run: string; readonly tenant: string; readonly ok: boolean; readonly differences: readonly string[] }>;

async function admitted(tenant: Tenant, input: object = {}, over: object = {}): Promise<string> {
  const { run } = await start(tenant, { workflow: "w", ...input });
  await player.admit(run.id, "s", over);
  return run.id;
}
async function tenantWith(name: string): Promise<Tenant> {
  const tenant = await opened.tenant(name);
  await publishText(tenant, chain("w", { s: "return 1;" }));
  return tenant;
}
const run = (tenant: Tenant, id: string): Promise<Seen> => tenant.field<Seen>("run", RUN, { id });
const failure = { code: "WOML_SCRIPT_THROWN", kind: "script_threw", message: "no", step: "s" };

test("a run is shown as it stands, from its admission to its end, and the seed is never shown", async () => {
  const tenant = await tenantWith("runs-one");
  const id = await admitted(tenant, { payload: { a: 1 }, labels: ["l"] });
  const early = await run(tenant, id);
  assert.deepEqual(
    [early.status, early.payload, early.result, early.endedAt, early.waiting?.cause],
    ["RUNNING", { a: 1 }, null, null, "script"],
  );
  assert.deepEqual(
    early.steps.edges.map(({ node: { id: step, status } }) => [step, status]),
    [["s", "running"]],
  );
  assert.equal(JSON.stringify(early).includes("seed"), false);
  await player.finish(id, "s", { out: 1 });
  const late = await run(tenant, id);
  assert.deepEqual([late.status, late.result, late.failure, late.waiting], ["SUCCEEDED", { out: 1 }, null, null]);
  assert.deepEqual([late.steps.edges[0]?.node.output, late.steps.edges[0]?.node.attempts.length], [{ out: 1 }, 1]);
  assert.ok(late.endedAt !== null);
  assert.deepEqual((await tenant.ask(CANCEL, { run: id })).codes, ["WOML_RUN_ALREADY_TERMINAL"]);
});

test("a failed run shows its failure", async () => {
  const tenant = await tenantWith("runs-failed");
  const id = await admitted(tenant);
  await player.append(id, [
    { type: "step_failed", data: { node: "s", attempt: 1, failure, cpuMs: 1 } },
    { type: "outcome_decided", data: { status: "failed", failure } },
    { type: "run_failed", data: { failure } },
  ]);
  const seen = await run(tenant, id);
  assert.deepEqual([seen.status, seen.failure, seen.result], ["FAILED", failure, null]);
});

test("events are read in pages, to the end and no further", async () => {
  const tenant = await tenantWith("runs-events");
  const id = await admitted(tenant);
  await player.finish(id, "s", null);
  const query =
    "query ($id: ID!, $after: String) { run(id: $id) { events(first: 2, after: $after) { edges { node { seq type } } pageInfo { hasNextPage endCursor } } } }";
  const seen: number[] = [];
  let after: string | null = null;
  do {
    const page: Seen = await tenant.field<Seen>("run", query, { id, after });
    seen.push(...page.events.edges.map(({ node }) => node.seq));
    after = page.events.pageInfo.hasNextPage ? page.events.pageInfo.endCursor : null;
  } while (after !== null);
  assert.deepEqual(seen, [1, 2, 3, 4, 5, 6]);
  assert.deepEqual((await tenant.ask(query, { id, after: "x" })).codes, ["WOML_CURSOR_INVALID"]);
});

test("runs are listed newest first in pages, by workflow, status and label, each with what lies in its log", async () => {
  const tenant = await tenantWith("runs-list");
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.push(await admitted(tenant, { payload: { i }, labels: i % 2 ? ["odd"] : [] }));
  for (const id of ids.slice(0, 2)) await player.finish(id, "s", { id });
  const list = (variables: object): Promise<Edge<Seen>> => tenant.field<Edge<Seen>>("runs", RUNS, variables);
  const idsOf = ({ edges }: Edge<Seen>): readonly string[] => edges.map(({ node }) => node.id);
  const first = await list({ first: 3 });
  assert.deepEqual([idsOf(first), first.pageInfo.hasNextPage], [ids.toReversed().slice(0, 3), true]);
  const rest = await list({ first: 3, after: first.pageInfo.endCursor });
  assert.deepEqual([idsOf(rest), rest.pageInfo.hasNextPage], [ids.toReversed().slice(3), false]);
  assert.deepEqual(
    rest.edges.map(({ node }) => [node.payload, node.result, node.events.edges.length]),
    [
      [{ i: 1 }, { id: ids[1] }, 4],
      [{ i: 0 }, { id: ids[0] }, 4],
    ],
  );
  assert.deepEqual(idsOf(await list({ status: ["SUCCEEDED"] })), [ids[1], ids[0]]);
  assert.deepEqual(idsOf(await list({ status: ["RUNNING", "FAILED"], label: "odd" })), [ids[3]]);
  assert.deepEqual(idsOf(await list({ workflow: "other" })), []);
  for (const [variables, code] of [
    [{ first: 0 }, "WOML_PAGE_SIZE_INVALID"],
    [{ first: 101 }, "WOML_PAGE_SIZE_INVALID"],
    [{ after: "x" }, "WOML_CURSOR_INVALID"],
    [{ workflow: "\0" }, "WOML_ID_INVALID"],
    [{ label: "\0" }, "WOML_LABELS_INVALID"],
  ] as const) {
    assert.deepEqual((await tenant.ask(RUNS, variables)).codes, [code]);
  }
});

test("a held run is waiting, says why, is listed as waiting, and can be cancelled", async () => {
  const tenant = await tenantWith("runs-held");
  const id = await admitted(tenant);
  await player.hold(id, "the definition no longer matches its hash");
  const seen = await run(tenant, id);
  assert.deepEqual(
    [seen.status, seen.waiting?.cause, seen.waiting?.reason],
    ["WAITING", "held", "the definition no longer matches its hash"],
  );
  const waiting = await tenant.field<Edge<Seen>>("runs", RUNS, { status: ["WAITING"] });
  assert.deepEqual(
    waiting.edges.map(({ node }) => node.id),
    [id],
  );
  assert.deepEqual((await tenant.field<Edge<Seen>>("runs", RUNS, { status: ["RUNNING"] })).edges, []);
  assert.deepEqual(await tenant.field("cancelRun", CANCEL, { run: id }), { run: { status: "WAITING" } });
  assert.equal(opened.rung.at(-1), "shared", "whoever held it does not drive it");
  const { edges } = await tenant.field<Verified>("verify", VERIFY);
  assert.deepEqual(
    edges.map(({ node }) => [node.run, node.differences]),
    [[id, []]],
  );
});

test("a page of large events ends early, and a step whose attempts are too large is refused with a way out", async () => {
  const tenant = await tenantWith("runs-large");
  const id = await admitted(tenant);
  const big = "x".repeat(1_000_000);
  const rounds = Math.ceil(ANSWER_BYTES / 1_000_000) + 1;
  for (let attempt = 1; attempt <= rounds; attempt++) {
    const large = { ...failure, message: big };
    await player.append(id, [
      { type: "step_failed", data: { node: "s", attempt, failure: large, cpuMs: 1 } },
      { type: "step_retry_scheduled", data: { node: "s", attempt: attempt + 1, dueAt: 1 } },
    ]);
    await player.append(id, [{ type: "step_started", data: { node: "s", attempt: attempt + 1 } }]);
  }
  const query =
    "query ($id: ID!, $after: String) { run(id: $id) { events(first: 100, after: $after) { edges { node { seq } } pageInfo { hasNextPage endCursor } } } }";
  const seen: number[] = [];
  let pages = 0;
  let after: string | null = null;
  do {
    const page: Seen = await tenant.field<Seen>("run", query, { id, after });
    seen.push(...page.events.edges.map(({ node }) => node.seq));
    pages += 1;
    after = page.events.pageInfo.hasNextPage ? page.events.pageInfo.endCursor : null;
  } while (after !== null);
  assert.deepEqual(
    seen,
    Array.from({ length: 3 + rounds * 3 }, (_, at) => at + 1),
  );
  assert.ok(pages > 3);
  const refused = await tenant.ask("query ($id: ID!) { run(id: $id) { status steps { edges { node { id } } } } }", { id });
  assert.deepEqual(refused.codes, ["WOML_ANSWER_TOO_LARGE"]);
  assert.equal((await tenant.field<Seen>("run", "query ($id: ID!) { run(id: $id) { status } }", { id })).status, "RUNNING");
});

test("verify agrees with right projections, names what differs, and pages over runs and tenants", async () => {
  const [one, two] = [await tenantWith("verify-one"), await tenantWith("verify-two")];
  const right = [await admitted(one), await admitted(one)];
  await player.finish(right[0] ?? "", "s", 1 as never);
  const wrong = await admitted(two, {}, { status: "waiting", nextDue: 7 });
  const ofOne = await one.field<Verified>("verify", VERIFY);
  assert.deepEqual(
    ofOne.edges.map(({ node }) => [node.run, node.tenant, node.ok]),
    right.toReversed().map((id) => [id, one.id, true]),
  );
  const [bad] = (await two.field<Verified>("verify", VERIFY)).edges;
  assert.deepEqual([bad?.node.run, bad?.node.ok, bad?.node.differences.length], [wrong, false, 2]);
  assert.match(bad?.node.differences[0] ?? "", /^status: stored "waiting", the log says "running"$/);
  const all: string[] = [];
  let after: string | null = null;
  do {
    const page: Verified = await opened.admin.field<Verified>("verify", VERIFY, { first: 2, after });
    all.push(...page.edges.map(({ node }) => node.run));
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after !== null);
  assert.equal(new Set(all).size, all.length);
  for (const id of [...right, wrong]) assert.ok(all.includes(id));
  assert.deepEqual((await one.ask(VERIFY, { after: "x" })).codes, ["WOML_CURSOR_INVALID"]);
});
