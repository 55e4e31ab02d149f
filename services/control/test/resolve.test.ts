import assert from "node:assert/strict";
import { test } from "node:test";
import { asTenantId, type NewEvent, parseRunId, type RunEvents } from "@woml/run";
import { approved, grant, type Release } from "./acme.ts";
import { chain, openForFile, publishText, start, type Tenant } from "./opened.ts";

const opened = await openForFile();
const { player } = opened;
const RESOLVE = "mutation ($input: ResolveUnknownInput!) { resolveUnknown(input: $input) { run { id status } } }";
const RUN = `query ($id: ID!) { run(id: $id) { head unresolvedEffects waiting operations { edges { node { id step attempt call capability operation name
  release class outcome told tries by startedAt since settledAt evidence reused input result failure } } } } }`;
const AUDIT = "{ audit { edges { node { actor action subject detail } } } }";

interface Seen {
  readonly head: number;
  readonly unresolvedEffects: readonly string[];
  readonly operations: { readonly edges: readonly { readonly node: { readonly [name: string]: unknown } }[] };
}
const tenant = await opened.tenant("resolve");
const release: Release = await approved(opened, tenant);
await grant(opened, tenant);
await publishText(tenant, chain("w", { a: "return 1;" }));

function called(operation: string, over: object = {}): RunEvents["operation_started"]["called"] {
  const effect = { class: "unsafe", windowMs: null, conclusiveNotFoundAfterMs: null, pendingMaxMs: null, ...over } as const;
  const what = { capability: "acme.payments", operation, release: release.release, name: operation };
  return { ...what, inputDigest: "sha256:x", input: { amount: 1 }, effect, timeoutMs: 1_000 };
}
const began = (call: number, operation: string, over: object = {}): NewEvent => ({
  type: "operation_started",
  data: { node: "a", attempt: 1, call, key: `${call}`, try: 1, by: "script", called: called(operation, over), seen: [], reused: null },
});
const lost = (call: number, told = false): NewEvent => {
  const failure = { code: "WOML_OPERATION_UNKNOWN_OUTCOME", message: "lost", retryable: false, ambiguous: true };
  return {
    type: "operation_settled",
    data: { node: "a", attempt: 1, call, try: 1, outcome: { status: "unknown", failure, told }, evidence: "the answer was lost" },
  };
};

/** Its step's script has called refund once, and nobody knows what became of it. */
async function unknown(events: readonly NewEvent[] = [began(1, "refund"), lost(1)], by: Tenant = tenant): Promise<string> {
  const { run } = await start(by, { workflow: "w" });
  await player.admit(run.id, "a");
  await player.append(run.id, events);
  return run.id;
}
const seen = (id: string): Promise<Seen> => tenant.field<Seen>("run", RUN, { id });
const resolve = async (input: object, by: Tenant = tenant): Promise<readonly string[]> => (await by.ask(RESOLVE, { input })).codes;
/** What lies in the inbox for a run. */
const asked = async (id: string): Promise<readonly object[]> =>
  (await player.inbox()).filter(({ run, body }) => run === parseRunId(id) && body.kind === "resolve").map(({ body }) => body);

test("a run shows its operations, what is unknown, and the head that a resolution has to have seen", async () => {
  const id = await unknown();
  const { head, unresolvedEffects, operations } = await seen(id);
  assert.deepEqual([head, unresolvedEffects, operations.edges.length], [5, ["a:1:1"], 1]);
  const { startedAt, since, settledAt, failure, ...rest } = operations.edges[0]?.node ?? assert.fail();
  assert.ok([startedAt, since, settledAt].every((at) => /^\d{4}-.*Z$/.test(String(at))));
  assert.equal((failure as { ambiguous: boolean }).ambiguous, true);
  assert.deepEqual(rest, {
    ...{ id: "a:1:1", step: "a", attempt: 1, call: 1, capability: "acme.payments", operation: "refund", name: "refund" },
    ...{ release: release.release, class: "unsafe", outcome: "unknown", told: false, tries: 1, by: "script" },
    ...{ evidence: "the answer was lost", reused: null, input: { amount: 1 }, result: null },
  });
  const { run } = await start(tenant, { workflow: "w" });
  assert.deepEqual(
    await tenant.field("run", "query ($id: ID!) { run(id: $id) { head unresolvedEffects operations { edges { node { id } } } } }", {
      id: run.id,
    }),
    {
      ...{ head: 0, unresolvedEffects: [], operations: { edges: [] } },
    },
  );
});

