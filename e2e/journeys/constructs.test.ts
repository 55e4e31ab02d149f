// Every element of a flow on a platform that runs: what comes of it, and what the API and the command line show. One platform for all of it; each
// test has workflows of its own.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { approvalToken, asTenantId, parseRunId } from "@woml/run";
import { Client } from "pg";
import { ended, field, flat, publish, ROOT, runUntil, type SeenRun, start, upForFile } from "../support/platform.ts";
import { woml } from "../support/woml.ts";

const { platform, folder } = await upForFile();

const step = (id: string, script = `return "${id}";`): string => `<step id="${id}"><script>${script}</script></step>`;
const workflow = (id: string, ...items: readonly string[]): string =>
  `<woml><workflow id="${id}"><triggers><manual id="go"/></triggers><steps>${items.join("")}</steps></workflow></woml>`;
async function run(id: string, payload: object = {}): Promise<string> {
  return start(platform, { workflow: id, payload });
}
async function finished(text: string, payload: object = {}): Promise<SeenRun> {
  await publish(platform, text);
  const [, id = ""] = /workflow id="([\w-]+)"/.exec(text) ?? [];
  return runUntil(platform, await run(id, payload), ended);
}
/** One field of a run, as the API shows it. */
async function shown<T>(id: string, fields: string): Promise<T> {
  return flat<T>(field(await platform.ask(`query ($id: ID!) { run(id: $id) { ${fields} } }`, { id }), "run"));
}
const stepsOf = (seen: SeenRun): readonly string[] => seen.steps.map(({ id, status }) => `${id} ${status}`).toSorted();
const cli = (...args: readonly string[]) => woml(folder, args);

test("a switch takes exactly its text, else the default; what is no text fails the run", async () => {
  const text = workflow(
    "switched",
    `<switch id="way" value="{{context.payload.tier}}"><case value="gold">${step("gold")}<result value="{{context.steps.gold}}"/></case>`,
    `<default>${step("plain")}<result value="{{context.steps.plain}}"/></default></switch>`,
  );
  const gold = await finished(text, { tier: "gold" });
  assert.deepEqual([gold.status, gold.result, stepsOf(gold)], ["SUCCEEDED", "gold", ["gold succeeded"]]);
  const { choices } = await shown<{ choices: readonly object[] }>(
    gold.id,
    "choices { edges { node { id node iteration arm status output } } }",
  );
  assert.deepEqual(choices, [{ id: "way", node: "way", iteration: null, arm: "case-1", status: "settled", output: "gold" }]);
  const other = await runUntil(platform, await run("switched", { tier: "Gold" }), ended);
  assert.deepEqual([other.result, stepsOf(other)], ["plain", ["plain succeeded"]]);
  const wrong = await runUntil(platform, await run("switched", { tier: 7 }), ended);
  assert.deepEqual([wrong.status, wrong.failure?.code, wrong.steps], ["FAILED", "WOML_SWITCH_VALUE_INVALID", []]);
});

test("a choice without an id selects, and has no output", async () => {
  const text = workflow(
    "selects",
    ...[
      `<choose><when test="{{context.payload.large}}">${step("large")}</when><otherwise>${step("small")}</otherwise></choose>`,
      step("last"),
    ],
  );
  const large = await finished(text, { large: true });
  assert.deepEqual([large.result, stepsOf(large)], ["last", ["large succeeded", "last succeeded"]]);
  const small = await runUntil(platform, await run("selects", { large: false }), ended);
  assert.deepEqual(stepsOf(small), ["last succeeded", "small succeeded"]);
});

test("a group that waits for all lets the others end before it fails; one that fails fast does not; so many at a time", async () => {
  const group = (id: string, attributes: string): string =>
    workflow(
      id,
      `<parallel id="all" ${attributes}>${step("bad", 'throw new Error("no");')}`,
      `<step id="slow"><script>await new Promise((resolve) => setTimeout(resolve, 300)); return 1;</script></step></parallel>`,
      step("last"),
    );
  const waits = await finished(group("waits", 'on-error="wait-all"'));
  assert.deepEqual([waits.status, waits.failure?.code, stepsOf(waits)], ["FAILED", "WOML_SCRIPT_THROWN", ["bad failed", "slow succeeded"]]);
  const GROUPS = "groups { edges { node { id status onError failed cancelled } } }";
  const groupsOf = async (id: string): Promise<readonly object[]> => (await shown<{ groups: readonly object[] }>(id, GROUPS)).groups;
  assert.deepEqual(await groupsOf(waits.id), [{ id: "all", status: "failed", onError: "wait-all", failed: ["bad"], cancelled: [] }]);
  const fast = await finished(group("fast", ""));
  assert.deepEqual(await groupsOf(fast.id), [{ id: "all", status: "failed", onError: "fail-fast", failed: ["bad"], cancelled: ["slow"] }]);
  const two = await finished(
    workflow("two", `<parallel id="all" concurrency="2">${["a", "b", "c", "d", "e"].map((id) => step(id)).join("")}</parallel>`, step("z")),
  );
  let [now, most] = [0, 0];
  for (const { node } of two.events.edges) {
    if (node.type === "step_started") most = Math.max(most, ++now);
    else if (node.type === "step_succeeded") now -= 1;
  }
  assert.deepEqual([two.status, most], ["SUCCEEDED", 2]);
});

