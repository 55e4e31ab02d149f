import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { approvalToken, asTenantId, type NewEvent, parseRunId, type RunEvents } from "@woml/run";
import { chain, openForFile, publishText, start, type Tenant } from "./opened.ts";

const opened = await openForFile();
const { player } = opened;
const tenant = await opened.tenant("approvals");
await publishText(tenant, chain("w", { s: "return 1;" }));

const DECIDE = "mutation ($input: ResolveApprovalInput!) { resolveApproval(input: $input) { run { id } } }";
const DAY_MS = 86_400_000;
const derive = (seed: string, label: string): string => createHmac("sha256", seed).update(label).digest("hex");

/** A run that has come to the approval `ok`. */
async function waiting(more: Partial<RunEvents["approval_requested"]> = {}, by: Tenant = tenant): Promise<string> {
  const { run } = await start(by, { workflow: "w" });
  await player.admit(run.id, "s");
  const asks: NewEvent = { type: "approval_requested", data: { node: "ok", deadlineAt: null, onTimeout: "fail", ...more } };
  await player.append(run.id, [asks]);
  return run.id;
}
const resolved = (decision: "approved" | "rejected", source: "human" | "timeout" = "human"): NewEvent => ({
  type: "approval_resolved",
  data: { node: "ok", decision, source, by: source === "human" ? "k" : null },
});
const decide = async (run: string, decision: string, over: object = {}, by: Tenant = tenant): Promise<readonly string[]> =>
  (await by.ask(DECIDE, { input: { run, approval: "ok", decision, ...over } })).codes;
const asked = async (id: string): Promise<readonly { readonly id: string; readonly body: object }[]> =>
  (await player.inbox()).filter(({ run, body }) => run === parseRunId(id) && body.kind === "resolve_approval");
const bodies = async (id: string): Promise<readonly object[]> => (await asked(id)).map(({ body }) => body);
const key = tenant.key.split("_")[1];

interface Entry {
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: unknown;
}
async function audited(id: string): Promise<readonly Entry[]> {
  const AUDIT = "{ audit(first: 100) { edges { node { actor action subject detail } } } }";
  const { edges } = await tenant.field<{ edges: readonly { readonly node: Entry }[] }>("audit", AUDIT);
  return edges.map(({ node }) => node).filter(({ subject }) => subject.startsWith(id));
}

const tokenOf = (id: string, site = "ok", seed = "the seed", of = tenant.id): string =>
  approvalToken({ tenant: asTenantId(of), run: parseRunId(id) ?? assert.fail(), site }, seed, derive);
const root = opened.url.replace("/graphql", "");
interface Said {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly code: string | undefined;
}
async function send(path: string, init: RequestInit = {}): Promise<Said> {
  const response = await fetch(`${root}${path}`, { redirect: "error", ...init });
  const text = await response.text();
  const code = /"code":"(\w+)"/.exec(text)?.[1] ?? /WOML_\w+/.exec(text)?.[0];
  return { status: response.status, headers: response.headers, text, code };
}
const JSON_BODY = { "content-type": "application/json" };
const post = (token: string, body: unknown, headers: Record<string, string> = JSON_BODY): Promise<Said> =>
  send(`/api/v1/approvals/${token}/decision`, { method: "POST", headers, body: typeof body === "string" ? body : JSON.stringify(body) });
const say = (token: string, decision: string): Promise<Said> => post(token, { decision });
const look = (token: string, method = "GET"): Promise<Said> => send(`/approvals/${token}`, { method });

test("the first decision goes into the inbox once, with who decided, and into the audit; the opposite one is refused", async () => {
  const id = await waiting();
  assert.deepEqual(await decide(id, "APPROVED"), []);
  assert.equal(opened.rung.at(-1), player.engine);
  assert.deepEqual(await decide(id, "APPROVED"), []);
  assert.deepEqual(await decide(id, "REJECTED"), ["WOML_APPROVAL_DECISION_CONFLICT"]);
  assert.deepEqual(await bodies(id), [{ kind: "resolve_approval", node: "ok", decision: "approved", by: key }]);
  assert.deepEqual(await audited(id), [{ actor: key, action: "approval.decide", subject: `${id} ok`, detail: { decision: "approved" } }]);
});

test("what was decided stays so, also when the run has ended: the same again is fine, the opposite is not", async () => {
  const id = await waiting();
  await player.append(id, [resolved("rejected")]);
  const twice = async () => [await decide(id, "REJECTED"), await decide(id, "APPROVED")];
  assert.deepEqual(await twice(), [[], ["WOML_APPROVAL_DECISION_CONFLICT"]]);
  await player.finish(id, "s", null);
  assert.deepEqual(await twice(), [[], ["WOML_APPROVAL_DECISION_CONFLICT"]]);
  assert.deepEqual(await bodies(id), []);
});

