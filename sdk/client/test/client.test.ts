import assert from "node:assert/strict";
import { test } from "node:test";
import { ClientError, openClient } from "../index.ts";
import { connection, platform, type Told } from "./platform.ts";

async function refused(work: Promise<unknown>): Promise<ClientError> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof ClientError);
    return error;
  }
  assert.fail("it was answered");
}

test("a call carries the key and answers the field", async (t) => {
  const { url, asked } = await platform(t, { body: { data: { me: { tenant: { id: "t", name: "demo" }, admin: false } } } });
  assert.deepEqual(await openClient(url, "woml_key").me(), { tenant: { id: "t", name: "demo" }, admin: false });
  assert.equal(asked[0]?.authorization, "Bearer woml_key");
});

test("neither a key that cannot be sent nor an address with a password is said aloud", async () => {
  for (const [url, key] of [
    ["http://127.0.0.1:9/graphql", "woml_secret\n"],
    ["http://127.0.0.1:9/graphql", ""],
    ["http://me:secret@127.0.0.1:9/graphql", "woml_key"],
  ] as const) {
    const { code, status, message } = await refused(openClient(url, key).me());
    assert.match(code, /^WOML_UN(AUTHENTICATED|REACHABLE)$/);
    assert.deepEqual([status, /secret/.test(message)], [0, false]);
  }
});

test("a refusal is a ClientError with code, message, status and what else was said", async (t) => {
  const extensions = { code: "WOML_PAYLOAD_TOO_LARGE", limit: 5, requestId: "r" };
  const { url } = await platform(t, { body: { data: null, errors: [{ message: "too large", extensions }] } });
  const error = await refused(openClient(url, "k").startRun({ workflow: "w" }));
  assert.deepEqual([error.code, error.message, error.status], ["WOML_PAYLOAD_TOO_LARGE", "too large", 200]);
  assert.deepEqual(error.details, { limit: 5, requestId: "r" });
});

test("a refusal with data beside it is still a refusal", async (t) => {
  const { url } = await platform(t, { body: { data: { run: null }, errors: [{ message: "no", extensions: { code: "WOML_INTERNAL" } }] } });
  assert.equal((await refused(openClient(url, "k").run("run_x"))).code, "WOML_INTERNAL");
});

test("answers that are not a platform's, and no answer, have codes of their own", async (t) => {
  for (const body of ["<html>", "null", "[]", "{}", { data: null }, { errors: [{ message: "no code" }] }, { errors: ["x"] }]) {
    const { url } = await platform(t, { status: 502, body });
    const error = await refused(openClient(url, "k").me());
    assert.deepEqual([error.code, error.status], ["WOML_ANSWER_UNREADABLE", 502], JSON.stringify(body));
  }
  const error = await refused(openClient("http://127.0.0.1:1/graphql", "k").me());
  assert.deepEqual([error.code, error.status], ["WOML_UNREACHABLE", 0]);
  assert.match(error.message, /127\.0\.0\.1:1/);
});

test("a redirect is not followed: the key goes nowhere else", async (t) => {
  const other = await platform(t, { body: { data: { me: {} } } });
  const { url } = await platform(t, { status: 307, headers: { location: other.url }, body: {} });
  assert.equal((await refused(openClient(url, "k").me())).code, "WOML_UNREACHABLE");
  assert.deepEqual(other.asked, []);
});

const at = "2023-11-14T22:13:20.000Z";
const listed = { id: "run_1", workflow: "w", version: "v", labels: ["l"], createdAt: at, endedAt: null };
const started = { seq: 2, type: "step_started", at, data: { node: "a", attempt: 1 } };
const succeeded = { seq: 3, type: "step_succeeded", at, data: { node: "a", attempt: 1, output: 7, cpuMs: 1 } };

