// The books, compared: what the ledger says was done against what the logs say, and every run against its own log.
import type { Client } from "pg";
import type { Entry } from "../support/ledger.ts";
import { field } from "../support/platform.ts";
import type { Ask } from "./asking.ts";

export interface Audit {
  /** Runs by status, of those that were accepted. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Failed runs by their code: a mix without mistakes in it fails only for what the platform lost. */
  readonly failures: Readonly<Record<string, number>>;
  /** What those wait for that have not ended. */
  readonly causes: Readonly<Record<string, number>>;
  /** Accepted, and in no table. */
  readonly lost: readonly string[];
  /** Not ended, and without a cause that is said. */
  readonly causeless: readonly string[];
  /** Keys (of refunds: the charge) with more than one effect. */
  readonly doubles: readonly string[];
  /** The log says succeeded, the ledger knows nothing of it. */
  readonly phantoms: readonly string[];
  /** The log says failed, and it was done. */
  readonly denied: readonly string[];
  /** What `verify` finds. */
  readonly differing: number;
  readonly verified: number;
  /** Runs with two ends, or two outputs of an attempt. */
  readonly twice: number;
  /** Events that stand after the run's last word. */
  readonly afterEnd: number;
  readonly effects: number;
  readonly resumed: number;
  readonly unsent: number;
  readonly takeovers: number;
  /** From acceptance to the end, of the runs that have ended; ms. */
  readonly p50: number;
  readonly p95: number;
}

const RUN = "query ($id: ID!) { run(id: $id) { status waiting failure } }";
const VERIFY = `query ($after: String) { verify(first: 100, after: $after) { edges { node { ok } } pageInfo { hasNextPage endCursor } } }`;
interface Seen {
  readonly status: string;
  readonly waiting: { readonly cause?: string; readonly reason?: string } | null;
  readonly failure: { readonly code: string } | null;
}
const ENDED = new Set(["SUCCEEDED", "FAILED", "CANCELLED"]);

export async function audit(
  ask: Ask,
  admin: string,
  { runs, entries, direct }: { runs: readonly string[]; entries: readonly Entry[]; direct: Client },
): Promise<Audit> {
  const statuses: Record<string, number> = {};
  const failures: Record<string, number> = {};
  const causes: Record<string, number> = {};
  const [lost, causeless]: [string[], string[]] = [[], []];
  for (const id of runs) {
    const run = (await ask(RUN, { id })).data?.["run"] as Seen | null | undefined;
    if (!run) {
      lost.push(id);
      continue;
    }
    statuses[run.status] = (statuses[run.status] ?? 0) + 1;
    if (run.failure) failures[run.failure.code] = (failures[run.failure.code] ?? 0) + 1;
    if (!ENDED.has(run.status) && run.waiting?.cause) {
      const cause = `${run.waiting.cause} ${run.waiting.reason ?? ""}`.trim();
      causes[cause] = (causes[cause] ?? 0) + 1;
    }
    if (!ENDED.has(run.status) && !run.waiting?.cause) causeless.push(id);
  }
  return {
    ...{ statuses, failures, causes, lost, causeless },
    ...(await books(direct, entries)),
    ...(await verified(ask, admin)),
    ...(await logs(direct)),
  };
}

/** The last word on each operation of a payment, by what the ledger calls it: its key or, for a refund, the charge. */
const OPERATIONS = `
SELECT s.data->>'key' AS key, s.data->'called'->>'operation' AS operation, s.data->'called'->'input'->>'charge' AS charge,
  (SELECT e.data->'outcome'->>'status' FROM run_event e WHERE e.tenant = s.tenant AND e.run = s.run AND e.type = 'operation_settled'
    AND e.data->>'node' = s.data->>'node' AND e.data->>'attempt' = s.data->>'attempt' AND e.data->>'call' = s.data->>'call'
    ORDER BY e.seq DESC LIMIT 1) AS outcome
FROM run_event s WHERE s.type = 'operation_started' AND s.data->>'try' = '1' AND s.data->'called'->>'operation' IN ('charge', 'hold', 'refund')
ORDER BY s.tenant, s.run, s.seq`;

