// A thousand mixed runs on a cluster in which something dies every second: everything ends, and nothing is done twice.
import { setTimeout as sleep } from "node:timers/promises";
import { field, flat, START } from "../support/platform.ts";
import { acmeFor, newTenant, review } from "../support/review.ts";
import { type Ask, asking } from "./asking.ts";
import { type Audit, audit } from "./audit.ts";
import { API_KEY, type Cluster } from "./ground.ts";
import { MIX, TICKING, workflowOf } from "./mix.ts";
import { type Lane, type Slots, slotsOf, watchLane } from "./slots.ts";
import { type Strikes, strike } from "./strike.ts";

export interface TrialOptions {
  readonly runs: number;
  /** Starts a second. */
  readonly rate: number;
  readonly seed: number;
  /** Between two strikes; null: nothing is struck. */
  readonly everyMs: number | null;
  readonly said: (line: string) => void;
}
export interface Trial {
  readonly strikes: Strikes;
  readonly audit: Audit;
  readonly slots: Slots;
  readonly lane: Lane;
  /** Answered by a person who looked into the ledger. */
  readonly resolved: number;
  readonly seconds: { readonly starting: number; readonly ending: number };
  readonly exits: Readonly<Record<string, number | null>>;
  /** Of what may stand in no log, how many do. */
  readonly leaks: number;
}

const LIMIT_MS = 120_000;
const TELL_MS = 10_000;
/** Starts that wait for their answer. */
const AT_ONCE = 64;
const PUBLISH = "mutation ($input: PublishInput!) { publish(input: $input) { version diagnostics { code message } } }";
const DEACTIVATE = "mutation ($input: DeactivateInput!) { deactivate(input: $input) { changed } }";
const SECRET = "mutation ($input: SetSecretInput!) { setSecret(input: $input) { secret { name } } }";

export async function runTrial(cluster: Cluster, options: TrialOptions): Promise<Trial> {
  const { said, everyMs, runs: wanted, seed } = options;
  let key = "";
  const ask = asking(cluster.urls, () => key);
  const tenant = await newTenant({ ask, admin: cluster.admin, key }, "cluster");
  key = tenant.key;
  await prepare(cluster, ask, tenant);
  said(`prepared: ${MIX.length} workflows, acme.payments reviewed and granted`);
  const began = performance.now();
  const looked = watchLane(cluster.direct);
  const third = Math.max(1, Math.floor(wanted / options.rate / 3));
  const striking = everyMs === null ? null : strike(cluster, { everyMs, flushAt: [third, 2 * third], seed });
  const runs = await startAll(ask, options);
  const started = performance.now();
  said(`accepted: ${runs.length} runs in ${((started - began) / 1_000).toFixed(1)} s`);
  const strikes = (await striking?.stop()) ?? { kills: {}, flushes: 0, heldBack: 0, back: {} };
  field(await ask(DEACTIVATE, { input: { workflow: TICKING.id } }), "deactivate");
  said(`struck: ${JSON.stringify(strikes.kills)}, Redis flushed ${strikes.flushes} times, held back ${strikes.heldBack} times`);
  const resolved = await settle(cluster, ask, runs, said);
  const ended = performance.now();
  const [lane, slots] = [await looked(), await slotsOf(cluster.direct)];
  const found = await audit(ask, cluster.admin, { runs, entries: await cluster.ledger.entries(), direct: cluster.direct });
  const exits = await cluster.stopAll();
  const text = cluster.logs();
  const leaks = cluster.secrets.filter((secret) => text.includes(secret)).length;
  const seconds = { starting: (started - began) / 1_000, ending: (ended - started) / 1_000 };
  return { strikes, audit: found, slots, lane, resolved, seconds, exits, leaks };
}

async function prepare(cluster: Cluster, ask: Ask, { id, key }: { readonly id: string; readonly key: string }): Promise<void> {
  await review({ ask, admin: cluster.admin, key }, await acmeFor(Number(new URL(cluster.ledger.url).port)), [id]);
  field(await ask(SECRET, { input: { name: "ACME_API_KEY", value: API_KEY } }), "setSecret");
  for (const { id: name, text } of [...MIX, TICKING]) {
    const published = field<{ version: string | null; diagnostics: unknown }>(
      await ask(PUBLISH, { input: { files: [{ path: `${name}.woml`, text }] } }),
      "publish",
    );
    if (published.version === null) throw new Error(JSON.stringify(published.diagnostics));
  }
}

