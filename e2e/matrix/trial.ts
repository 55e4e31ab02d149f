// One pair of a point and a kill: a run of each class is brought to the point, the point is proven, something dies, and what became of each
// run is looked at from outside.
import { setTimeout as sleep } from "node:timers/promises";
import { childrenOf, killChildren } from "../support/cpu.ts";
import { lookAt, type SeenRun, startRun, uuidOf } from "./api.ts";
import type { CaseCount, Plan } from "./plan.ts";
import { type Cell, type Kill, type Kind, LANDS, type Point, ruleOf } from "./rules.ts";
import type { Stage } from "./stage.ts";
import { until, within } from "./until.ts";

/** How long a script waits before it calls, so that the store can be made to wait before it does. */
const SCRIPT_WAITS_MS = 700;
/** Between the word that a new engine has a run and the end of what it waits for: it should have asked its plugin host by then. */
const JOIN_MS = 250;
const KEYED_LANDS_MS = 300;
/** Shorter than the plugin promises (conclusiveNotFoundAfterMs), and longer than a plugin's process takes to start and ask. */
export const LAG_MS = 1_700;

interface Trial {
  readonly cell: Cell;
  readonly name: string;
  readonly run: string;
}
export interface Seen extends Trial {
  /** How it is known that the point was reached, and that the kill was made. */
  readonly hit: string;
  readonly seen: SeenRun;
  readonly count: CaseCount;
  readonly lines: number;
}
interface Decoy {
  readonly name: string;
  readonly run: string;
}

export const WORKFLOWS: Readonly<Record<Kind, string>> = {
  pure: "pure",
  keyed: "keyed",
  "reattachable: succeeded": "reattachable",
  "reattachable: pending": "reattachable",
  "reattachable: not found": "reattachable",
  "reattachable: cannot tell": "reattachable",
  unsafe: "unsafe",
};
const EVENTS: Partial<Record<Point, string>> = {
  "before start recorded": "operation_started",
  recorded: "operation_started",
  "answer received": "operation_settled",
  settled: "operation_settled",
};

/** Rejects when the point cannot be brought about. */
export async function tryPair(stage: Stage, cells: readonly Cell[], label: string): Promise<readonly Seen[]> {
  const [{ point, kill }] = cells as readonly [Cell, ...Cell[]];
  const named = cells.map((cell, index) => ({ cell, name: `${label}-${index}`, workflow: WORKFLOWS[cell.kind] }));
  await stage.bank.plan(Object.fromEntries(named.map(({ cell, name }) => [name, planOf(cell)])));
  const reached = await reach(stage, point, named);
  const died = await strike(stage, kill, reached.trials);
  if (kill === "sandbox worker" || kill === "plugin process") stage.proxy.letGo();
  const after = await aftermath(stage, reached.trials, kill);
  // Whoever had sent what is held is gone with a plugin's process: what becomes of it is the plan's to say.
  if (kill !== "plugin process") await stage.bank.letGo(named.map(({ name }) => name));
  const settled = await settle(stage, reached.trials);
  if (reached.decoy !== null) await settle(stage, [reached.decoy]);
  const counts = await stage.bank.counts();
  for (const { cell, name } of named) {
    const { statuses } = countOf(counts, name);
    if (isAskedTwice(cell) && statuses < 2) throw new Error(`${name}: its provider was asked too late to say that it does not know it`);
  }
  return settled.map(({ trial, seen }) => ({
    ...trial,
    ...{ seen, count: countOf(counts, trial.name), lines: stage.bank.lines(trial.name) },
    hit: `${reached.proof}; ${died}${after}`,
  }));
}

/** What its provider says first is not the truth, or no proof. */
function isAskedTwice(cell: Cell): boolean {
  const { way } = ruleOf(cell);
  return cell.kind === "reattachable: not found" && (way === "asked" || way === "proven absent");
}

export const countOf = (counts: Readonly<Record<string, CaseCount>>, name: string): CaseCount =>
  counts[name] ?? { requests: 0, statuses: 0, effects: 0, held: null };

function planOf({ point, kind }: Cell): Partial<Plan> {
  const hold = point === "effect sent" ? "before" : point === "effect done" || EVENTS[point] === "operation_settled" ? "after" : null;
  const landsAfterMs = kind === "keyed" ? KEYED_LANDS_MS : 0;
  const lagMs = kind === "reattachable: not found" ? LAG_MS : 0;
  const asked = { isPending: kind === "reattachable: pending", lagMs, never: kind === "reattachable: cannot tell" };
  return { hold, lands: LANDS[kind], landsAfterMs, ...asked };
}