test("what a person says goes into the inbox once, with who said it, and into the audit; the bell rings", async () => {
  const id = await unknown();
  const input = { run: id, operation: "a:1:1", expectedHead: 5, outcome: "SUCCEEDED", result: { id: "r1" }, message: "seen in the ledger" };
  assert.deepEqual(await resolve(input), []);
  assert.deepEqual(await resolve(input), []);
  assert.equal(opened.rung.at(-1), player.engine, "who drives it is told, and nobody else");
  const by = tenant.key.split("_")[1];
  const verdict = { status: "succeeded", result: { id: "r1" } };
  assert.deepEqual(await asked(id), [{ kind: "resolve", node: "a", attempt: 1, call: 1, expectedHead: 5, verdict, by }]);
  assert.deepEqual(await resolve({ ...input, outcome: "RETRY", result: null }), ["WOML_RESOLUTION_STALE"]);
  assert.equal((await asked(id)).length, 1);
  type Audit = {
    edges: readonly { node: { actor: string; action: string; subject: string; detail: { outcome: string; reason: string } } }[];
  };
  const { edges } = await tenant.field<Audit>("audit", AUDIT);
  const said = edges.map(({ node }) => node).filter(({ subject }) => subject.startsWith(id));
  assert.deepEqual(
    said.map(({ actor, action, subject, detail }) => [actor, action, subject, detail.outcome, detail.reason]),
    [[by, "run.resolve", `${id} a:1:1`, "succeeded", "seen in the ledger"]],
  );
});

test("one that the engine refused leaves the place free for the next", async () => {
  const id = await unknown();
  const input = { run: id, operation: "a:1:1", expectedHead: 5, outcome: "RETRY" };
  assert.deepEqual(await resolve(input), []);
  const [request] = (await player.inbox()).filter(({ run, body }) => run === parseRunId(id) && body.kind === "resolve");
  await opened.engine.answer([{ tenant: asTenantId(tenant.id), id: request?.id ?? "", answer: "RESOLUTION_STALE" }]);
  assert.deepEqual(await asked(id), []);
  assert.deepEqual(await resolve({ ...input, outcome: "FAILED", message: "no" }), []);
  assert.deepEqual(
    (await asked(id)).map((body) => (body as { verdict: object }).verdict),
    [{ status: "failed", message: "no" }],
  );
});

test("what is not unknown, not there, or was seen too early is refused, and nothing is written", async () => {
  const id = await unknown();
  const input = { run: id, operation: "a:1:1", expectedHead: 5, outcome: "RETRY" };
  const cases = [
    [{ operation: "a:1:2" }, "WOML_OPERATION_NOT_FOUND"],
    [{ operation: "b:1:1" }, "WOML_OPERATION_NOT_FOUND"],
    [{ operation: "a:2:1" }, "WOML_OPERATION_NOT_FOUND"],
    [{ operation: "a:1" }, "WOML_OPERATION_NOT_UNKNOWN"],
    [{ operation: "a" }, "WOML_ID_INVALID"],
    [{ operation: "a:0:1" }, "WOML_ID_INVALID"],
    [{ operation: "a:1:1:1" }, "WOML_ID_INVALID"],
    [{ expectedHead: 4 }, "WOML_RESOLUTION_STALE"],
    [{ expectedHead: 6 }, "WOML_RESOLUTION_STALE"],
    [{ run: "run_019a0000-0000-7000-8000-00000000000a" }, "WOML_RUN_NOT_FOUND"],
    [{ message: "a\nb" }, "WOML_REASON_INVALID"],
    [{ outcome: "FAILED", result: 1 }, "WOML_RESOLUTION_RESULT_INVALID"],
  ] as const;
  for (const [over, code] of cases) assert.deepEqual(await resolve({ ...input, ...over }), [code], JSON.stringify(over));
  const { run } = await start(tenant, { workflow: "w" });
  assert.deepEqual(await resolve({ ...input, run: run.id }), ["WOML_OPERATION_NOT_FOUND"]);
  assert.deepEqual(await asked(id), []);
});

test("an operation that is open, known, or was told to its script waits for nobody", async () => {
  const failure = { code: "X", message: "no", retryable: false, ambiguous: false };
  const known: NewEvent = {
    type: "operation_settled",
    data: { node: "a", attempt: 1, call: 1, try: 1, outcome: { status: "failed", failure }, evidence: "" },
  };
  for (const events of [[began(1, "refund")], [began(1, "refund"), known], [began(1, "refund"), lost(1, true)]]) {
    const id = await unknown(events);
    const { head } = await seen(id);
    assert.deepEqual(await resolve({ run: id, operation: "a:1:1", expectedHead: head, outcome: "RETRY" }), ["WOML_OPERATION_NOT_UNKNOWN"]);
  }
});

