import assert from "node:assert/strict";
import { test } from "node:test";
import { asTenantId, type NewEvent, parseRunId, type RunEvents } from "@woml/run";
import { chain, openForFile, publishText, start, type Tenant } from "./opened.ts";

const opened = await openForFile();
const { player } = opened;
const RESUME = "mutation ($input: ResumeRunInput!) { resumeRun(input: $input) { duplicate run { id status version labels } } }";
const RERUN = "mutation ($input: RerunInput!) { rerun(input: $input) { duplicate run { id version labels payload rerunOf } } }";
const LINKS = "query ($id: ID!) { run(id: $id) { resumedFrom { run from } resumedBy rerunOf payload } }";
const AUDIT = "{ audit(first: 100) { edges { node { actor action subject detail } } } }";

interface Begun {
  readonly duplicate: boolean;
  readonly run: {
    readonly id: string;
    readonly version: string;
    readonly labels: readonly string[];
    readonly rerunOf?: string;
    readonly payload?: object;
  };
}
const tenant = await opened.tenant("resume");
const version = await publishText(tenant, chain("w", { a: "return 1;", b: "return 2;", c: "return 3;" }));

const resume = (input: object, by: Tenant = tenant): Promise<Begun> => by.field<Begun>("resumeRun", RESUME, { input });
const refused = async (input: object): Promise<readonly string[]> => (await tenant.ask(RESUME, { input })).codes;
const links = (id: string): Promise<object> => tenant.field<object>("run", LINKS, { id });

interface Listed {
  readonly cursor: string;
  readonly node: { readonly id: string; readonly status: string; readonly output: unknown; readonly attempts: readonly unknown[] };
}
async function steps(id: string, page: string): Promise<readonly Listed[]> {
  const query = `query ($id: ID!) { run(id: $id) { steps(${page}) { edges { cursor node { id status output attempts { number } } } } } }`;
  return (await tenant.field<{ steps: { edges: readonly Listed[] } }>("run", query, { id })).steps.edges;
}
const toldOf = ({ node: { id, status, output, attempts } }: Listed): string => `${id} ${status} ${output} ${attempts.length}`;

const settled = (node: string, output: number): NewEvent => ({ type: "step_succeeded", data: { node, attempt: 1, output, cpuMs: 1 } });
const began = (node: string): NewEvent => ({ type: "step_started", data: { node, attempt: 1 } });
const charged = (
  node: string,
  outcome: RunEvents["operation_settled"]["outcome"] = { status: "succeeded", result: 7 },
): readonly NewEvent[] => {
  const effect = { class: "unsafe", windowMs: null, conclusiveNotFoundAfterMs: null, pendingMaxMs: null } as const;
  const what = { capability: "acme.payments", operation: "refund", release: `sha256:${"1".repeat(64)}`, name: null };
  const called = { ...what, inputDigest: "i", input: {}, effect, timeoutMs: 1_000 };
  const call = { node, attempt: 1, call: 1, try: 1 };
  return [
    { type: "operation_started", data: { ...call, key: `key of ${node}`, by: "script", called, seen: [], reused: null } },
    { type: "operation_settled", data: { ...call, outcome, evidence: "" } },
  ];
};
const failing = (node: string): readonly NewEvent[] => {
  const failure = { code: "WOML_SCRIPT_THROWN", kind: "script_threw", message: "no" };
  return [
    { type: "step_failed", data: { node, attempt: 1, failure, cpuMs: 1 } },
    { type: "outcome_decided", data: { status: "failed", failure } },
    { type: "run_failed", data: { failure } },
  ];
};
/** A run whose step b has charged, as c has, which then failed. */
async function failed(): Promise<string> {
  const { run } = await start(tenant, { workflow: "w", version, payload: { n: 1 }, labels: ["red"] });
  await player.admit(run.id, "a");
  await player.append(run.id, [
    settled("a", 1),
    began("b"),
    ...charged("b"),
    settled("b", 2),
    began("c"),
    ...charged("c"),
    ...failing("c"),
  ]);
  return run.id;
}
const bodyOf = async (id: string): Promise<object> =>
  (await player.inbox()).find(({ run }) => run === parseRunId(id))?.body ?? assert.fail();

