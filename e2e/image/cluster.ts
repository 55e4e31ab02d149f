// The whole of it out of one image: a migration, then control, engine, sandbox and plugin host as containers on loopback, over a PostgreSQL and
// a Redis of this test. A workflow charges money through a plugin; then each is told to end.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Postgres } from "@woml/platform/postgres";
import { openCopy } from "@woml/platform/testing";
import { Client } from "pg";
import { type Ledger, startLedger } from "../support/ledger.ts";
import { type Asked, ask, chain, ended, publish, runUntil, start } from "../support/platform.ts";
import { freePort } from "../support/port.ts";
import { redisLacks, startRedis, type TestRedis } from "../support/redis.ts";
import { acmeFor, newTenant, review } from "../support/review.ts";
import { woml } from "../support/woml.ts";
import { type Container, perform, serve, type Ways } from "./container.ts";
import type { Report } from "./report.ts";
import { layOut, type Secrets } from "./secrets.ts";

const API_KEY = "the-provider's-key";
/** Room for the supervisor and a few workers, and few enough processes that a script which forked would be noticed. */
const SANDBOX = ["--memory", "1500m", "--pids-limit", "200"];
const CHARGE = `<woml><imports><uses capability="acme.payments" version="^1" as="payments"/></imports>
  <workflow id="charge"><triggers><manual id="go"/></triggers><steps>
    <step id="price"><script>return { amount: context.payload.items.reduce((sum, item) => sum + item, 0) };</script></step>
    <step id="pay"><script>
      const { amount } = context.steps.price;
      const charge = await services.payments.charge({ amount, currency: "EUR", customer: "c-1" }, { name: "pay" });
      return charge.amount;
    </script></step>
  </steps></workflow></woml>`;

const SLOW = chain("slow", { wait: "await new Promise((resolve) => setTimeout(resolve, 1_500)); return 1;" });

export async function showCluster(image: string, folder: string, report: Report): Promise<void> {
  const lacking = redisLacks();
  if (lacking !== null) report.skip("the cluster's doorbell", `${lacking}; its engine finds work by looking`);
  const under: Ground = { postgres: await openCopy(join(folder, "postgres")), ledger: await startLedger(folder, API_KEY) };
  const redis = lacking === null ? await startRedis(folder) : null;
  const containers: Container[] = [];
  try {
    await show({ image, folder, report, containers, ...under, redis });
  } finally {
    for (const one of containers) one.remove();
    await redis?.stop();
    await under.ledger.stop();
    await under.postgres.stop();
  }
}

interface Ground {
  readonly postgres: Postgres;
  readonly ledger: Ledger;
}
interface Stage extends Ground {
  readonly image: string;
  readonly folder: string;
  readonly report: Report;
  readonly redis: TestRedis | null;
  /** Whatever was started is put here. */
  readonly containers: Container[];
}

async function show(stage: Stage): Promise<void> {
  const { image, folder, report, containers } = stage;
  const secrets = layOut(join(folder, "secrets"), stage.postgres.url);
  await report.show("woml migrate in a container, twice", async () => {
    for (const [at, expected] of [/"applied":\["/, /"applied":\[\]/].entries()) {
      const { code, stdout, stderr } = await perform(image, ["migrate"], secrets.waysOf("migrate"));
      assert.equal(code, 0, stderr);
      assert.match(stdout, expected, `time ${at + 1}`);
    }
  });
  const url = await report.show("sandbox, plugin host, control and engine are ready", () => open(stage, secrets));
  if (url === null) return;
  const shop = await report.show("a workflow charges once, by scripts and a plugin in containers", () => charge(url, secrets.admin, stage));
  if (shop === null) return;
  await report.show("SIGTERM ends each in order with 0: what runs comes to its end, and none has said a secret", async () => {
    await publish(shop, SLOW);
    const id = await start(shop, { workflow: "slow" });
    await runUntil(shop, id, (run) => run.steps.some(({ status }) => status === "running"));
    const codes = await Promise.all(containers.map((one) => one.stop()));
    const said = containers.map((one) => one.said()).join("\n");
    assert.deepEqual(
      codes,
      containers.map(() => 0),
      said,
    );
    assert.deepEqual(await eventsOf(stage.postgres.url, id), [
      ...["run_admitted", "run_started", "step_started", "step_succeeded"],
      ...["outcome_decided", "run_succeeded"],
    ]);
    assert.deepEqual(
      [...secrets.hidden, API_KEY].filter((secret) => said.includes(secret)),
      [],
    );
  });
}

/** Their types, in order, once nobody can be asked any more. */
async function eventsOf(url: string, run: string): Promise<readonly string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query("SELECT type FROM run_event WHERE run = $1 ORDER BY seq", [run.replace("run_", "")]);
  await client.end();
  return rows.map(({ type }) => type);
}

/** Answers the address of control's GraphQL. */
async function open({ image, ledger, redis, containers }: Stage, secrets: Secrets): Promise<string> {
  const begin = async (role: "control" | "engine" | "sandbox" | "plugin-host", env: Ways["env"], flags: Ways["flags"] = []) => {
    const own = { WOML_HEALTH_LISTEN: `127.0.0.1:${await freePort()}`, WOML_LISTEN: `127.0.0.1:${await freePort()}`, WOML_LOG: "info" };
    const given = secrets.waysOf(role);
    const one = await serve(image, role, { ...given, env: { ...given.env, ...own, ...env }, flags });
    containers.push(one);
    return own;
  };
  const bell = redis === null ? {} : { WOML_REDIS_URL: redis.url };
  const [sandbox, host, control] = await Promise.all([
    begin("sandbox", {}, SANDBOX),
    begin("plugin-host", { WOML_PRIVATE_HOSTS: new URL(ledger.url).host }),
    begin("control", bell),
  ]);
  const engine = await begin("engine", { ...bell, WOML_SANDBOXES: sandbox.WOML_LISTEN, WOML_PLUGIN_HOSTS: host.WOML_LISTEN });
  for (const { WOML_HEALTH_LISTEN: health } of [sandbox, host, control, engine]) {
    const answer = await fetch(`http://${health}/health/ready`);
    assert.equal(answer.status, 200, await answer.text());
  }
  return `http://${control.WOML_LISTEN}/graphql`;
}

/** Answers how to ask as the tenant whose workflow did it. */
async function charge(url: string, admin: string, { folder, ledger }: Stage): Promise<Asked> {
  const asking = (key: string): Asked => ({ key, admin, ask: (query, variables = {}, as = key) => ask(url, as, { query, variables }) });
  const tenant = await newTenant(asking(admin), "shop");
  const shop = asking(tenant.key);
  await review(shop, await acmeFor(Number(new URL(ledger.url).port)), [tenant.id]);
  mkdirSync(join(folder, "shop"), { recursive: true });
  const env = { WOML_URL: url, WOML_KEY: tenant.key };
  const { code, stderr } = await woml(join(folder, "shop"), ["secrets", "set", "ACME_API_KEY"], { env, stdin: `${API_KEY}\n` });
  assert.equal(code, 0, stderr);
  await publish(shop, CHARGE);
  const run = await runUntil(shop, await start(shop, { workflow: "charge", payload: { items: [700, 250] } }), ended);
  assert.deepEqual([run.status, run.result, run.failure], ["SUCCEEDED", 950, null]);
  assert.deepEqual(
    (await ledger.entries()).map(({ kind, amount }) => [kind, amount]),
    [["charge", 950]],
  );
  return shop;
}