test("a result is judged by the output schema of the very release; R2", async () => {
  const id = await unknown();
  const input = { run: id, operation: "a:1:1", expectedHead: 5, outcome: "SUCCEEDED" };
  for (const result of [null, undefined, 1, {}, { id: 1 }, { id: "x", more: 1 }, { id: "x".repeat(1_000) }, { id: "\u0000" }])
    assert.deepEqual(await resolve({ ...input, result }), ["WOML_RESOLUTION_RESULT_INVALID"], JSON.stringify(result));
  assert.deepEqual(await asked(id), []);
  assert.deepEqual(await resolve({ ...input, result: { id: "x" } }), []);
});

test("nothing is performed again while its provider may still find it, but it may be said how it ended; R3", async () => {
  const id = await unknown([began(1, "charge", { class: "reattachable", conclusiveNotFoundAfterMs: 3_600_000, pendingMaxMs: 1 }), lost(1)]);
  const input = { run: id, operation: "a:1:1", expectedHead: 5, outcome: "RETRY" };
  const { codes, errors } = await tenant.ask(RESOLVE, { input });
  assert.deepEqual(codes, ["WOML_RESOLUTION_TOO_EARLY"]);
  const wait = Number(errors[0]?.extensions["retryAfterMs"]);
  assert.ok(wait > 3_500_000 && wait <= 3_600_000, `${wait}`);
  assert.deepEqual(await asked(id), []);
  assert.deepEqual(await resolve({ ...input, outcome: "FAILED" }), []);
});

test("an attempt whose replay did something else is resolved as a whole", async () => {
  const diverged: NewEvent = { type: "attempt_diverged", data: { node: "a", attempt: 1, detail: "another call" } };
  const id = await unknown([diverged]);
  const { head } = await seen(id);
  const input = { run: id, operation: "a:1", expectedHead: head, outcome: "SUCCEEDED", result: [1] };
  assert.deepEqual(await resolve({ ...input, operation: "a:2" }), ["WOML_OPERATION_NOT_FOUND"]);
  assert.deepEqual(await resolve({ ...input, result: "x".repeat(1024 * 1024) }), ["WOML_RESOLUTION_RESULT_INVALID"]);
  assert.deepEqual(await resolve(input), []);
  const [body] = await asked(id);
  assert.deepEqual(body, { ...body, node: "a", attempt: 1, call: null, verdict: { status: "succeeded", result: [1] } });
});

test("a run that is ending, has ended or is held takes no resolution; nor does another tenant's", async () => {
  const id = await unknown();
  const input = { run: id, operation: "a:1:1", expectedHead: 5, outcome: "RETRY" };
  const other = await opened.tenant("resolve-other");
  assert.deepEqual(await resolve(input, other), ["WOML_RUN_NOT_FOUND"]);
  assert.deepEqual(await resolve(input, opened.admin), ["WOML_FORBIDDEN"]);
  await player.hold(id, "fold threw");
  assert.deepEqual(await resolve(input), ["WOML_RUN_HELD"]);
  const ended = (await start(tenant, { workflow: "w" })).run.id;
  await player.admit(ended, "a");
  await player.finish(ended, "a", null);
  assert.deepEqual(await resolve({ ...input, run: ended }), ["WOML_RUN_ALREADY_TERMINAL"]);
});

test("verify folds operations too: the alarm of a doubted one, and the status of a run that waits for a person", async () => {
  const VERIFY = "{ verify(first: 100) { edges { node { run differences } } } }";
  type Verified = { edges: readonly { node: { run: string; differences: readonly string[] } }[] };
  const by = await opened.tenant("resolve-verify");
  await publishText(by, chain("w", { a: "return 1;" }));
  const doubted: NewEvent = {
    type: "operation_doubted",
    data: { node: "a", attempt: 1, call: 1, try: 1, reason: "ambiguous", detail: "lost", askAt: Date.now() + 60_000 },
  };
  const terms = { class: "reattachable", conclusiveNotFoundAfterMs: 1, pendingMaxMs: 1 };
  const fine = [await unknown(undefined, by), await unknown([began(1, "charge", terms), doubted], by)];
  const { run } = await start(by, { workflow: "w" });
  await player.admit(run.id, "a");
  await player.append(run.id, [began(1, "refund"), lost(1)], { status: "running" });
  const { edges } = await by.field<Verified>("verify", VERIFY);
  const found = new Map(edges.map(({ node }) => [node.run, node.differences]));
  for (const id of fine) assert.deepEqual(found.get(id), []);
  assert.deepEqual(
    found.get(run.id)?.map((text) => text.split(":")[0]),
    ["status"],
  );
  const runId = parseRunId(fine[1] ?? "");
  const alarms = await opened.store.withTenant(asTenantId(by.id), (scope) => scope.timers(runId ? [runId] : []));
  assert.deepEqual(
    [...alarms.values()].flat().map(({ kind, subject }) => `${kind} ${subject}`),
    ["ask a:1:1"],
  );
});