interface Forked {
  readonly forks: readonly {
    readonly status: string;
    readonly blocking: string | null;
    readonly branches: readonly {
      readonly id: string;
      readonly joined: boolean;
      readonly status: string;
      readonly failure: { code: string } | null;
    }[];
  }[];
}
const FORKS = "forks { id status blocking branches { id joined status failure } }";
const branchesOf = ({ forks: [fork] }: Forked): readonly string[] =>
  (fork?.branches ?? []).map(({ id, joined, status }) => `${id} ${joined ? "joined" : "free"} ${status}`);

test("a fork: what is joined is waited for, what is not goes on, and a failure of it fails the run when all has ended", async () => {
  const forked = (id: string, joins: string, b: string): string =>
    workflow(
      id,
      ...[
        step("first"),
        `<fork id="split" ${joins}><branch id="a">${step("one")}</branch><branch id="b">${step("two", b)}</branch></fork>`,
      ],
      step("last"),
    );
  const slow = "await new Promise((resolve) => setTimeout(resolve, 200)); return 2;";
  const all = await finished(forked("fork-all", "", slow));
  assert.deepEqual([all.status, all.result], ["SUCCEEDED", "last"]);
  const order = all.events.edges.map(({ node }) => `${node.type} ${(node.data as { node?: string }).node ?? ""}`);
  assert.ok(order.indexOf("step_succeeded two") < order.indexOf("step_started last"), order.join(", "));
  const free = await finished(forked("fork-free", 'join="a"', `${slow.replace("return 2;", "")} throw new Error("late");`));
  assert.deepEqual([free.status, free.failure?.code, stepsOf(free).includes("last succeeded")], ["FAILED", "WOML_SCRIPT_THROWN", true]);
  const seen = await shown<Forked>(free.id, FORKS);
  assert.deepEqual([seen.forks[0]?.status, branchesOf(seen)], ["succeeded", ["a joined succeeded", "b free failed"]]);
  const joined = await finished(forked("fork-failed", 'join="a b"', 'throw new Error("no");'));
  const failed = await shown<Forked>(joined.id, FORKS);
  assert.deepEqual([joined.status, stepsOf(joined).includes("last succeeded"), failed.forks[0]?.blocking], ["FAILED", false, "b"]);
  const none = await finished(forked("fork-none", 'join="none"', slow));
  assert.deepEqual([none.status, branchesOf(await shown<Forked>(none.id, FORKS))], ["SUCCEEDED", ["a free succeeded", "b free succeeded"]]);
});

interface Looped {
  readonly loops: readonly Readonly<Record<string, unknown>>[];
}
const LOOPS = "loops { id status total concurrency active succeeded failed skipped }";

test("a loop goes through its list, so many at a time, tries again, and gives its results in order", async () => {
  const body = `<step id="work" retry="2" retry-backoff="fixed" retry-delay="10ms"><script>
    if (context.item % 5 === 0 && attempt.number === 1) throw new Error("again");
    return context.item * 10 + context.iteration.index;</script></step>`;
  const text = workflow(
    "loop",
    `<for-each id="each" items="{{context.payload.list}}" concurrency="3">${body}<result value="{{context.steps.work}}"/></for-each>`,
  );
  const list = Array.from({ length: 11 }, (_, i) => i);
  const done = await finished(text, { list });
  assert.deepEqual(done.result, { total: 11, succeeded: 11, results: list.map((i) => i * 11) });
  const counts = { id: "each", status: "succeeded", concurrency: 3, active: 0, failed: 0, skipped: 0 };
  assert.deepEqual((await shown<Looped>(done.id, LOOPS)).loops, [{ ...counts, total: 11, succeeded: 11 }]);
  const inside = await shown<{ steps: readonly { id: string; iteration: number; attempts: readonly object[] }[] }>(
    done.id,
    'steps(first: 100, iterationOf: "each") { edges { node { id iteration attempts { number } } } }',
  );
  assert.deepEqual(
    [inside.steps.length, inside.steps.filter(({ attempts }) => attempts.length === 2).map(({ id }) => id)],
    [11, ["work#0", "work#5", "work#10"]],
  );
  const empty = await runUntil(platform, await run("loop", { list: [] }), ended);
  assert.deepEqual([empty.status, empty.result], ["SUCCEEDED", { total: 0, succeeded: 0 }]);
  const wrong = await runUntil(platform, await run("loop", { list: {} }), ended);
  assert.equal(wrong.failure?.code, "WOML_FOR_EACH_NOT_AN_ARRAY");
});

