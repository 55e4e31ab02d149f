// Kill -9 of the engine around every append of a run of each construct. Each cell withholds one append, or its answer, kills the engine, and
// starts another one: the run ends as it would have, and everybody is charged once. Nothing but the engine dies.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { memoryDoorbell, openLog, openStops, SHARED } from "@woml/boot";
import type { RunId } from "@woml/run";
import { showRunId } from "@woml/run";
import { type Ground, openGround } from "../bench/ground.ts";
import { type EngineProcess, spawnEngine } from "../matrix/engine-process.ts";
import { type Ledger, startLedger } from "../support/ledger.ts";
import { ask, scratch, undo } from "../support/platform.ts";
import { type Fault, type FaultProxy, openProxy } from "../support/proxy.ts";
import { CONSTRUCTS, type Construct } from "./constructs.ts";

const ENDS_MS = 60_000;
const LOOK_MS = 25;
const APPEND = /INSERT INTO run_event\b/;
const DECIDE = "mutation ($input: ResolveApprovalInput!) { resolveApproval(input: $input) { __typename } }";

interface Field {
  readonly ground: Ground;
  readonly ledger: Ledger;
  readonly proxy: FaultProxy;
  /** Kills the engine and starts another one. */
  restart(): Promise<void>;
}

export async function openField(t: TestContext): Promise<Field> {
  const stops = openStops(openLog("crash", "error"));
  const ledger = await startLedger(scratch(t));
  undo(t, () => ledger.stop());
  undo(t, () => stops.stop());
  const doorbell = memoryDoorbell();
  const ground = await openGround({ doorbell, stops, privateHosts: [new URL(ledger.url).host] });
  const proxy = await openProxy(ground.storeUrl);
  stops.add("proxy", () => proxy.close());
  const settings = { storeUrl: proxy.url, sandbox: ground.sandbox.socket, plugins: ground.pluginHost.socket };
  const begin = (): EngineProcess => {
    const engine = spawnEngine({ ...settings, logLevel: "fatal", options: {} });
    engine.open();
    return engine;
  };
  let engine = begin();
  stops.add("engine", () => engine.kill());
  doorbell.listen(SHARED, () => engine.ring());
  const restart = async (): Promise<void> => {
    await engine.kill();
    engine = begin();
  };
  return { ground, ledger, proxy, restart };
}

export interface Struck {
  readonly cells: number;
  readonly hit: number;
}

/** Strikes those cells of a construct that `wanted` names by their place. Throws where a run ends otherwise, or anything is done twice. */
export async function strikeAppends(field: Field, construct: Construct, wanted: (place: number) => boolean): Promise<Struck> {
  const version = await published(field.ground, construct);
  const play = (cell: string, fault: Fault | null): Promise<boolean> => played(field, { construct, version, cell, fault });
  const before = appendsOf(field.proxy);
  const runs = [`${construct.name} undisturbed`];
  await play(runs[0] ?? "", null);
  const appends = appendsOf(field.proxy) - before;
  const table = (["statement", "answer"] as const).flatMap((withhold) => Array.from({ length: appends }, (_, nth) => ({ withhold, nth })));
  let hit = 0;
  for (const [place, { withhold, nth }] of table.entries()) {
    if (!wanted(place)) continue;
    const cell = `${construct.name} ${withhold} ${nth + 1}`;
    let met = 0;
    const isHit = await play(cell, { withhold, matches: ({ sql }) => APPEND.test(sql) && met++ === nth });
    if (isHit) hit += 1;
    runs.push(cell);
  }
  await judge(field, construct, runs);
  return { cells: runs.length - 1, hit };
}

const appendsOf = ({ seen }: FaultProxy): number => seen.filter(({ sql }) => APPEND.test(sql)).length;

async function published({ publish }: Ground, { documents }: Construct): Promise<string> {
  const versions: string[] = [];
  for (const text of documents) versions.push(await publish(text));
  return versions.at(-1) ?? "";
}

interface Played {
  readonly construct: Construct;
  readonly version: string;
  readonly cell: string;
  readonly fault: Fault | null;
}