test("a run is whole: its log in pages, and the view that follows from it", async (t) => {
  const admitted = { seq: 1, type: "run_admitted", at, data: { payload: { n: 1 } } };
  const told = (nodes: readonly object[], more: boolean, status = "RUNNING"): Told => ({
    body: { data: { run: { ...listed, status, waiting: { cause: "script" }, events: connection(nodes, `c${nodes.length}`, more) } } },
  });
  const end = { seq: 4, type: "run_succeeded", at, data: { result: 7 } };
  const { url, asked } = await platform(t, told([admitted, started], true), told([succeeded], true), told([end], false));
  const run = await openClient(url, "k").run("run_1");
  assert.deepEqual(
    asked.map(({ variables }) => variables["after"]),
    [null, "c2", "c1"],
  );
  assert.deepEqual(run, {
    ...{ id: "run_1", workflow: "w", version: "v", labels: ["l"] },
    ...{ status: "succeeded", waiting: null, payload: { n: 1 }, result: 7, failure: null },
    steps: [
      {
        ...{ id: "a", node: "a", iteration: null, status: "succeeded", output: 7 },
        attempts: [{ number: 1, outcome: "succeeded", failure: null, startedAt: at, endedAt: at, cpuMs: 1 }],
      },
    ],
    ...{ choices: [], groups: [], forks: [], loops: [], approvals: [], hooks: [], warnings: [] },
    ...{ operations: [], unresolvedEffects: [], head: 4 },
    events: [admitted, started, succeeded, end],
  });
});

test("where a run stands that goes on is said by the last page", async (t) => {
  const page = (status: string, node: object, more: boolean): Told => ({
    body: { data: { run: { ...listed, status, waiting: { cause: status }, events: connection([node], "c", more) } } },
  });
  const { url } = await platform(t, page("RUNNING", started, true), page("WAITING", succeeded, false));
  const run = await openClient(url, "k").run("run_1");
  assert.deepEqual([run?.status, run?.waiting?.cause, run?.payload], ["waiting", "WAITING", null]);
});

test("one that goes on is read as far as it was at first; one that ended meanwhile to its end", async (t) => {
  const page = (node: object, head: number, endedAt: string | null): Told => ({
    body: { data: { run: { ...listed, endedAt, status: "RUNNING", waiting: null, head, events: connection([node], "c", true) } } },
  });
  const going = await platform(t, page(started, 3, null), page(succeeded, 9, null));
  assert.equal((await openClient(going.url, "k").run("run_1"))?.head, 3);
  assert.equal(going.asked.length, 2);
  const end = { seq: 4, type: "run_succeeded", at, data: { result: 7 } };
  const last = {
    body: { data: { run: { ...listed, endedAt: at, status: "SUCCEEDED", waiting: null, events: connection([end], "c", false) } } },
  };
  const ended = await platform(t, page(started, 3, null), page(succeeded, 4, at), last);
  assert.equal((await openClient(ended.url, "k").run("run_1"))?.status, "succeeded");
});

test("a run without a log says what it was asked to run on, and why it could not be admitted", async (t) => {
  const failure = { code: "WOML_RUN_NOT_ADMISSIBLE" };
  const { url } = await platform(
    t,
    { body: { data: { run: { ...listed, status: "FAILED", waiting: null, events: connection([], null, false) } } } },
    { body: { data: { run: { payload: { n: 1 }, failure } } } },
  );
  const run = await openClient(url, "k").run("run_1");
  assert.deepEqual([run?.status, run?.payload, run?.failure, run?.steps], ["failed", { n: 1 }, failure, []]);
});

test("a run that is not there is null", async (t) => {
  const { url } = await platform(t, { body: { data: { run: null } } }, { body: { data: { run: null } } });
  assert.equal(await openClient(url, "k").run("run_1"), null);
  assert.equal(await openClient(url, "k").summary("run_1"), null);
});

test("runs are asked for in the API's words and answered in ours", async (t) => {
  const { url, asked } = await platform(t, { body: { data: { runs: connection([{ id: "run_1", status: "FAILED" }], "c", true) } } });
  const page = await openClient(url, "k").runs({ status: ["failed", "cancelled"], label: "x", first: 1 });
  assert.deepEqual(page, { items: [{ id: "run_1", status: "failed" }], hasNextPage: true, endCursor: "c" });
  assert.deepEqual(asked[0]?.variables, { status: ["FAILED", "CANCELLED"], label: "x", first: 1 });
});