interface Named {
  readonly cell: Cell;
  readonly name: string;
  readonly workflow: string;
}
interface Reached {
  readonly trials: readonly Trial[];
  readonly decoy: Decoy | null;
  readonly proof: string;
}

export function reach(stage: Stage, point: Point, named: readonly Named[]): Promise<Reached> {
  if (point === "effect sent") return reachBank(stage, named, "before");
  if (point === "effect done") return reachBank(stage, named, "after");
  return reachStore(stage, point, named);
}

/** The bank holds what has come to it. */
async function reachBank(stage: Stage, named: readonly Named[], held: "before" | "after"): Promise<Reached> {
  const trials = await startAll(stage, named, 0);
  await heldAll(stage, named, held);
  const stored = await storedOf(stage, trials);
  if (trials.some(({ run }) => stored.get(uuidOf(run)) !== "1/0")) throw new Error(`the log says ${JSON.stringify([...stored])}`);
  const proof = held === "before" ? "request at the provider, no effect yet" : "effect in the ledger, answer held";
  return { trials, decoy: null, proof: `${proof}, start in the log` };
}

/**
 * While one statement is on its way all others of an engine wait, and go together in the next one. So a decoy's is withheld first, until
 * everything that shall stand in one statement is there; then that one is.
 */
async function reachStore(stage: Stage, point: Point, named: readonly Named[]): Promise<Reached> {
  const type = EVENTS[point] ?? "";
  const isStart = type === "operation_started";
  const decoy = await startDecoy(stage, `${named[0]?.name}-decoy`);
  const trials = await startAll(stage, named, isStart ? SCRIPT_WAITS_MS : 0);
  if (isStart) await until("every script is sent", () => heardAll(stage, named, "invoked"));
  else await heldAll(stage, named, "after");
  const decoyed = stage.proxy.arm({ withhold: "statement", matches: (_, bound) => has(bound(), "operation_settled", [decoy]) === 1 });
  await stage.bank.letGo([decoy.name]);
  await within("the decoy's answer on its way into the store", decoyed);
  if (!isStart) await stage.bank.letGo(named.map(({ name }) => name));
  await until(`every script has ${isStart ? "called" : "an answer coming"}`, () => heardAll(stage, named, isStart ? "called" : "answered"));
  await sleep(30);
  const withhold = point === "before start recorded" || point === "answer received" ? "statement" : "answer";
  const struck = stage.proxy.arm({ withhold, matches: (_, bound) => has(bound(), type, trials) === trials.length });
  stage.proxy.letGo();
  await within(`all ${type} in one statement`, struck);
  const stored = await storedOf(stage, trials);
  const isThere = withhold === "answer";
  const expected = isStart ? (isThere ? "1/0" : "0/0") : isThere ? "1/1" : "1/0";
  if (trials.some(({ run }) => (stored.get(uuidOf(run)) ?? "0/0") !== expected))
    throw new Error(`the log says ${JSON.stringify([...stored])}`);
  return { trials, decoy, proof: `${type} ${isThere ? "stored, and PostgreSQL's word of it withheld" : "on its way, withheld"}` };
}

async function startDecoy(stage: Stage, name: string): Promise<Decoy> {
  await stage.bank.plan({ [name]: { hold: "before" } });
  const run = await startRun(stage.api, "pure", { case: name });
  await until("the decoy is held", async () => (countOf(await stage.bank.counts(), name).held === "before" ? true : null));
  return { name, run };
}

function startAll(stage: Stage, named: readonly Named[], waitMs: number): Promise<readonly Trial[]> {
  const start = async ({ cell, name, workflow }: Named): Promise<Trial> => ({
    ...{ cell, name },
    run: await startRun(stage.api, workflow, { case: name, waitMs }),
  });
  return Promise.all(named.map(start));
}

export async function heldAll(stage: Stage, named: readonly { readonly name: string }[], place: "before" | "after"): Promise<void> {
  const look = async (): Promise<true | null> => {
    const counts = await stage.bank.counts();
    return named.every(({ name }) => countOf(counts, name).held === place) ? true : null;
  };
  await until(`every request is held ${place} its effect`, look);
}