/** One run to its end; answers whether the fault has struck. */
async function played({ ground, ledger, proxy, restart }: Field, { construct, version, cell, fault }: Played): Promise<boolean> {
  const struck = fault === null ? null : proxy.arm(fault).then(() => true as const);
  const run = await ground.ask(construct.name, version, { url: ledger.url, cell, items: ["x", "y", "z"], way: "a", no: false });
  const ended = new AbortController();
  const people = construct.says === undefined ? null : decided(ground, run, construct.says, ended.signal);
  const first = await Promise.race([struck ?? untilEnded(ground, run, cell), untilEnded(ground, run, cell)]);
  if (first === true) await restart();
  await untilEnded(ground, run, cell);
  ended.abort();
  await people;
  const { rows } = await ground.direct.query("SELECT type, data FROM run_event WHERE run = $1 ORDER BY seq DESC LIMIT 1", [run]);
  assert.deepEqual([rows[0]?.type, rows[0]?.data.result], ["run_succeeded", construct.result], cell);
  return first === true;
}

async function untilEnded({ direct }: Ground, run: RunId, cell: string): Promise<void> {
  const sql = "SELECT 1 FROM run WHERE id = $1 AND status IN ('succeeded', 'failed', 'cancelled')";
  for (const end = Date.now() + ENDS_MS; Date.now() < end; await sleep(LOOK_MS))
    if ((await direct.query(sql, [run])).rowCount === 1) return;
  const { rows } = await direct.query("SELECT status, head, owner, held, waiting_for, next_due FROM run WHERE id = $1", [run]);
  throw new Error(`${cell} does not end: ${JSON.stringify(rows)}`);
}

/** Somebody who says it again until the run has ended: before it is asked for, and after it was heard, that changes nothing. */
async function decided({ graphql }: Ground, run: RunId, decision: "APPROVED" | "REJECTED", ended: AbortSignal): Promise<void> {
  const input = { run: showRunId(run), approval: "ok", decision };
  while (!ended.aborted) {
    await ask(graphql.url, graphql.key, { query: DECIDE, variables: { input } });
    await sleep(10 * LOOK_MS);
  }
}

/** All runs of the construct together: one end each, everybody charged once, one child of each call, and each counted. */
async function judge({ ground, ledger }: Field, { name, charged, documents }: Construct, runs: readonly string[]): Promise<void> {
  const charges = await ledger.charges();
  const wanted = runs.flatMap((cell) => charged.map((who) => `${cell} ${who}`));
  assert.deepEqual(
    wanted.map((who) => [who, charges.get(who)]),
    wanted.map((who) => [who, 1]),
  );
  const count = async (sql: string, ...values: readonly unknown[]): Promise<number> =>
    Number((await ground.direct.query(sql, [...values])).rows[0]?.n ?? 0);
  assert.equal(await count("SELECT count(*) AS n FROM run WHERE workflow = $1 AND status = 'succeeded'", name), runs.length);
  const ends = "SELECT count(*) AS n FROM run_event e JOIN run r ON r.id = e.run WHERE r.workflow = $1 AND e.type LIKE 'run\\_succeeded'";
  assert.equal(await count(ends, name), runs.length);
  if (documents.length > 1) assert.equal(await count("SELECT count(*) AS n FROM run WHERE workflow = 'called'"), runs.length);
  if (name === "counter")
    assert.equal(await count("SELECT value::text AS n FROM state WHERE workflow = $1 AND key = 'n'", name), runs.length);
}

/** Every construct on one field. */
export async function strikeConstructs(t: TestContext, wanted: (place: number) => boolean): Promise<Struck> {
  const field = await openField(t);
  const all = { cells: 0, hit: 0 };
  for (const construct of CONSTRUCTS) {
    const began = Date.now();
    const { cells, hit } = await strikeAppends(field, construct, wanted);
    t.diagnostic(`${construct.name}: ${hit} of ${cells} cells hit, ${Date.now() - began} ms`);
    all.cells += cells;
    all.hit += hit;
  }
  return all;
}