/** Each with an idempotency key, so that one whose answer was lost is asked for again. */
async function startAll(ask: Ask, { runs, rate }: TrialOptions): Promise<readonly string[]> {
  const began = performance.now();
  const all: Promise<string>[] = [];
  let asking = 0;
  for (let n = 0; n < runs; n++) {
    const input = { workflow: workflowOf(n), payload: { n, customer: `c${n}` }, idempotencyKey: `run-${n}` };
    while (asking >= AT_ONCE) await sleep(5);
    asking += 1;
    const asked = ask(START, { input })
      .then((answer) => field<{ run: { id: string } }>(answer, "startRun").run.id)
      .finally(() => {
        asking -= 1;
      });
    // Awaited with the others; until then it must not end the process.
    asked.catch(() => undefined);
    all.push(asked);
    await sleep(Math.max(0, began + ((n + 1) * 1_000) / rate - performance.now()));
  }
  return Promise.all(all);
}

const OPEN = `SELECT id, status FROM run WHERE status NOT IN ('succeeded', 'failed', 'cancelled')`;

/** Until all have ended; what waits for a person is answered by one who looks into the ledger first. */
async function settle(cluster: Cluster, ask: Ask, runs: readonly string[], said: TrialOptions["said"]): Promise<number> {
  let resolved = 0;
  let toldAt = performance.now();
  for (const until = performance.now() + LIMIT_MS; performance.now() < until; await sleep(250)) {
    const { rows } = await cluster.direct.query<{ id: string; status: string }>(OPEN);
    const { rows: waiting } = await cluster.direct.query<{ n: number }>(
      "SELECT count(*)::int AS n FROM request WHERE kind = 'start' AND consumed_at IS NULL",
    );
    if (rows.length === 0 && waiting[0]?.n === 0) break;
    if (performance.now() - toldAt > TELL_MS) {
      toldAt = performance.now();
      said(`open: ${rows.length} runs, ${waiting[0]?.n} starts, ${resolved} answered by a person`);
    }
    for (const { id, status } of rows) {
      const asked =
        status === "needs_resolution"
          ? runs.find((run) => run.replace(/^run_/, "") === id.replaceAll("-", "") || run.includes(id))
          : undefined;
      if (asked !== undefined) resolved += await resolve(cluster, ask, asked);
    }
  }
  return resolved;
}

const UNKNOWN = "query ($id: ID!) { run(id: $id) { head operations(first: 100) { edges { node { id operation outcome input told } } } } }";
const RESOLVE = "mutation ($input: ResolveUnknownInput!) { resolveUnknown(input: $input) { run { status } } }";

/** As a careful person does: what the ledger has was done, and what it has not was not. */
async function resolve({ ledger }: Cluster, ask: Ask, id: string): Promise<number> {
  interface Seen {
    readonly head: number;
    readonly operations: readonly {
      id: string;
      operation: string;
      outcome: string;
      told: boolean;
      input: { charge?: string; customer?: string };
    }[];
  }
  const { head, operations } = flat<Seen>(field(await ask(UNKNOWN, { id }), "run"));
  const entries = await ledger.entries();
  let count = 0;
  for (const { id: operation, operation: name, input } of operations.filter((one) => one.outcome === "unknown" && !one.told)) {
    const entry = entries.find(({ kind, subject }) => kind === name && subject === (name === "refund" ? input.charge : input.customer));
    const { id: made, amount, currency, subject } = entry ?? {};
    const result = { id: made, status: "succeeded", amount, currency, [name === "refund" ? "charge" : "customer"]: subject };
    const said = entry ? { outcome: "SUCCEEDED", result } : { outcome: "FAILED", message: "the ledger does not know it" };
    const { errors } = await ask(RESOLVE, { input: { run: id, operation, expectedHead: head, ...said } });
    if (errors === undefined) count += 1;
  }
  return count;
}