async function books(direct: Client, entries: readonly Entry[]): Promise<Pick<Audit, "doubles" | "phantoms" | "denied" | "effects">> {
  const done = new Map<string, number>();
  for (const { kind, key, subject } of entries) {
    const name = kind === "refund" ? `refund of ${subject}` : `${kind} ${key}`;
    done.set(name, (done.get(name) ?? 0) + 1);
  }
  const { rows } = await direct.query<{ key: string; operation: string; charge: string | null; outcome: string | null }>(OPERATIONS);
  const last = new Map(
    rows.map(({ key, operation, charge, outcome }) => [operation === "refund" ? `refund of ${charge}` : `${operation} ${key}`, outcome]),
  );
  return {
    effects: entries.length,
    doubles: [...done].flatMap(([name, count]) => (count > 1 ? [`${name}: ${count}`] : [])),
    phantoms: [...last].flatMap(([name, outcome]) => (outcome === "succeeded" && !done.has(name) ? [name] : [])),
    denied: [...last].flatMap(([name, outcome]) => (outcome === "failed" && done.has(name) ? [name] : [])),
  };
}

async function verified(ask: Ask, admin: string): Promise<Pick<Audit, "differing" | "verified">> {
  interface Page {
    readonly edges: readonly { readonly node: { readonly ok: boolean } }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  }
  let [differing, count] = [0, 0];
  for (let after: string | null = null, more = true; more; ) {
    const page: Page = field(await ask(VERIFY, { after }, admin), "verify");
    count += page.edges.length;
    differing += page.edges.filter(({ node }) => !node.ok).length;
    ({ endCursor: after, hasNextPage: more } = page.pageInfo);
  }
  return { differing, verified: count };
}

const LOGS = `
WITH logs AS (SELECT tenant, run, count(*) FILTER (WHERE type IN ('run_succeeded', 'run_failed', 'run_cancelled')) AS ends,
    max(seq) AS head, max(seq) FILTER (WHERE type IN ('run_succeeded', 'run_failed', 'run_cancelled')) AS ended,
    count(*) FILTER (WHERE type = 'step_succeeded') - count(DISTINCT (data->>'node', data->>'attempt')) FILTER (WHERE type = 'step_succeeded') AS again,
    count(*) FILTER (WHERE type = 'attempt_resumed' AND data->>'lost' IS NOT NULL) AS resumed,
    count(*) FILTER (WHERE type = 'operation_doubted' AND data->>'reason' = 'unsent') AS unsent
  FROM run_event GROUP BY tenant, run)
SELECT count(*) FILTER (WHERE ends > 1 OR again > 0)::int AS twice, count(*) FILTER (WHERE ended < head)::int AS "afterEnd",
  sum(resumed)::int AS resumed, sum(unsent)::int AS unsent, (SELECT sum(epoch - 1)::int FROM run) AS takeovers,
  (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY r.at - q.created_at) FROM run r JOIN request q ON q.tenant = r.tenant AND q.run = r.id AND q.kind = 'start') AS p50,
  (SELECT percentile_cont(0.95) WITHIN GROUP (ORDER BY r.at - q.created_at) FROM run r JOIN request q ON q.tenant = r.tenant AND q.run = r.id AND q.kind = 'start') AS p95
FROM logs`;

async function logs(direct: Client): Promise<Pick<Audit, "twice" | "afterEnd" | "resumed" | "unsent" | "takeovers" | "p50" | "p95">> {
  const { rows } = await direct.query<Pick<Audit, "twice" | "afterEnd" | "resumed" | "unsent" | "takeovers" | "p50" | "p95">>(LOGS);
  const [row] = rows;
  if (row === undefined) throw new Error("a count without a row");
  return row;
}