test("one that is not there, is over, or stands in a run that ends takes no decision, and nothing is written", async () => {
  const cancel: NewEvent = { type: "cancel_requested", data: { request: "r" } };
  const past = Date.now() - 1_000;
  const timedOut: NewEvent = { type: "approval_failed", data: { node: "ok", reason: "timeout" } };
  const cases: readonly [string, () => Promise<string>, object?][] = [
    ["WOML_APPROVAL_NOT_FOUND", () => waiting(), { approval: "other" }],
    ["WOML_ID_INVALID", () => waiting(), { approval: "o k" }],
    ["WOML_RUN_NOT_FOUND", async () => "run_019a0000-0000-7000-8000-00000000000a"],
    ["WOML_APPROVAL_EXPIRED", () => waiting({ deadlineAt: past })],
    ["WOML_APPROVAL_EXPIRED", () => after({ deadlineAt: past }, timedOut)],
    ["WOML_APPROVAL_EXPIRED", () => after({ deadlineAt: past, onTimeout: "reject" }, resolved("rejected", "timeout"))],
    ["WOML_RUN_ALREADY_TERMINAL", () => after({}, cancel)],
  ];
  for (const [code, make, over] of cases) {
    const id = await make();
    for (const decision of ["APPROVED", "REJECTED"]) assert.deepEqual(await decide(id, decision, over), [code], code);
    if (id.startsWith("run_019a0000-0000")) continue;
    assert.deepEqual([await bodies(id), await audited(id)], [[], []], code);
  }
  const ended = await waiting();
  await player.append(ended, [cancel, { type: "step_cancelled", data: { node: "s", attempt: 1, reason: "cancelled" } }]);
  await player.append(ended, [
    { type: "outcome_decided", data: { status: "cancelled" } },
    { type: "run_cancelled", data: {} },
  ]);
  assert.deepEqual(await decide(ended, "APPROVED"), ["WOML_RUN_ALREADY_TERMINAL"]);
  const held = await waiting();
  await player.hold(held, "fold threw");
  assert.deepEqual(await decide(held, "APPROVED"), ["WOML_RUN_HELD"]);
});
async function after(more: Partial<RunEvents["approval_requested"]>, ...events: readonly NewEvent[]): Promise<string> {
  const id = await waiting(more);
  await player.append(id, events);
  return id;
}

test("another tenant's approval is not there, and the administrator decides nothing", async () => {
  const id = await waiting();
  assert.deepEqual(await decide(id, "APPROVED", {}, await opened.tenant("approvals-other")), ["WOML_RUN_NOT_FOUND"]);
  assert.deepEqual(await decide(id, "APPROVED", {}, opened.admin), ["WOML_FORBIDDEN"]);
  assert.deepEqual(await bodies(id), []);
});

test("one that the engine found moot leaves the place free for the next", async () => {
  const id = await waiting();
  assert.deepEqual(await decide(id, "APPROVED"), []);
  const [request] = await asked(id);
  await opened.engine.answer([{ tenant: asTenantId(tenant.id), id: request?.id ?? "", answer: "APPROVAL_NOT_WAITING" }]);
  assert.deepEqual(await decide(id, "REJECTED"), []);
  assert.deepEqual(await bodies(id), [{ kind: "resolve_approval", node: "ok", decision: "rejected", by: key }]);
});

test("of decisions that are sent at once one is stored, and all others of its kind agree with it", async () => {
  const id = await waiting();
  const all = await Promise.all(Array.from({ length: 12 }, (_, at) => decide(id, at % 2 === 0 ? "APPROVED" : "REJECTED")));
  const [body] = (await bodies(id)) as readonly { readonly decision: string }[];
  const isEven = body?.decision === "approved";
  assert.equal((await bodies(id)).length, 1);
  for (const [at, codes] of all.entries())
    assert.deepEqual(codes, (at % 2 === 0) === isEven ? [] : ["WOML_APPROVAL_DECISION_CONFLICT"], `${at}`);
});

test("whoever has the token decides without a key, once: the same again is the same answer, the opposite one is refused", async () => {
  const id = await waiting();
  const token = tokenOf(id);
  const first = await say(token, "rejected");
  assert.deepEqual([first.status, JSON.parse(first.text)], [200, { decision: "rejected" }]);
  assert.equal(first.headers.get("cache-control"), "no-store");
  assert.equal((await say(token, "rejected")).status, 200);
  const other = await say(token, "approved");
  assert.deepEqual([other.status, other.code], [409, "WOML_APPROVAL_DECISION_CONFLICT"]);
  assert.deepEqual(await bodies(id), [{ kind: "resolve_approval", node: "ok", decision: "rejected", by: "token" }]);
  assert.deepEqual(
    (await audited(id)).map(({ actor }) => actor),
    ["token"],
  );
  await player.append(id, [resolved("rejected")]);
  assert.deepEqual([(await say(token, "rejected")).status, (await say(token, "approved")).status], [200, 409]);
});

