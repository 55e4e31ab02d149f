import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewEvent, RunEvents, RunEventType } from "@woml/run";
import { chain, openForFile, publishText, start } from "./opened.ts";

const opened = await openForFile();
const { player } = opened;
const tenant = await opened.tenant("pages");
await publishText(tenant, chain("w", { s: "return 1;" }));

const of = <K extends RunEventType>(type: K, data: RunEvents[K]): NewEvent => ({ type, data }) as NewEvent;
const failure = { code: "WOML_SCRIPT_THROWN", kind: "script_threw", message: "no" };
const begin = (node: string, attempt = 1): NewEvent => of("step_started", { node, attempt });
const done = (node: string, output: RunEvents["step_succeeded"]["output"] = 1): NewEvent =>
  of("step_succeeded", { node, attempt: 1, output, cpuMs: 1 });

/** Admitted, with step `s` under way. */
async function begun(events: readonly NewEvent[]): Promise<string> {
  const { run } = await start(tenant, { workflow: "w" });
  await player.admit(run.id, "s");
  await player.append(run.id, events);
  return run.id;
}
interface Listed {
  readonly edges: readonly { readonly node: { readonly id: string; readonly [more: string]: unknown } }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}
const PAGE = "pageInfo { hasNextPage endCursor }";

/** All pages of one list of a run: how long each was, and its items. */
async function paged(
  id: string,
  list: string,
  fields: string,
  more = "",
): Promise<{ sizes: number[]; items: Listed["edges"][number]["node"][] }> {
  const [sizes, items]: [number[], Listed["edges"][number]["node"][]] = [[], []];
  for (let after: string | null = null, isMore = true; isMore; ) {
    const query = `query ($id: ID!, $after: String) { run(id: $id) { ${list}(after: $after ${more}) { edges { node { ${fields} } } ${PAGE} } } }`;
    const page: Listed = (await tenant.field<Record<string, Listed>>("run", query, { id, after }))[list] ?? assert.fail();
    sizes.push(page.edges.length);
    items.push(...page.edges.map(({ node }) => node));
    after = page.pageInfo.endCursor;
    isMore = page.pageInfo.hasNextPage;
  }
  return { sizes, items };
}

test("steps come in pages in the order of their beginning, whole, whenever they ended", async () => {
  const names = Array.from({ length: 5 }, (_, at) => `p${at}`);
  const id = await begun([
    of("parallel_opened", { node: "all", onError: "wait-all" }),
    ...names.map((name) => begin(name)),
    of("step_failed", { node: "p1", attempt: 1, failure, cpuMs: 1 }),
    of("step_retry_scheduled", { node: "p1", attempt: 2, dueAt: 1 }),
    begin("p1", 2),
    ...["p3", "s", "p0"].map((name) => done(name, name)),
  ]);
  const { sizes, items } = await paged(id, "steps", "id node iteration status output attempts { number outcome }", "first: 4");
  assert.deepEqual(sizes, [4, 2]);
  assert.deepEqual(
    items.map((step) => [step.id, step["status"], step["output"], (step["attempts"] as object[]).length]),
    [
      ...[
        ["s", "succeeded", "s", 1],
        ["p0", "succeeded", "p0", 1],
        ["p1", "running", null, 2],
        ["p2", "running", null, 1],
      ],
      ...[
        ["p3", "succeeded", "p3", 1],
        ["p4", "running", null, 1],
      ],
    ],
  );
  const bad = await tenant.ask("query ($id: ID!) { run(id: $id) { steps(first: 101) { edges { cursor } } } }", { id });
  assert.deepEqual(bad.codes, ["WOML_PAGE_SIZE_INVALID"]);
});

const loop = (node: string, total: number, concurrency = 1): NewEvent =>
  of("loop_opened", { node, total, concurrency, collects: true, nodes: [`${node}-work`, `${node}-pick`] });
