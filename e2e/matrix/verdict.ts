// What was seen of a cell, held against its rule; and the person's word where one is asked for.
import { setTimeout as sleep } from "node:timers/promises";
import { ApiRefusal, lookAt, resolve, type SeenRun } from "./api.ts";
import { type Cell, type Rule, ruleOf } from "./rules.ts";
import type { Stage } from "./stage.ts";
import { countOf, type Seen, settle } from "./trial.ts";

/** A person who sees no effect says by turns that it shall be performed, and that it has failed. */
export type Word = "SUCCEEDED" | "FAILED" | "RETRY";
export interface Row {
  readonly point: string;
  readonly kill: string;
  readonly kind: string;
  /** Empty where the cell could not be hit. */
  readonly hit: string;
  readonly run: string;
  readonly operation: string;
  readonly evidence: string;
  readonly sent: number;
  readonly asked: number;
  readonly effects: number;
  /** What a person said, and how the run ended then. */
  readonly said: string;
  /** Empty where it is as the rules have it. */
  readonly complaints: readonly string[];
}

export function emptyRow({ point, kill, kind }: Cell, why: string): Row {
  const nothing = { run: "NOT HIT", operation: "", evidence: "", sent: 0, asked: 0, effects: 0, said: "" };
  return { point, kill, kind, hit: "", ...nothing, complaints: [`not hit: ${why}`] };
}

export async function verdictOf(stage: Stage, seen: Seen, turn: () => Word): Promise<Row> {
  const rule = ruleOf(seen.cell);
  const complaints = [...againstRule(seen, rule)];
  const [operation] = seen.seen.operations;
  const resolved = seen.seen.status === "needs_resolution" ? await resolveIt(stage, seen, turn) : null;
  if (resolved !== null) complaints.push(...resolved.complaints);
  const { point, kill, kind } = seen.cell;
  return {
    ...{ point, kill, kind, hit: seen.hit, complaints },
    run: seen.seen.waiting === null ? seen.seen.status : `${seen.seen.status} (${seen.seen.waiting.cause})`,
    operation: operation === undefined ? "none" : `${operation.outcome}, try ${operation.tries}, by ${operation.by}`,
    evidence: operation?.evidence ?? "",
    ...{ sent: seen.count.requests, asked: seen.count.statuses, effects: seen.lines },
    said: resolved?.said ?? "",
  };
}

function* againstRule({ cell, seen, count, lines }: Seen, rule: Rule): Generator<string> {
  const [operation, ...others] = seen.operations;
  if (seen.status !== rule.status) yield `the run is ${seen.status}, not ${rule.status}: ${JSON.stringify(seen.failure ?? seen.waiting)}`;
  if (operation === undefined || others.length > 0) return yield `${seen.operations.length} operations`;
  const outcome = rule.status === "needs_resolution" ? "unknown" : "succeeded";
  if (operation.outcome !== outcome) yield `the operation is ${operation.outcome}, not ${outcome}`;
  if (!rule.tries.includes(operation.tries)) yield `dispatched ${operation.tries} times, not ${rule.tries.join(" or ")}`;
  if (operation.class !== cell.kind.split(":")[0]) yield `its class is ${operation.class}`;
  if (lines !== rule.effects) yield `${lines} effects in the ledger, not ${rule.effects}`;
  if (lines !== count.effects) yield `the ledger has ${lines} lines, its process counts ${count.effects}`;
  if (rule.status === "needs_resolution" && !seen.unresolvedEffects.includes(operation.id)) yield "the run does not name it";
  if (cell.kind === "unsafe" && count.requests > 1) yield `an unsafe operation was sent ${count.requests} times`;
  if ((rule.way === "asked" || rule.way === "proven absent") && count.statuses === 0) yield "its provider was not asked";
}

/** M4: the person looks at the ledger first. What was done is said to be done; the rest by turns. */
async function resolveIt(stage: Stage, { seen, name, run, lines }: Seen, turn: () => Word) {
  const word = lines > 0 ? "SUCCEEDED" : turn();
  await say(stage, seen, word, word === "SUCCEEDED" ? { result: { id: `said-${name}` } } : {});
  const end = await until(stage, run);
  const effects = stage.bank.lines(name);
  const wanted = word === "FAILED" ? "failed" : "succeeded";
  const complaints: string[] = [];
  if (end.status !== wanted) complaints.push(`after ${word} the run is ${end.status}: ${JSON.stringify(end.failure ?? end.waiting)}`);
  if (effects !== (word === "FAILED" ? 0 : 1)) complaints.push(`after ${word} there are ${effects} effects`);
  if (countOf(await stage.bank.counts(), name).effects !== effects) complaints.push("the ledger and its process disagree");
  return { said: `${word} → ${end.status}, ${effects} effects`, complaints };
}

const ENDED: ReadonlySet<string> = new Set(["succeeded", "failed", "cancelled"]);

async function until(stage: Stage, run: string): Promise<SeenRun> {
  for (let tries = 0; tries < 400; tries++) {
    const [{ seen } = { seen: null }] = await settle(stage, [{ run }]);
    if (seen !== null && ENDED.has(seen.status)) return seen;
    await sleep(25);
  }
  return lookAt(stage.api, run);
}

/** Too early, it is said again. */
async function say(stage: Stage, seen: SeenRun, outcome: Word, more: object): Promise<void> {
  for (;;) {
    try {
      return await resolve(stage.api, seen, { outcome, ...more });
    } catch (error) {
      if (!(error instanceof ApiRefusal) || error.code !== "WOML_RESOLUTION_TOO_EARLY") throw error;
      await sleep(100);
    }
  }
}