test("one iteration fails: none is begun after it, those under way end, and the rest is skipped", async () => {
  const text = workflow(
    "loop-fails",
    `<for-each id="each" items="{{context.payload.list}}">${step("work", 'if (context.item === 2) throw new Error("two"); return 1;')}</for-each>`,
    step("last"),
  );
  const failed = await finished(text, { list: [0, 1, 2, 3, 4, 5] });
  assert.deepEqual([failed.status, failed.failure?.code, failed.failure?.step], ["FAILED", "WOML_FOR_EACH_ITERATION_FAILED", "each"]);
  const counts = { id: "each", status: "failed", total: 6, concurrency: 1, active: 0, succeeded: 2, failed: 1, skipped: 3 };
  assert.deepEqual((await shown<Looped>(failed.id, LOOPS)).loops, [counts]);
  const said = await cli("runs", "show", failed.id);
  assert.match(said.stdout, /\neach +failed +6 +0 +2 +1 +3\n/);
  assert.match(said.stdout, /\nwork#2 +1 +failed/);
  assert.ok(!/\nwork#1 /.test(said.stdout));
});

const APPROVALS = "status waiting approvals { id status onTimeout decision source by reason }";
interface Approved {
  readonly status: string;
  readonly waiting: { readonly cause: string; readonly steps: readonly string[]; readonly actions: readonly string[] } | null;
  readonly approvals: readonly Readonly<Record<string, unknown>>[];
}
const approval = (id: string, attributes = ""): string =>
  workflow(
    id,
    `<approval id="ok" ${attributes}><when-approved>${step("yes")}</when-approved><when-rejected>${step("no")}</when-rejected></approval>`,
  );
/** A run that waits for its decision. */
async function waiting(id: string, attributes = ""): Promise<string> {
  await publish(platform, approval(id, attributes));
  const started = await run(id);
  await runUntil(platform, started, (seen) => seen.waiting?.cause === "approval");
  return started;
}

test("an approval waits for a person, who decides it once from the command line", async () => {
  const id = await waiting("approved");
  const seen = await shown<Approved>(id, APPROVALS);
  assert.deepEqual([seen.status, seen.waiting?.steps, seen.waiting?.actions.includes("resolveApproval")], ["WAITING", ["ok"], true]);
  assert.match((await cli("runs", "get", id)).stdout, /approval {2}ok waits for a decision .*\n +npm run woml -- runs approve run_\S+ ok/);
  assert.equal((await cli("runs", "approve", id, "ok")).code, 0);
  const done = await runUntil(platform, id, ended);
  assert.deepEqual([done.status, stepsOf(done)], ["SUCCEEDED", ["yes succeeded"]]);
  assert.deepEqual([(done.result as { decision: string }).decision, (done.result as { source: string }).source], ["approved", "human"]);
  const by = platform.key.split("_")[1];
  const decided = { id: "ok", status: "approved", onTimeout: null, decision: "approved", source: "human", by, reason: null };
  assert.deepEqual((await shown<Approved>(id, APPROVALS)).approvals, [decided]);
  assert.equal((await cli("runs", "approve", id, "ok")).code, 0, "the same again is the same");
  const opposite = await cli("runs", "reject", id, "ok");
  assert.deepEqual([opposite.code, opposite.stderr.split(":")[0]], [1, "WOML_APPROVAL_DECISION_CONFLICT"]);
});

test("whoever has its token decides it, and to look at the link decides nothing", async () => {
  const id = await waiting("by-token");
  const token = await tokenOf(id, "ok");
  const root = platform.graphql.replace("/graphql", "");
  for (const method of ["HEAD", "GET"]) assert.equal((await fetch(`${root}/approvals/${token}`, { method })).status, 200);
  assert.equal((await shown<Approved>(id, APPROVALS)).approvals[0]?.["status"], "waiting");
  const say = (decision: string): Promise<Response> =>
    fetch(`${root}/api/v1/approvals/${token}/decision`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ decision }),
    });
  assert.equal((await say("rejected")).status, 200);
  const done = await runUntil(platform, id, ended);
  assert.deepEqual([done.status, stepsOf(done)], ["SUCCEEDED", ["no succeeded"]]);
  assert.deepEqual([(await say("rejected")).status, (await say("approved")).status], [200, 409]);
  assert.equal((await shown<Approved>(id, APPROVALS)).approvals[0]?.["by"], "token");
});