test("a run that has ended is resumed by one that says which, and both tell of each other", async () => {
  const id = await failed();
  const { duplicate, run } = await resume({ run: id, from: "c" });
  assert.deepEqual([duplicate, run.version, run.labels], [false, version, ["red"]]);
  const resumed = { run: parseRunId(id), from: "c" };
  assert.deepEqual(await bodyOf(run.id), {
    ...{ kind: "start", workflow: "w", version: version.replace("ver_", "sha256:"), trigger: { kind: "manual", id: "go" } },
    ...{ payload: { n: 1 }, labels: ["red"], resumed },
  });
  const asked = await links(run.id);
  assert.deepEqual(asked, { resumedFrom: { run: id, from: "c" }, resumedBy: [], rerunOf: null, payload: { n: 1 } });
  assert.deepEqual(await links(id), { resumedFrom: null, resumedBy: [run.id], rerunOf: null, payload: { n: 1 } });
  const taken = ["a", "b"].map((node, at): NewEvent => ({ type: "output_inherited", data: { node, output: at, isStep: true } }));
  await player.admit(run.id, "c", {}, [...taken, { type: "output_inherited", data: { node: "r", output: 0 } }]);
  assert.deepEqual(await links(run.id), asked, "what its log says is what its request said");
  const [first] = await steps(run.id, "first: 1");
  assert.deepEqual((await steps(run.id, "first: 9")).map(toldOf), ["a inherited 0 0", "b inherited 1 0", "c running null 1"]);
  assert.deepEqual((await steps(run.id, `first: 9, after: "${first?.cursor}"`)).map(toldOf), ["b inherited 1 0", "c running null 1"]);
});

test("U1: with its own payload it is resumed once: the same again answers the same run, and from elsewhere it is refused", async () => {
  const id = await failed();
  const { run } = await resume({ run: id, from: "c" });
  for (const input of [
    { run: id, from: "c" },
    { run: id, from: "c", payload: { n: 1 } },
  ])
    assert.deepEqual(await resume(input).then((again) => [again.duplicate, again.run.id]), [true, run.id]);
  const { codes, errors } = await tenant.ask(RESUME, { input: { run: id, from: "b" } });
  assert.deepEqual([codes, errors[0]?.extensions["run"]], [["WOML_RUN_ALREADY_RESUMED"], run.id]);
});

test("U1: a request that an engine refused, and a run that it refused to begin, leave the place free", async () => {
  const id = await failed();
  const first = await resume({ run: id, from: "c" });
  const request = (await player.inbox()).find(({ run }) => run === parseRunId(first.run.id));
  await opened.engine.answer([{ tenant: asTenantId(tenant.id), id: request?.id ?? "", answer: "RUN_NOT_ADMISSIBLE" }]);
  const second = await resume({ run: id, from: "b" });
  assert.notEqual(second.run.id, first.run.id);
  const failure = { code: "WOML_RESUME_LOG_BROKEN", kind: "resume_refused", message: "no" };
  await player.refuse(second.run.id, failure);
  const third = await resume({ run: id, from: "b" });
  assert.deepEqual([third.duplicate, third.run.id === second.run.id], [false, false]);
});

test("U2: with another payload what happens once more is listed, and has to be named; each request is one of its own, but for a key", async () => {
  const id = await failed();
  const input = { run: id, from: "b", payload: { n: 2 } };
  const { codes, errors } = await tenant.ask(RESUME, { input });
  assert.deepEqual([codes, errors[0]?.extensions["operations"]], [["WOML_RESUME_EFFECTS_UNACKNOWLEDGED"], ["b:1:1", "c:1:1"]]);
  assert.deepEqual(await refused({ ...input, acknowledgeEffects: ["b:1:1"] }), ["WOML_RESUME_EFFECTS_UNACKNOWLEDGED"]);
  const strange = await tenant.ask(RESUME, { input: { ...input, acknowledgeEffects: ["b:1:1", "a:1:1", "c:1:1", "zz"] } });
  assert.deepEqual([strange.codes, strange.errors[0]?.extensions["operations"]], [["WOML_RESUME_EFFECTS_STRANGE"], ["a:1:1", "zz"]]);
  assert.deepEqual(await refused({ run: id, from: "b", acknowledgeEffects: ["b:1:1"] }), ["WOML_RESUME_EFFECTS_STRANGE"]);
  const acknowledged = { ...input, acknowledgeEffects: ["c:1:1", "b:1:1"] };
  const [one, two] = [await resume(acknowledged), await resume(acknowledged)];
  assert.notEqual(one.run.id, two.run.id);
  const keyed = { ...acknowledged, idempotencyKey: "k" };
  const three = await resume(keyed);
  assert.deepEqual(await resume(keyed).then((again) => [again.duplicate, again.run.id]), [true, three.run.id]);
  assert.deepEqual(await refused({ ...keyed, payload: { n: 3 } }), ["WOML_IDEMPOTENCY_CONFLICT"]);
  assert.equal((await resume({ run: id, from: "b" })).duplicate, false, "its own payload has its own place");
});

