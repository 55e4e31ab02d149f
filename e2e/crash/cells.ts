// Kill -9 around every statement of a run. Each cell withholds one statement, or its answer, kills the whole platform, starts it again
// and asks the same start once more: one run, every step's output once, all runs ended.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openCopy } from "@woml/platform/testing";
import { Client } from "pg";
import { chain, field, publish, START, scratch, start, type Up, undo, up } from "../support/platform.ts";
import { type Fault, type FaultProxy, openProxy, type Statement } from "../support/proxy.ts";

const SCRIPTS = { first: "return 1;", second: "return context.steps.first + 1;", third: "return context.steps.second + 1;" };
const RENEWAL_MS = 3_500;
export const STRIKE_MS = 15_000;

interface Cell {
  readonly label: string;
  readonly ordinal: number;
}

/** Who says what, short enough for a table and long enough to tell statements apart. */
const labelOf = ({ user, sql }: Statement): string => `${user}: ${sql.replace(/\s+/g, " ").trim().slice(0, 110)}`;

/** A statement that comes again by itself is one cell; of the others each occurrence is one. */
function cellsOf(seen: readonly Statement[], once: ReadonlySet<string>): Cell[] {
  const counts = new Map<string, number>();
  const cells: Cell[] = [];
  for (const label of seen.map(labelOf)) {
    const ordinal = (counts.get(label) ?? 0) + 1;
    counts.set(label, ordinal);
    if (ordinal === 1 || !once.has(label)) cells.push({ label, ordinal });
  }
  return cells;
}

function faultAt(cell: Cell, withhold: Fault["withhold"]): Fault {
  let met = 0;
  return { withhold, matches: (statement) => labelOf(statement) === cell.label && ++met === cell.ordinal };
}

export async function openDatabase(t: TestContext, folder: string): Promise<{ readonly proxy: FaultProxy; readonly direct: Client }> {
  const postgres = await openCopy(join(folder, "postgres"));
  const proxy = await openProxy(postgres.url);
  const direct = new Client({ connectionString: postgres.url });
  await direct.connect();
  undo(t, async () => {
    await direct.end();
    await proxy.close();
    await postgres.stop();
  });
  return { proxy, direct };
}

export async function untilEnded(direct: Client, runs: number): Promise<void> {
  const sql = "SELECT count(*)::int AS n FROM run WHERE status IN ('succeeded', 'failed', 'cancelled')";
  for (const end = Date.now() + STRIKE_MS; Date.now() < end; await sleep(20)) {
    const { rows } = await direct.query(sql);
    if (rows[0].n >= runs) return;
  }
  const { rows } = await direct.query("SELECT id, status, head, owner, held, next_due FROM run WHERE status NOT IN ('succeeded')");
  throw new Error(`not ended: ${JSON.stringify(rows)}`);
}

async function baseline(platform: Up, proxy: FaultProxy, direct: Client): Promise<readonly Cell[]> {
  proxy.seen.length = 0;
  await sleep(RENEWAL_MS);
  const idle = new Set(proxy.seen.map(labelOf));
  proxy.seen.length = 0;
  await start(platform, { workflow: "counted", idempotencyKey: "baseline" });
  await untilEnded(direct, 1);
  await sleep(RENEWAL_MS);
  return cellsOf(proxy.seen, idle);
}

export interface Struck {
  readonly cells: number;
  readonly hit: number;
}

/** Strikes those cells that `wanted` names by their place in the table; throws where one is not hit, or anything is lost or doubled. */
export async function strike(t: TestContext, wanted: (place: number) => boolean): Promise<Struck> {
  const folder = scratch(t);
  const { proxy, direct } = await openDatabase(t, folder);
  const env = { WOML_DATABASE_URL: proxy.url };
  let platform = await up(t, join(folder, "platform"), env);
  await publish(platform, chain("counted", SCRIPTS));
  const cells = await baseline(platform, proxy, direct);
  assert.ok(cells.length >= 8, `only ${cells.length} kinds of statement were seen`);
  const table = (["statement", "answer"] as const).flatMap((withhold) => cells.map((cell) => ({ withhold, cell })));
  let runs = 1;
  for (const [place, { withhold, cell }] of table.entries()) {
    if (wanted(place)) {
      const struck = proxy.arm(faultAt(cell, withhold));
      const input = { workflow: "counted", idempotencyKey: `${withhold} ${cell.ordinal} ${cell.label}` };
      const asked = platform.ask(START, { input }).catch(() => null);
      const hit = await Promise.race([struck.then(() => true), sleep(STRIKE_MS, false, { ref: false })]);
      assert.ok(hit, `not hit: ${withhold} of ${cell.label} #${cell.ordinal}`);
      await platform.kill();
      await asked;
      platform = await up(t, join(folder, "platform"), env);
      field(await platform.ask(START, { input }), "startRun");
      await untilEnded(direct, ++runs);
      t.diagnostic(`hit ${withhold.padEnd(9)} #${cell.ordinal} ${cell.label}`);
    }
  }
  const total = await direct.query("SELECT count(*)::int AS n, count(*) FILTER (WHERE status = 'succeeded')::int AS ok FROM run");
  assert.deepEqual(total.rows[0], { n: runs, ok: runs });
  const outputs = await direct.query(
    "SELECT run, data->>'node' AS node, count(*)::int AS n FROM run_event WHERE type = 'step_succeeded' GROUP BY 1, 2",
  );
  assert.equal(outputs.rows.length, runs * 3);
  assert.ok(outputs.rows.every((row) => row.n === 1));
  return { cells: table.length, hit: runs - 1 };
}
