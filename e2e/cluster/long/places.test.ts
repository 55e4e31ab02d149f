// Lanes of one and of three, whose runs give up their places and take them again, while engines are killed, held and ended: who is in is counted outside.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { field, publish, START, undo } from "../../support/platform.ts";
import { redisLacks } from "../../support/redis.ts";
import { grant, newTenant } from "../../support/review.ts";
import { woml } from "../../support/woml.ts";
import { asking } from "../asking.ts";
import { type Cluster, openCluster } from "../ground.ts";
import type { ClusterNode } from "../node.ts";

const lacks = redisLacks();
const skip = lacks !== null && process.env["WOML_REQUIRE_ALL"] !== "1" ? lacks : false;
const RUNS = 6;
const EVERY_MS = 2_500;
const LIMIT_MS = 240_000;

interface Gate {
  readonly place: string;
  /** By lane, how many runs there were inside at once, at most. */
  readonly most: ReadonlyMap<string, number>;
}
/** Says who is inside: a run comes and goes by a request of its own. */
async function openGate(t: TestContext): Promise<Gate> {
  const inside = new Map<string, Set<string>>();
  const most = new Map<string, number>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://gate");
    const [lane, run] = [searchParams.get("lane") ?? "", searchParams.get("run") ?? ""];
    const runs = inside.get(lane) ?? new Set();
    inside.set(lane, runs);
    if (pathname === "/in") runs.add(run);
    else runs.delete(run);
    most.set(lane, Math.max(most.get(lane) ?? 0, runs.size));
    response.setHeader("content-type", "application/json");
    response.end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  undo(t, () => {
    server.closeAllConnections();
    server.close();
  });
  return { place: `127.0.0.1:${(server.address() as AddressInfo).port}`, most };
}

const RETRY = ' retry="3" retry-backoff="fixed" retry-delay="1s"';
/** A step that is inside for a while, once for each attempt; another where the gate was not reached. */
const step = (
  place: string,
  lane: string,
  [id, more = "", attributes = RETRY]: readonly [string, (string | undefined)?, (string | undefined)?],
): string => {
  const at = (what: string): string =>
    `await services.http.request({ url: 'http://${place}/${what}?lane=${lane}&run=' + context.payload.id }, { name: '${what}-' + attempt.number });`;
  const script = `${at("in")} await new Promise((done) => setTimeout(done, 60)); ${at("out")} ${more} return 1;`;
  return `<step id="${id}"${attributes}><script>${script}</script></step>`;
};
type Steps = (one: (id: string, more?: string, attributes?: string) => string) => string;
/** How a run gives its place up between two steps. */
const WAYS: { readonly [way: string]: Steps } = {
  backoff: (one) => one("a", "if (attempt.number < 3) throw new Error('again');") + one("b"),
  approval: (one) =>
    `${one("a")}<approval id="ok" timeout="2s" on-timeout="reject"><when-approved>${one("y")}</when-approved><when-rejected>${one("n")}</when-rejected></approval>`,
  call: (one) =>
    `${one("a")}<step id="c"><script>await services.workflows.call('child', {}, { name: 'c' }); return 1;</script></step>${one("b")}`,
};
const flow = (id: string, config: string, steps: string): string =>
  `<woml><workflow id="${id}">${config}<triggers><manual id="go"/></triggers><steps>${steps}</steps></workflow></woml>`;
const CHILD = flow("child", "", `<step id="s"><script>await new Promise((done) => setTimeout(done, 300)); return 1;</script></step>`);

/** Until told to stop: one engine after the other is killed, held for longer than its lease, or ended, and is there again. */
function strikeEngines({ nodes }: Cluster): () => Promise<number> {
  const engines = nodes.filter(({ role }) => role === "engine");
  const deeds: readonly ((engine: ClusterNode) => Promise<unknown>)[] = [
    (engine) => engine.kill(),
    async (engine) => {
      engine.signal("SIGSTOP");
      await sleep(4_000);
      engine.signal("SIGCONT");
      await sleep(500);
    },
    (engine) => engine.stop(),
  ];
  let [isOn, count] = [true, 0];
  const course = (async (): Promise<void> => {
    for (let nth = 0; isOn; nth++) {
      await sleep(EVERY_MS);
      const [engine, deed] = [engines[nth % engines.length], deeds[Math.floor(nth / engines.length) % deeds.length]];
      if (engine === undefined || deed === undefined) return;
      await deed(engine);
      count += 1;
      if (engine.pid === undefined) await engine.start();
    }
  })();
  return async () => {
    isOn = false;
    await course;
    return count;
  };
}

