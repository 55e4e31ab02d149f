// 200 runs, and in the middle of them the engine gets kill -9: how long until all have ended, and what happened twice. The engine is a process
// of its own, so that nothing else dies with it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { memoryDoorbell, openLog, openStops, SHARED, type Stops } from "@woml/boot";
import type { Json } from "@woml/model";
import { openDoor, type PoolOptions } from "@woml/sandbox";
import { type EngineProcess, spawnEngine } from "../matrix/engine-process.ts";
import { type Ledger, startLedger } from "../support/ledger.ts";
import { type Floor, type Ground, openGround } from "./ground.ts";

const RUNS = 200;
const LASTS_MS = 300;
const LIMIT_MS = 180_000;
const POLL_MS = 20;

interface Counts {
  readonly admitted: number;
  readonly ended: number;
  readonly succeeded: number;
  /** Runs with two outputs of a step or two ends in their logs. */
  readonly completedTwice: number;
  readonly resumed: number;
  readonly charging: number;
}
const COUNTS = `
WITH logs AS (SELECT run, count(*) FILTER (WHERE type = 'step_started') AS started, count(*) FILTER (WHERE type = 'step_succeeded') AS outputs,
    count(*) FILTER (WHERE type IN ('run_succeeded', 'run_failed', 'run_cancelled')) AS ends,
    count(*) FILTER (WHERE type = 'run_succeeded') AS successes, count(*) FILTER (WHERE type = 'attempt_resumed') AS resumes,
    count(*) FILTER (WHERE type = 'operation_started' AND data->'called'->'effect'->>'class' <> 'pure') AS charges
  FROM run_event GROUP BY run)
SELECT count(*) FILTER (WHERE started > 0)::int AS admitted, count(*) FILTER (WHERE ends > 0)::int AS ended,
  count(*) FILTER (WHERE successes > 0)::int AS succeeded, count(*) FILTER (WHERE outputs > 1 OR ends > 1)::int AS "completedTwice",
  coalesce(sum(resumes), 0)::int AS resumed, count(*) FILTER (WHERE charges > 0)::int AS charging
FROM logs`;

interface Restarted {
  /** From the kill until the last run has ended. */
  readonly recoveryMs: number;
  readonly completedTwice: number;
  readonly performedTwice: number;
  /** Runs that did not succeed. */
  readonly unfinished: number;
  /** Runs that the kill met, and attempts of them that went on. */
  readonly met: number;
  readonly resumed: number;
}
export interface RestartedStage {
  readonly floor: Floor;
  readonly layers: readonly string[];
  run(): Promise<Restarted>;
  close(): Promise<void>;
}
interface Trial {
  readonly workflow: string;
  readonly script: string;
  readonly payload: (n: number) => Json;
  readonly isMiddle: (counts: Counts) => boolean;
}

const SCRIPTS = {
  waiting: `await new Promise((resolve) => setTimeout(resolve, ${LASTS_MS})); return { ok: true };`,
  charging: `const { url, customer } = context.payload;
    const quote = await services.http.request({ url: url + "/quotes", query: { amount: 100, currency: "EUR" } });
    const charge = { amount: quote.data.total, currency: "EUR", customer };
    const asked = { url: url + "/charges", method: "POST", json: charge, idempotency: { header: "Idempotency-Key" } };
    return (await services.http.request(asked, { name: "charge" })).data;`,
};

/** The script only waits. The kill comes when every run has begun and some have ended. */
const waiting: Trial = {
  ...{ workflow: "waiting", script: SCRIPTS.waiting, payload: () => ({}) },
  isMiddle: ({ admitted, ended }) => admitted === RUNS && ended > 0,
};
/** The script asks and charges, each charge as long as the script above. The kill comes when every run has begun and some have charged. */
const charging = (url: string): Trial => ({
  ...{ workflow: "charging", script: SCRIPTS.charging, payload: (n) => ({ url, customer: `c${n}` }) },
  isMiddle: ({ admitted, ended, charging: begun }) => admitted === RUNS && ended > 0 && begun > ended,
});

type Kind = "waiting" | "charging";

/** `pool`: what is other than usual about the sandbox. */
export async function openRestart(kind: Kind, pool: Partial<PoolOptions>): Promise<RestartedStage> {
  const stops = openStops(openLog("bench", "error"));
  try {
    return await open(kind, pool, stops);
  } catch (error) {
    await stops.stop();
    throw error;
  }
}

async function open(kind: Kind, pool: Partial<PoolOptions>, stops: Stops): Promise<RestartedStage> {
  const folder = mkdtempSync(join(tmpdir(), "woml-ledger-"));
  stops.add("folder", () => rmSync(folder, { recursive: true, force: true }));
  const ledger = await startLedger(folder);
  stops.add("ledger", () => ledger.stop());
  await ledger.answerLate(LASTS_MS);
  const doorbell = memoryDoorbell();
  const ground = await openGround({ doorbell, stops, pool, privateHosts: [new URL(ledger.url).host] });
  const settings = { storeUrl: ground.storeUrl, sandbox: ground.sandbox.socket, plugins: ground.pluginHost.socket };
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
  const door = await openDoor(ground.sandbox.socket);
  const layers = door.layers;
  await door.close();
  const trial = kind === "waiting" ? waiting : charging(ledger.url);
  return { floor: ground.floor, layers, run: () => killed({ ground, ledger, restart }, trial), close: () => stops.stop() };
}

interface Scene {
  readonly ground: Ground;
  readonly ledger: Ledger;
  readonly restart: () => Promise<void>;
}

async function killed({ ground, ledger, restart }: Scene, trial: Trial): Promise<Restarted> {
  const { workflow, script, payload, isMiddle } = trial;
  const steps = `<steps><step id="act"><script>${script}</script></step></steps>`;
  const text = `<woml><workflow id="${workflow}"><triggers><manual id="go"/></triggers>${steps}</workflow></woml>`;
  const version = await ground.publish(text);
  await Promise.all(Array.from({ length: RUNS }, (_, n) => ground.ask(workflow, version, payload(n))));
  const before = await until(ground, isMiddle);
  if (!isMiddle(before)) throw new Error(`the runs were never in their middle: ${JSON.stringify(before)}`);
  const began = performance.now();
  await restart();
  const after = await until(ground, ({ ended }) => ended === RUNS);
  const recoveryMs = Math.round(performance.now() - began);
  const performedTwice = [...(await ledger.charges()).values()].filter((count) => count > 1).length;
  const { completedTwice, succeeded, resumed } = after;
  return { recoveryMs, completedTwice, performedTwice, unfinished: RUNS - succeeded, met: RUNS - before.ended, resumed };
}

/** What the logs say once they say so, or when the limit is over. */
async function until({ direct }: Ground, isSo: (counts: Counts) => boolean): Promise<Counts> {
  const end = performance.now() + LIMIT_MS;
  for (;;) {
    const { rows } = await direct.query<Counts>(COUNTS);
    const [counts] = rows;
    if (counts === undefined) throw new Error("a count without a row");
    if (isSo(counts) || performance.now() > end) return counts;
    await sleep(POLL_MS);
  }
}