const around = (
  node: string,
  index: number,
  inside: readonly NewEvent[],
  result: RunEvents["step_succeeded"]["output"] = index,
): NewEvent[] => [
  of("iteration_started", { node, index }),
  ...inside,
  of("iteration_settled", { node, index, status: "succeeded", failure: null, result }),
];

test("a loop is counted, and its steps and choices are read apart from those of others", async () => {
  const inside = (node: string, index: number): NewEvent[] => [
    ...[begin(`${node}-work#${index}`), done(`${node}-work#${index}`)],
    ...[
      of("choice_selected", { node: `${node}-pick#${index}`, arm: "yes" }),
      of("choice_settled", { node: `${node}-pick#${index}`, output: index }),
    ],
  ];
  const id = await begun([
    ...[loop("a", 2), loop("b", 30), ...around("a", 0, inside("a", 0))],
    ...Array.from({ length: 25 }, (_, index) => around("b", index, inside("b", index))).flat(),
    of("iteration_started", { node: "b", index: 25 }),
  ]);
  const LOOPS =
    "query ($id: ID!) { run(id: $id) { loops { id status total concurrency active succeeded failed skipped failure settledAt } } }";
  const counts = { concurrency: 1, failed: 0, skipped: 0, failure: null, settledAt: null, status: "open" };
  assert.deepEqual((await tenant.field<{ loops: object[] }>("run", LOOPS, { id })).loops, [
    { id: "a", total: 2, active: 0, succeeded: 1, ...counts },
    { id: "b", total: 30, active: 1, succeeded: 25, ...counts },
  ]);
  const ofB = await paged(id, "steps", "id node iteration", 'iterationOf: "b"');
  assert.deepEqual(ofB.sizes, [20, 5]);
  assert.deepEqual(ofB.items.at(-1), { id: "b-work#24", node: "b-work", iteration: 24 });
  assert.deepEqual((await paged(id, "steps", "id", 'iterationOf: "s"')).items, []);
  const choices = await paged(id, "choices", "id arm output status iteration");
  assert.deepEqual([choices.sizes, choices.items.length], [[20, 6], 26]);
  assert.deepEqual(choices.items[1], { id: "b-pick#0", arm: "yes", output: 0, status: "settled", iteration: 0 });
  const bad = await tenant.ask('query ($id: ID!) { run(id: $id) { steps(iterationOf: "a b") { edges { cursor } } } }', { id });
  assert.deepEqual(bad.codes, ["WOML_ID_INVALID"]);
});

test("forks, groups, approvals, hooks and warnings", async () => {
  const hook = "@step_success/s";
  const action = (nth: number, failed: boolean): NewEvent[] => [
    of("action_started", { node: `${hook}/${nth}`, attempt: 1 }),
    of("action_settled", {
      ...{ node: `${hook}/${nth}`, attempt: 1, cpuMs: 1, dueAt: null },
      ...(failed ? { status: "failed", failure } : { status: "succeeded", failure: null }),
    }),
  ];
  const id = await begun([
    ...[of("fork_opened", { node: "split", branches: ["x", "y"], joined: ["x"] }), done("s")],
    of("branch_settled", { node: "split", branch: "x", status: "succeeded", failure: null }),
    of("join_settled", { node: "split", status: "succeeded", blocking: null }),
    ...[of("parallel_opened", { node: "all" }), begin("one"), done("one")],
    of("parallel_settled", { node: "all", status: "succeeded", failed: [], cancelled: [] }),
    of("approval_requested", { node: "ok", deadlineAt: null, onTimeout: "fail" }),
    ...[of("hook_requested", { hook, actions: [1, 2].map((nth) => `${hook}/${nth}`) }), ...action(1, true), ...action(2, false)],
    of("hook_settled", { hook, failed: 1 }),
    of("limit_warned", { limit: "events", used: 8, most: 10 }),
  ]);
  const RUN = `query ($id: ID!) { run(id: $id) { forks { id status branches { id joined status } } approvals { id status onTimeout by }
    groups { edges { node { id status onError failed } } } hooks { edges { node { id event subject status failed actions { id status attempts } } } }
    warnings { edges { node { code action event subject } } } } }`;
  assert.deepEqual(await tenant.field("run", RUN, { id }), {
    forks: [
      {
        ...{ id: "split", status: "succeeded" },
        branches: [
          { id: "x", joined: true, status: "succeeded" },
          { id: "y", joined: false, status: "open" },
        ],
      },
    ],
    approvals: [{ id: "ok", status: "waiting", onTimeout: null, by: null }],
    groups: { edges: [{ node: { id: "all", status: "succeeded", onError: "fail-fast", failed: [] } }] },
    hooks: {
      edges: [
        {
          node: {
            ...{ id: hook, event: "step_success", subject: "s", status: "settled", failed: 1 },
            actions: [
              { id: `${hook}/1`, status: "failed", attempts: 1 },
              { id: `${hook}/2`, status: "succeeded", attempts: 1 },
            ],
          },
        },
      ],
    },
    warnings: {
      edges: [
        { node: { code: failure.code, action: `${hook}/1`, event: "step_success", subject: "s" } },
        { node: { code: "WOML_RUN_LIMIT_NEAR", action: null, event: null, subject: null } },
      ],
    },
  });
});