test("U3: what was decided for one payload stands for no other", async () => {
  const step = (id: string): string => `<step id="${id}"><script>return 1;</script></step>`;
  const approval = `<approval id="ok"><when-approved>${step("yes")}</when-approved><when-rejected/></approval>`;
  const text = `<woml><workflow id="asks"><triggers><manual id="go"/></triggers><steps>${step("a")}${approval}${step("z")}</steps></workflow></woml>`;
  await publishText(tenant, text);
  const { run } = await start(tenant, { workflow: "asks", payload: { n: 1 } });
  await player.admit(run.id, "a");
  const at = { type: "choice_settled", data: { node: "ok:end" } } as const;
  await player.append(run.id, [
    settled("a", 1),
    { type: "approval_requested", data: { node: "ok", deadlineAt: null, onTimeout: "fail" } },
    { type: "approval_resolved", data: { node: "ok", decision: "rejected", source: "human", by: "k" } },
    { type: "choice_selected", data: { node: at.data.node, arm: "rejected" } },
    at,
    began("z"),
    ...failing("z"),
  ]);
  const edited = { run: run.id, payload: { n: 2 } };
  assert.deepEqual(await refused({ ...edited, from: "z" }), ["WOML_RESUME_APPROVAL_INHERITED"]);
  assert.equal((await resume({ ...edited, from: "ok" })).duplicate, false);
  assert.equal((await resume({ run: run.id, from: "z" })).duplicate, false);
});

test("what has not ended, is not there, was not reached or stands inside is refused, and nothing is written", async () => {
  const id = await failed();
  const { run: going } = await start(tenant, { workflow: "w" });
  await player.admit(going.id, "a");
  const early = await start(tenant, { workflow: "w" });
  await player.admit(early.run.id, "a");
  await player.append(early.run.id, failing("a"));
  const unsure = await start(tenant, { workflow: "w" });
  await player.admit(unsure.run.id, "a");
  const lost = { code: "X", message: "lost", retryable: false, ambiguous: true };
  await player.append(unsure.run.id, [...charged("a", { status: "unknown", failure: lost, told: true }), ...failing("a")]);
  const cases = [
    [{ run: going.id, from: "a" }, "WOML_RUN_NOT_ENDED"],
    [{ run: early.run.id, from: "b" }, "WOML_RESUME_NOT_REACHED"],
    [{ run: unsure.run.id, from: "a" }, "WOML_RESUME_EFFECT_UNKNOWN"],
    [{ run: id, from: "d" }, "WOML_RESUME_FROM_INVALID"],
    [{ run: id, from: "x".repeat(300) }, "WOML_RESUME_FROM_INVALID"],
    [{ run: id, from: "c", payload: [] }, "WOML_PAYLOAD_INVALID"],
    [{ run: "run_019a0000-0000-7000-8000-00000000000a", from: "a" }, "WOML_RUN_NOT_FOUND"],
  ] as const;
  const before = (await player.inbox()).length;
  for (const [input, code] of cases) assert.deepEqual(await refused(input), [code], JSON.stringify(input).slice(0, 80));
  assert.equal((await player.inbox()).length, before);
});

test("a rerun is a run of the active version with payload and labels of another, of whatever status", async () => {
  const id = await failed();
  const active = await publishText(tenant, chain("w", { a: "return 9;" }));
  const begun = await tenant.field<Begun>("rerun", RERUN, { input: { run: id } });
  assert.deepEqual(begun, {
    duplicate: false,
    run: { id: begun.run.id, version: active, labels: ["red"], payload: { n: 1 }, rerunOf: id },
  });
  const { run: queued } = await start(tenant, { workflow: "w", payload: { q: 1 } });
  const input = { run: queued.id, idempotencyKey: "k" };
  const again = await tenant.field<Begun>("rerun", RERUN, { input });
  assert.deepEqual([again.run.payload, again.run.rerunOf], [{ q: 1 }, queued.id]);
  assert.deepEqual(await tenant.field<Begun>("rerun", RERUN, { input }).then(({ duplicate, run }) => [duplicate, run.id]), [
    true,
    again.run.id,
  ]);
  await player.admit(again.run.id, "a");
  assert.equal(((await links(again.run.id)) as { rerunOf: string }).rerunOf, queued.id);
});

test("who resumed and repeated stands in the audit, with what was acknowledged", async () => {
  type Audit = { edges: readonly { node: { actor: string; action: string; subject: string; detail: object } }[] };
  const id = await failed();
  const by = tenant.key.split("_")[1];
  const { run } = await resume({ run: id, from: "c", payload: {}, acknowledgeEffects: ["c:1:1"] });
  const { run: second } = await tenant.field<Begun>("rerun", RERUN, { input: { run: id } });
  const { edges } = await tenant.field<Audit>("audit", AUDIT);
  const said = edges.map(({ node }) => node).filter(({ subject }) => subject === id);
  assert.deepEqual(said.toReversed(), [
    { actor: by, action: "run.resume", subject: id, detail: { run: run.id, from: "c", acknowledged: ["c:1:1"] } },
    { actor: by, action: "run.rerun", subject: id, detail: { run: second.id } },
  ]);
});
