// kill -9 of control, engine and database in the middle of 300 deliveries: whoever was told 202 has a run, and nobody has two.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { publish, scratch, type Up, up } from "../../support/platform.ts";

const HOOK = `<woml><workflow id="kill"><triggers><webhook id="in" path="/kill" auth="none"/></triggers>
  <steps><step id="a"><script>return context.payload.n;</script></step><step id="b"><script>return context.steps.a;</script></step></steps></workflow></woml>`;
const POSTS = 300;
const IN_FLIGHT = 50;

interface Told {
  readonly runId: string;
  readonly duplicate: boolean;
}
/** null: nobody knows what became of it. */
async function post(platform: Up, n: number): Promise<Told | null> {
  const headers = { "content-type": "application/json", "idempotency-key": `order-${n}` };
  const url = `${new URL(platform.graphql).origin}/t/demo/hooks/kill`;
  try {
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ n }) });
    return response.status === 202 ? ((await response.json()) as Told) : null;
  } catch {
    return null;
  }
}

/** All of them, so many at a time; `heard` is called with how many were answered. */
async function postAll(platform: Up, heard: (answered: number) => void): Promise<readonly (Told | null)[]> {
  const told: (Told | null)[] = Array(POSTS).fill(null);
  let [next, answered] = [0, 0];
  const work = async (): Promise<void> => {
    while (next < POSTS) {
      const n = next++;
      told[n] = await post(platform, n);
      if (told[n] !== null) heard(++answered);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  return told;
}

for (const after of [1, 40, 170]) {
  test(`killed after ${after} answers: every 202 has its run exactly once`, async (t) => {
    const data = join(scratch(t), "data");
    const first = await up(t, data);
    await publish(first, HOOK);
    let killed: Promise<void> | null = null;
    const before = await postAll(first, (answered) => {
      if (answered >= after) killed ??= first.kill();
    });
    await (killed ?? assert.fail("it was never killed"));
    const accepted = before.filter((one) => one !== null);
    assert.ok(accepted.length >= after && accepted.length < POSTS, `${accepted.length} were answered`);
    const second = await up(t, data);
    const again = await postAll(second, () => {});
    for (const [n, one] of before.entries()) if (one !== null) assert.deepEqual(again[n], { ...one, duplicate: true });
    const runs = await settled(second);
    assert.equal(runs.length, POSTS);
    assert.deepEqual(new Set(runs.map(({ status }) => status)), new Set(["succeeded"]));
    assert.deepEqual(runs.map(({ id }) => `run_${id}`).toSorted(), again.map((one) => one?.runId ?? "none").toSorted());
  });
}

interface Row {
  readonly id: string;
  readonly status: string;
}
/** The workflow's runs once all that was asked for has ended. */
async function settled(platform: Up): Promise<readonly Row[]> {
  const client = new Client({ connectionString: platform.databaseUrl });
  await client.connect();
  try {
    for (const until = Date.now() + 60_000; ; await sleep(200)) {
      const { rows } = await client.query<Row>("SELECT id::text, status FROM run WHERE workflow = 'kill'");
      const { rows: open } = await client.query("SELECT id FROM request WHERE kind = 'start' AND consumed_at IS NULL");
      const isOver = open.length === 0 && rows.every(({ status }) => ["succeeded", "failed", "cancelled"].includes(status));
      if (isOver || Date.now() > until) return rows;
    }
  } finally {
    await client.end();
  }
}