test("PC-21: a run of 10,000 iterations whose log is larger than an answer may be is read in pages, and lists do not notice it", async () => {
  const [total, chunk, output] = [10_000, 1_000, "x".repeat(1_000)];
  const id = await begun([loop("each", total)]);
  for (let from = 0; from < total; from += chunk) {
    const events = Array.from({ length: chunk }, (_, at) =>
      around("each", from + at, [begin(`each-work#${from + at}`), done(`each-work#${from + at}`, output)], output),
    );
    await player.append(id, events.flat());
  }
  const [LOOPS, RUNS] = ["query ($id: ID!) { run(id: $id) { loops { total succeeded } } }", "{ runs { edges { node { id status } } } }"];
  assert.deepEqual(await tenant.field("run", LOOPS, { id }), { loops: [{ total, succeeded: total }] });
  const PAGED = `query ($id: ID!, $after: String) { run(id: $id) { steps(first: 100, after: $after, iterationOf: "each") { edges { cursor node { id output } } } } }`;
  const first = (await tenant.field<{ steps: { edges: { cursor: string; node: { id: string; output: string } }[] } }>("run", PAGED, { id }))
    .steps.edges;
  assert.deepEqual([first.length, first[0]?.node.id, first.at(-1)?.node], [100, "each-work#0", { id: "each-work#99", output }]);
  const second = await tenant.field<{ steps: { edges: { node: { id: string } }[] } }>("run", PAGED, { id, after: first.at(-1)?.cursor });
  assert.equal(second.steps.edges[0]?.node.id, "each-work#100");
  assert.equal((await tenant.field<Listed>("runs", RUNS)).edges.length >= 4, true);
});

test("PC-48: every list of a run has a default and a largest size, and counts in what a query costs", async () => {
  const id = await begun([]);
  for (const list of ["steps", "operations", "choices", "groups", "hooks", "warnings", "events"]) {
    const ask = (text: string) => tenant.ask(text, { id });
    const of = (first: number): string => `query ($id: ID!) { run(id: $id) { ${list}(first: ${first}) { edges { cursor } } } }`;
    assert.deepEqual(
      [(await ask(of(0))).codes, (await ask(of(101))).codes],
      [["WOML_PAGE_SIZE_INVALID"], ["WOML_PAGE_SIZE_INVALID"]],
      list,
    );
    const many = await tenant.ask(`{ runs(first: 60) { edges { node { ${list}(first: 100) { edges { cursor } } } } } }`);
    assert.deepEqual(many.codes, ["WOML_QUERY_TOO_COSTLY"], list);
    assert.deepEqual((await ask(of(100))).codes, [], list);
  }
});