/** As the notice of an approval has it: the seed is in no answer, so it is read where it lies. */
async function tokenOf(id: string, site: string): Promise<string> {
  const client = new Client({ connectionString: platform.databaseUrl });
  await client.connect();
  const uuid = parseRunId(id) ?? assert.fail();
  const { rows } = await client.query("SELECT tenant::text, data->>'seed' AS seed FROM run_event WHERE run = $1 AND seq = 1", [uuid]);
  await client.end();
  const [{ tenant, seed }] = rows;
  return approvalToken({ tenant: asTenantId(tenant), run: uuid, site }, seed, (from, label) =>
    createHmac("sha256", from).update(label).digest("hex"),
  );
}

test("nobody decides in time: it is rejected, or the run fails, as its author said", async () => {
  const rejected = await finished(approval("late-reject", 'timeout="200ms" on-timeout="reject"'));
  assert.deepEqual([rejected.status, stepsOf(rejected)], ["SUCCEEDED", ["no succeeded"]]);
  const seen = (await shown<Approved>(rejected.id, APPROVALS)).approvals[0];
  assert.deepEqual([seen?.["status"], seen?.["source"], seen?.["by"], seen?.["onTimeout"]], ["rejected", "timeout", null, "reject"]);
  const failed = await finished(approval("late-fail", 'timeout="200ms"'));
  assert.deepEqual([failed.status, failed.failure?.code, failed.steps], ["FAILED", "WOML_APPROVAL_TIMEOUT", []]);
  assert.equal((await shown<Approved>(failed.id, APPROVALS)).approvals[0]?.["reason"], "timeout");
  const said = await cli("runs", "approve", failed.id, "ok");
  assert.deepEqual([said.code, said.stderr.split(":")[0]], [1, "WOML_APPROVAL_EXPIRED"]);
});

test("a run that is cancelled while it waits asks nobody any more", async () => {
  const id = await waiting("cancelled");
  assert.equal((await cli("runs", "cancel", id)).code, 0);
  assert.equal((await runUntil(platform, id, ended)).status, "CANCELLED");
  assert.equal((await shown<Approved>(id, APPROVALS)).approvals[0]?.["status"], "cancelled");
  const said = await cli("runs", "approve", id, "ok");
  assert.deepEqual([said.code, said.stderr.split(":")[0]], [1, "WOML_RUN_ALREADY_TERMINAL"]);
});

const example = (name: string): string => join(ROOT, "examples", name);

test("the examples run from the command line: parcels through a loop and a fork, a refund behind an approval", async () => {
  const parcels = await cli("test", example("parcels.woml"), "--payload-file", example("parcels.json"), "--data", ".woml", "-o", "json");
  assert.equal(parcels.code, 0, parcels.stderr);
  const view = parcels.json();
  const { parcels: asked } = JSON.parse(readFileSync(example("parcels.json"), "utf8"));
  assert.deepEqual(view.result, {
    ...{ labels: ["1 card mail", "2 lamp truck", "3 safe freight", "4 note mail"], picked: 4, invoice: { parcels: 4 } },
  });
  assert.deepEqual([view.loops[0].total, view.forks[0].status, view.groups[0].onError], [asked.length, "succeeded", "wait-all"]);
  const refund = await cli("test", example("refund.woml"), "--payload", '{"amount":4200}', "--data", ".woml");
  assert.match(
    refund.stdout,
    /approval {2}release waits for a decision since .*, until .* \(then it is rejected\)\.\n +npm run woml -- runs approve/,
  );
  const [id = ""] = /run_[0-9a-f-]{36}/.exec(refund.stdout) ?? [];
  assert.equal((await cli("runs", "reject", id, "release", "--data", ".woml")).code, 0);
  const done = await runUntil(platform, id, ended);
  assert.deepEqual(
    [done.result, stepsOf(done)],
    [{ decision: "rejected", source: "human" }, ["check succeeded", "decline succeeded", "record succeeded"]],
  );
});