test("PC-08: whoever only follows the link decides nothing, however often; the form of the page does", async () => {
  const id = await waiting({ deadlineAt: Date.now() + DAY_MS, onTimeout: "reject" });
  const token = tokenOf(id);
  for (const method of ["GET", "HEAD", "GET", "HEAD"]) {
    const { status, text, headers } = await look(token, method);
    assert.equal(status, 200, method);
    assert.equal(/<form method="post">/.test(text), method === "GET");
    assert.deepEqual([headers.get("referrer-policy"), headers.get("cache-control")], ["no-referrer", "no-store"]);
    assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'.*frame-ancestors 'none'/);
    assert.ok(!text.includes(token.split(".")[1] ?? "") && !text.includes("seed"));
  }
  const query = await send(`/approvals/${token}?decision=approved`);
  assert.deepEqual([query.status, await bodies(id), await audited(id)], [200, [], []]);
  for (const method of ["GET", "PUT", "DELETE"]) {
    const said = await send(`/api/v1/approvals/${token}/decision`, { method });
    assert.deepEqual([said.status, said.code, said.headers.get("allow")], [405, "WOML_METHOD_NOT_ALLOWED", "POST"], method);
  }
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  for (const body of ["", "decision=maybe", "decision=approved&decision=rejected", "decision=rejected&decision=rejected"]) {
    const bad = await send(`/approvals/${token}`, { method: "POST", headers, body });
    assert.deepEqual([bad.status, bad.code, await bodies(id)], [400, "WOML_APPROVAL_REQUEST_INVALID", []], body);
  }
  const sent = await send(`/approvals/${token}`, { method: "POST", headers, body: "decision=approved" });
  assert.match(sent.text, /It is approved\./);
  assert.deepEqual(await bodies(id), [{ kind: "resolve_approval", node: "ok", decision: "approved", by: "token" }]);
  await player.append(id, [resolved("approved")]);
  const over = await look(token);
  assert.ok(/It was approved at /.test(over.text) && !/<form/.test(over.text));
});

test("a token of something else, of another seed, or of nothing opens nothing, and all of them look alike", async () => {
  const id = await waiting();
  const token = tokenOf(id);
  const nobody = "run_019a0000-0000-7000-8000-00000000000a";
  const other = (await opened.tenant("approvals-token")).id;
  const { run } = await start(tenant, { workflow: "w" });
  const wrong = [
    tokenOf(id, "other"),
    tokenOf(id, "ok", "another seed"),
    tokenOf(id, "ok", ""),
    tokenOf(nobody),
    tokenOf(run.id),
    "apr_x",
    "%00",
  ];
  wrong.push(tokenOf(id, "ok", "the seed", other), `${token.slice(0, -1)}${token.endsWith("0") ? 1 : 0}`, tokenOf(id, "x".repeat(256)));
  const seen = new Set<string>();
  for (const text of wrong) {
    const { status, text: answer } = await say(text, "approved");
    assert.equal(status, 404, text);
    seen.add(answer);
    assert.equal((await look(text)).status, 404);
  }
  assert.deepEqual(
    [...seen].map((answer) => JSON.parse(answer).error.code),
    ["WOML_APPROVAL_TOKEN_INVALID"],
  );
  assert.deepEqual(await bodies(id), []);
});

test("a token is good for a day, and none decides what is over or cancelled", async () => {
  const over = await waiting({ deadlineAt: Date.now() - 1 });
  const late = await say(tokenOf(over), "approved");
  assert.deepEqual([late.status, late.code], [410, "WOML_APPROVAL_EXPIRED"]);
  assert.match((await look(tokenOf(over))).text, /Its time is over/);
  const gone = await waiting();
  await player.append(gone, [{ type: "cancel_requested", data: { request: "r" } }]);
  const said = await say(tokenOf(gone), "approved");
  assert.deepEqual([said.status, said.code], [410, "WOML_RUN_ALREADY_TERMINAL"]);
});

test("a body that is no decision, too long or of another type is refused before anything is asked", async () => {
  const id = await waiting();
  const token = tokenOf(id);
  for (const body of [
    "",
    "{",
    "null",
    "[]",
    '"approved"',
    {},
    { decision: "Approved" },
    { decision: ["approved"] },
    { decision: "approved", by: "x" },
  ]) {
    const { status, code } = await post(token, body);
    assert.deepEqual([status, code], [400, "WOML_APPROVAL_REQUEST_INVALID"], JSON.stringify(body));
  }
  const long = await post(token, `{"decision":"approved"${" ".repeat(2_000)}}`);
  assert.deepEqual([long.status, long.code], [413, "WOML_BODY_TOO_LARGE"]);
  const other = await post(token, '{"decision":"approved"}', { "content-type": "text/plain" });
  assert.deepEqual([other.status, other.code], [415, "WOML_CONTENT_TYPE_UNSUPPORTED"]);
  const packed = await post(token, '{"decision":"approved"}', { ...JSON_BODY, "content-encoding": "gzip" });
  assert.deepEqual([packed.status, packed.code], [415, "WOML_CONTENT_ENCODING_UNSUPPORTED"]);
  assert.deepEqual(await bodies(id), []);
});
