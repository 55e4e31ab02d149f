import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptStartAt, START_AHEAD_MS, START_LATE_MS } from "../start-at.ts";
import { chain, openForFile, publishText, START, start } from "./opened.ts";

const opened = await openForFile();
const tenant = await opened.tenant("start-at");
const version = await publishText(tenant, chain("w", { s: "return 1;" }));
const HOUR = 3_600_000;
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
const refusal = async (input: object) => (await tenant.ask(START, { input })).errors[0]?.extensions ?? {};
interface Listed {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string; readonly status: string } }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
}
const RUNS = `query ($first: Int, $after: String, $status: [RunStatus!], $workflow: ID, $label: String) {
  runs(first: $first, after: $after, status: $status, workflow: $workflow, label: $label) {
    edges { cursor node { id status payload waiting } } pageInfo { hasNextPage endCursor } } }`;
const list = (variables: object): Promise<Listed> => tenant.field("runs", RUNS, variables);
const ids = ({ edges }: Listed): readonly string[] => edges.map(({ node }) => node.id);

test("a run that is asked for a time is known at once, keeps the version of now, and says until when it waits", async () => {
  const startAt = inMs(HOUR);
  const { run } = await start(tenant, { workflow: "w", payload: { a: 1 }, startAt });
  assert.deepEqual([run.status, run.payload, run.version], ["QUEUED", { a: 1 }, version]);
  const { waiting } = await tenant.field<{ waiting: { cause: string; until: string; actions: readonly string[] } }>(
    "run",
    "query ($id: ID!) { run(id: $id) { waiting } }",
    { id: run.id },
  );
  assert.deepEqual([waiting.cause, waiting.until, waiting.actions], ["start_at", startAt, ["cancelRun"]]);
});

test("the same key with the same time, however it is written, is the same run; with another time it is a conflict", async () => {
  const at = Math.floor(Date.now() / 1_000) * 1_000 + HOUR;
  const input = { workflow: "w", idempotencyKey: "timed" };
  const first = await start(tenant, { ...input, startAt: new Date(at).toISOString() });
  const offset = `${new Date(at + 2 * HOUR).toISOString().slice(0, 19)}+02:00`;
  const again = await start(tenant, { ...input, startAt: offset });
  assert.deepEqual([again.duplicate, again.run.id], [true, first.run.id]);
  for (const other of [{ startAt: new Date(at + 1).toISOString() }, {}])
    assert.equal((await refusal({ ...input, ...other }))["code"], "WOML_IDEMPOTENCY_CONFLICT");
});

test("what is no time, is past or too far ahead is refused, and nothing is stored", async () => {
  const before = ids(await list({ first: 100 })).length;
  for (const startAt of ["tomorrow", "2026-12-24", "2026-12-24T18:00:00", "", inMs(-2 * START_LATE_MS), inMs(2 * START_AHEAD_MS)])
    assert.equal((await refusal({ workflow: "w", startAt }))["code"], "WOML_START_AT_INVALID", startAt);
  assert.equal(ids(await list({ first: 100 })).length, before);
});

test("runs that nobody has admitted are listed, newest first and in pages, by workflow, status and label", async () => {
  await publishText(tenant, chain("listed", { s: "return 1;" }));
  const asked = [];
  for (const labels of [["x"], ["y"], ["x"]]) asked.push((await start(tenant, { workflow: "listed", labels, startAt: inMs(HOUR) })).run.id);
  const [a, b, c] = asked;
  const of = { workflow: "listed" };
  assert.deepEqual(ids(await list({ ...of, status: ["QUEUED"] })), [c, b, a]);
  assert.deepEqual(ids(await list({ ...of, label: "x" })), [c, a]);
  assert.deepEqual(ids(await list({ ...of, status: ["RUNNING", "FAILED"] })), []);
  const page = await list({ ...of, first: 2 });
  assert.deepEqual([ids(page), page.pageInfo.hasNextPage], [[c, b], true]);
  assert.deepEqual(ids(await list({ ...of, first: 2, after: page.pageInfo.endCursor })), [a]);
  const other = await opened.tenant("start-at-other");
  assert.deepEqual((await other.field<Listed>("runs", RUNS, {})).edges, []);
});

const NOW = Date.parse("2026-06-01T12:00:00Z");
const TIMES: Readonly<Record<string, string | null>> = {
  "2026-06-01T12:00:01Z": "2026-06-01T12:00:01.000Z",
  "2026-06-01T14:30+02:00": "2026-06-01T12:30:00.000Z",
  "2026-06-01T12:00:00.000001-00:30": "2026-06-01T12:30:00.000Z",
  "2026-06-01T12:00:00Z": null,
  "2026-06-01T11:59:00Z": null,
  "2027-06-02T12:00:00Z": "2027-06-02T12:00:00.000Z",
};
test("times have an offset; one that is past by no more than a minute is now, one a year ahead is still taken", () => {
  for (const [text, at] of Object.entries(TIMES)) assert.equal(acceptStartAt(text, NOW), at === null ? null : Date.parse(at), text);
  assert.deepEqual([acceptStartAt(null, NOW), acceptStartAt(undefined, NOW)], [null, null]);
  const no = [
    "2026-02-30T00:00Z",
    "2026-06-31T00:00Z",
    "2026-06-01T24:00Z",
    "2026-06-01T12:60Z",
    "2026-06-01 12:00Z",
    "2026-06-01T12:00+24:00",
  ];
  for (const text of [...no, "2026-06-01T11:58:59.999Z", "2027-06-02T12:00:00.001Z", "20260601T120000Z", "2026-06-01T12:00:00z"])
    assert.throws(() => acceptStartAt(text, NOW), { code: "WOML_START_AT_INVALID" }, text);
});
