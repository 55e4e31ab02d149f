// A run that is asked for a time, on a platform that runs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { field, publish, upForFile } from "../support/platform.ts";

const { platform } = await upForFile();
const LATER = `<woml><workflow id="later"><triggers><manual id="go"/></triggers>
  <steps><step id="s"><script>return context.payload.n;</script></step></steps></workflow></woml>`;
await publish(platform, LATER);

const START =
  'mutation ($n: JSON!, $at: String!) { startRun(input: { workflow: "later", payload: $n, startAt: $at }) { run { id status waiting } } }';
const RUN = "query ($id: ID!) { run(id: $id) { id status result waiting createdAt events { edges { node { type at } } } } }";
const CANCEL = "mutation ($id: ID!) { cancelRun(input: { run: $id }) { run { id } } }";
interface Seen {
  readonly id: string;
  readonly status: string;
  readonly result: unknown;
  readonly waiting: { readonly cause: string; readonly until?: string } | null;
  readonly events: { readonly edges: readonly { readonly node: { readonly type: string; readonly at: string } }[] };
}
const start = async (n: number, at: string): Promise<Seen> =>
  field<{ run: Seen }>(await platform.ask(START, { n: { n }, at }), "startRun").run;
const seen = async (id: string): Promise<Seen> => field<Seen>(await platform.ask(RUN, { id }), "run");
async function ended(id: string): Promise<Seen> {
  for (const began = Date.now(); ; await sleep(100)) {
    const run = await seen(id);
    if (["SUCCEEDED", "CANCELLED", "FAILED"].includes(run.status)) return run;
    if (Date.now() - began > 30_000) throw new Error(`not ended: ${JSON.stringify(run)}`);
  }
}

test("it begins at its time and not before", async () => {
  const at = new Date(Date.now() + 3_000).toISOString();
  const { id, status, waiting } = await start(1, at);
  assert.deepEqual([status, waiting?.cause, waiting?.until], ["QUEUED", "start_at", at]);
  const run = await ended(id);
  assert.deepEqual([run.status, run.result], ["SUCCEEDED", 1]);
  const [admitted] = run.events.edges;
  assert.equal(admitted?.node.type, "run_admitted");
  assert.ok(Date.parse(admitted.node.at) >= Date.parse(at), `${admitted.node.at} is before ${at}`);
});

test("it is listed while it waits, and a cancel ends it at once", async () => {
  const { id } = await start(2, new Date(Date.now() + 3_600_000).toISOString());
  await sleep(1_500);
  assert.equal((await seen(id)).status, "QUEUED");
  const list = "{ runs(status: [QUEUED]) { edges { node { id } } } }";
  const { edges } = field<{ edges: { node: { id: string } }[] }>(await platform.ask(list), "runs");
  assert.deepEqual(
    edges.map(({ node }) => node.id),
    [id],
  );
  assert.equal((await platform.ask(CANCEL, { id })).errors, undefined);
  const run = await ended(id);
  assert.deepEqual([run.status, run.result, run.waiting], ["CANCELLED", null, null]);
});