function heardAll(stage: Stage, named: readonly Named[], what: "invoked" | "called" | "answered"): true | null {
  return named.every(({ name }) => stage.engine().heard(what, name) > 0) ? true : null;
}

/** How many of the runs a statement brings an event of this type. */
function has(bound: string, type: string, trials: readonly { readonly run: string }[]): number {
  return bound.includes(type) ? trials.filter(({ run }) => bound.includes(uuidOf(run))).length : 0;
}

/** By run: starts and settlements of operations in the log, as another session sees them. */
async function storedOf(stage: Stage, trials: readonly Trial[]): Promise<ReadonlyMap<string, string>> {
  const sql = `SELECT run, count(*) FILTER (WHERE type = 'operation_started') || '/' || count(*) FILTER (WHERE type = 'operation_settled') AS n
    FROM run_event WHERE run = ANY ($1::uuid[]) GROUP BY 1`;
  const { rows } = await stage.direct.query(sql, [trials.map(({ run }) => uuidOf(run))]);
  return new Map(rows.map((row) => [String(row.run), String(row.n)]));
}

/** Answers what it did, as evidence. */
async function strike(stage: Stage, kill: Kill, trials: readonly Trial[]): Promise<string> {
  switch (kill) {
    case "engine": {
      const dying = stage.engine();
      await dying.kill();
      stage.relieve();
      return `engine ${dying.pid} killed`;
    }
    case "sandbox worker":
      return `${await killed(stage.sandbox, trials.length)} workers killed`;
    case "plugin process":
      return `plugin process killed (${await killed(stage.pluginHost(), 1)})`;
    case "PostgreSQL connection":
      return `${cut(stage)} connections cut`;
    default:
      return kill satisfies never;
  }
}

/** Also until their supervisor knows. */
async function killed(supervisor: number, least: number): Promise<number> {
  const pids = new Set(killChildren(supervisor));
  if (pids.size < least) throw new Error(`only ${pids.size} processes to kill`);
  await until("its supervisor has seen them end", () => (childrenOf(supervisor).some(({ pid }) => pids.has(pid)) ? null : true));
  return pids.size;
}

function cut(stage: Stage): number {
  const connections = stage.proxy.cut();
  if (connections < 2) throw new Error(`only ${connections} connections to cut`);
  return connections;
}

/** Who lost what is in the log, except where a plugin's process died: what its runs had lost shows in their operations alone. */
const LOST: Partial<Record<Kill, string>> = { engine: "engine", "sandbox worker": "worker", "PostgreSQL connection": "engine" };

async function aftermath(stage: Stage, trials: readonly Trial[], kill: Kill): Promise<string> {
  const lost = LOST[kill];
  if (lost === undefined) return "";
  const sql = `SELECT count(DISTINCT run)::int AS n FROM run_event WHERE run = ANY ($1::uuid[]) AND type = 'attempt_resumed'
    AND data->>'lost' = $2`;
  const look = async (): Promise<true | null> => {
    const { rows } = await stage.direct.query(sql, [trials.map(({ run }) => uuidOf(run)), lost]);
    return rows[0].n === trials.length ? true : null;
  };
  await until(`every run has lost its ${lost}`, look);
  await sleep(JOIN_MS);
  return `, attempt resumed after the loss of its ${lost}`;
}

/** Until each run has ended or waits for a person. */
export async function settle<T extends { readonly run: string }>(
  stage: Stage,
  trials: readonly T[],
): Promise<readonly { readonly trial: T; readonly seen: SeenRun }[]> {
  const sql = `SELECT id, status FROM run WHERE id = ANY ($1::uuid[]) AND status NOT IN ('succeeded', 'failed', 'cancelled', 'needs_resolution')`;
  const look = async (): Promise<true | null> => {
    const { rows } = await stage.direct.query(sql, [trials.map(({ run }) => uuidOf(run))]);
    return rows.length === 0 ? true : null;
  };
  await until("every run has ended, or waits for a person", look, 30_000).catch(async (error: Error) => {
    const { rows } = await stage.direct.query(
      "SELECT id, status, owner, held, waiting_for FROM run WHERE status NOT IN ('succeeded', 'failed')",
    );
    throw new Error(`${error.message}: ${JSON.stringify(rows)}`);
  });
  return Promise.all(trials.map(async (trial) => ({ trial, seen: await lookAt(stage.api, trial.run) })));
}