const LANES =
  "SELECT name, active, most, (SELECT count(*)::int FROM run r WHERE r.tenant = l.tenant AND r.workflow = l.name AND r.holds) AS holding FROM lane l";
const ENDS = `SELECT workflow, count(*) FILTER (WHERE status = 'succeeded')::int AS succeeded, array_agg(DISTINCT e.data->'failure'->>'code') FILTER (WHERE e.run IS NOT NULL) AS failed
  FROM run r LEFT JOIN run_event e ON e.tenant = r.tenant AND e.run = r.id AND e.type = 'run_failed' GROUP BY workflow`;
const OPEN = `SELECT (SELECT count(*) FROM run WHERE status NOT IN ('succeeded', 'failed', 'cancelled'))
  + (SELECT count(*) FROM request WHERE kind = 'start' AND consumed_at IS NULL) AS open`;

test("no lane has more inside than it may, whatever its runs wait for and whichever engine dies; all end, and nothing is left to be counted", {
  skip,
}, async (t) => {
  const gate = await openGate(t);
  const cluster = await openCluster({
    counts: { control: 1, engine: 2, sandbox: 1, "plugin-host": 1 },
    env: { "plugin-host": { WOML_PRIVATE_HOSTS: gate.place } },
  });
  undo(t, () => cluster.close());
  const { admin, direct } = cluster;
  let key = "";
  const ask = asking(cluster.urls, () => key);
  const tenant = await newTenant({ ask, key, admin }, "lanes");
  key = tenant.key;
  const platform = { ask, key, admin };
  await grant(platform, tenant.id, "http");
  await publish(platform, CHILD);
  const lanes = Object.entries(WAYS).flatMap(([way, steps]) => [1, 3].map((most) => ({ lane: `${way}-${most}`, most, steps })));
  for (const { lane, most, steps } of lanes)
    await publish(
      platform,
      flow(
        lane,
        `<config concurrency="${most}"/>`,
        steps((...one) => step(gate.place, lane, one)),
      ),
    );
  const stop = strikeEngines(cluster);
  for (let n = 0; n < RUNS; n++)
    for (const { lane } of lanes) {
      const input = { workflow: lane, payload: { id: `${lane}-${n}` }, idempotencyKey: `${lane}-${n}` };
      field(await ask(START, { input }), "startRun");
    }
  for (const until = performance.now() + LIMIT_MS; ; await sleep(200)) {
    const { rows } = await direct.query<{ name: string; active: number; most: number; holding: number }>(LANES);
    for (const { name, active, most, holding } of rows)
      assert.ok(active === holding && active <= most, `${name}: ${active} of ${most}, ${holding} hold`);
    const [{ open } = { open: 0 }] = (await direct.query<{ open: number }>(OPEN)).rows;
    if (Number(open) === 0) break;
    assert.ok(performance.now() < until, `${open} have not ended`);
  }
  assert.ok((await stop()) >= 4);
  for (const { lane, most } of lanes)
    assert.ok((gate.most.get(lane) ?? 0) >= 1 && (gate.most.get(lane) ?? 0) <= most, `${lane}: ${gate.most.get(lane)}`);
  const { rows: ends } = await direct.query<{ workflow: string; succeeded: number; failed: string[] | null }>(ENDS);
  for (const { workflow, succeeded, failed } of ends) {
    assert.ok(succeeded > 0, `${workflow}: ${failed}`);
    // Who lost its engine six times fails, and says so: a busy machine, and none of the lane's.
    if (failed !== null) t.diagnostic(`${workflow}: ${failed.join(", ")}`);
  }
  const { host, port, user, password, database } = direct;
  const url = `postgres://${user}:${encodeURIComponent(String(password))}@${host}:${port}/${database}`;
  const counted = await woml(cluster.folder, ["rebuild", "--dry-run", "-o", "json"], {
    env: { WOML_DATABASE_URL: url, WOML_DATABASE_SET_ROLE: "on" },
  });
  assert.deepEqual([counted.code, counted.json().lanes, counted.json().told], [0, 0, []], counted.stderr);
});
