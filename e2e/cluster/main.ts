// npm run cluster [-- --runs 1000] [--rate 10] [--seed 1] [--calm] [--json]
import { parseArgs } from "node:util";
import { redisLacks } from "../support/redis.ts";
import { LANE } from "./mix.ts";
import type { Trial } from "./trial.ts";

const OPTIONS = {
  runs: { type: "string", default: "1000" },
  rate: { type: "string", default: "10" },
  seed: { type: "string", default: "1" },
  calm: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;
const { runs, rate, seed, calm, json } = asked();
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const lacks = redisLacks();
if (lacks !== null) {
  process.stderr.write(`${lacks}\n`);
  process.exit(2);
}
const said = (line: string): void => void (json ? process.stderr : process.stdout).write(`${line}\n`);
// Loaded when it is known that there is something to do.
const [{ openCluster, USUAL }, { runTrial }] = await Promise.all([import("./ground.ts"), import("./trial.ts")]);
const cluster = await openCluster();
/** Told to end, it leaves nothing behind: its processes are nobody's children but its own. */
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void cluster.close().finally(() => process.exit(130)));
try {
  said(
    `up: ${Object.entries(USUAL)
      .map(([role, count]) => `${count} ${role}`)
      .join(", ")}, PostgreSQL, Redis`,
  );
  const trial = await runTrial(cluster, { runs, rate, seed, everyMs: calm ? null : 1_000, said });
  const faults = faultsOf(trial, runs);
  if (json) print(JSON.stringify({ ...trial, faults }));
  else for (const line of linesOf(trial)) print(line);
  for (const fault of faults) said(`FAULT ${fault}`);
  said(faults.length === 0 ? "cluster: as it has to be" : `cluster: ${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await cluster.close();
}

/** What is not understood is refused before anything is started. */
function asked(): { readonly runs: number; readonly rate: number; readonly seed: number; readonly calm: boolean; readonly json: boolean } {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    const whole = (name: "runs" | "rate" | "seed"): number => {
      const number = Number(values[name]);
      if (/^\d{1,9}$/.test(values[name]) && number >= 1) return number;
      throw new Error(`--${name} takes a whole number from 1, not ${values[name]}.`);
    };
    return { runs: whole("runs"), rate: whole("rate"), seed: whole("seed"), calm: values.calm, json: values.json };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  }
}

function linesOf({ audit, slots, lane, resolved, seconds, exits, leaks, strikes }: Trial): readonly string[] {
  const kills = Object.values(strikes.kills).reduce((sum, count) => sum + count, 0);
  return [
    `kills                ${kills}`,
    `strikes held back    ${strikes.heldBack}`,
    `back again, at most  ${Object.entries(strikes.back)
      .map(([role, ms]) => `${role} ${ms} ms`)
      .join(", ")}`,
    `redis flushes        ${strikes.flushes}`,
    ...Object.entries(audit.statuses).map(([status, count]) => `runs ${status.toLowerCase().padEnd(15)} ${count}`),
    ...Object.entries(audit.failures).map(([code, count]) => `  failed for ${code} ${count}`),
    ...Object.entries(audit.causes).map(([cause, count]) => `  waiting for ${cause} ${count}`),
    `slots                ${slots.slots}, absent ${slots.absent}, twice ${slots.again}, not succeeded ${slots.failed}`,
    `lane of ${LANE.most}            at most ${lane.most} at once, miscounted ${lane.miscounted} times`,
    `runs lost            ${audit.lost.length}`,
    `waiting, no cause    ${audit.causeless.length}`,
    `resolved by a person ${resolved}`,
    `effects              ${audit.effects}`,
    `effects done twice   ${audit.doubles.length}`,
    `succeeded, not done  ${audit.phantoms.length}`,
    `failed, yet done     ${audit.denied.length}`,
    `outputs or ends twice ${audit.twice}`,
    `events after the end ${audit.afterEnd}`,
    `verified / differing ${audit.verified} / ${audit.differing}`,
    `attempts resumed     ${audit.resumed}`,
    `takeovers            ${audit.takeovers}`,
    `dispatches unsent    ${audit.unsent}`,
    `seconds              starting ${seconds.starting.toFixed(1)}, ending ${seconds.ending.toFixed(1)}`,
    `run ms               p50 ${Math.round(audit.p50)}, p95 ${Math.round(audit.p95)}`,
    `exit codes           ${Object.entries(exits)
      .map(([name, code]) => `${name} ${code}`)
      .join(", ")}`,
    `secrets in logs      ${leaks}`,
  ];
}

/** A run that waits for a cause that it says is none: it is printed, with its cause. */
function faultsOf({ audit, slots, lane, exits, leaks }: Trial, runs: number): readonly string[] {
  const { statuses, lost, causeless, doubles, phantoms, denied, twice, afterEnd, differing, verified } = audit;
  const counted = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  return [
    ...(counted === runs ? [] : [`${counted} of ${runs} runs are there`]),
    ...lost.map((id) => `lost ${id}`),
    ...causeless.map((id) => `waits without a cause ${id}`),
    ...doubles.map((name) => `done twice: ${name}`),
    ...phantoms.map((name) => `succeeded and not done: ${name}`),
    ...denied.map((name) => `failed and done: ${name}`),
    ...(twice + afterEnd + differing === 0 ? [] : [`logs: ${twice} twice, ${afterEnd} after the end, ${differing} differ`]),
    ...(verified === runs + slots.slots ? [] : [`${verified} of ${runs} runs and ${slots.slots} slots verified`]),
    ...(slots.slots > 0 && slots.absent + slots.again + slots.failed === 0 ? [] : [`slots: ${JSON.stringify(slots)}`]),
    ...(lane.most <= LANE.most && lane.miscounted === 0 ? [] : [`a lane of ${LANE.most}: ${JSON.stringify(lane)}`]),
    ...Object.entries(exits).flatMap(([name, code]) => (code === 0 ? [] : [`${name} ended with ${code}`])),
    ...(leaks === 0 ? [] : [`${leaks} secrets in logs`]),
  ];
}
