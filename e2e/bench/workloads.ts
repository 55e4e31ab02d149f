import type { Json } from "@woml/model";
import type { RunId } from "@woml/run";
import { w6 } from "./hooks.ts";
import type { Door, Stage } from "./stage.ts";

/** The figures of one workload; names are those of the printed JSON. */
export type Figures = Readonly<Record<string, number>>;
export type Workload = (stage: Stage) => Promise<Figures>;

const SCRIPT = "return { ok: true };";
const chain = (id: string, steps: number): string => {
  const each = Array.from({ length: steps }, (_, i) => `<step id="s${i + 1}"><script>${SCRIPT}</script></step>`).join("");
  return `<woml><workflow id="${id}"><triggers><manual id="go"/></triggers><steps>${each}</steps></workflow></woml>`;
};

/** The q-quantile of some milliseconds, rounded to hundredths. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0);
}
function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** 3 steps in sequence, 2,000 runs, 64 in flight. */
async function busy(stage: Stage, door: Door): Promise<Figures> {
  const version = await stage.publish(chain("busy", 3));
  const runs = 2_000;
  const times: number[] = [];
  const play = async (left: { n: number }): Promise<void> => {
    while (left.n-- > 0) {
      const { askedAt, endedAt } = await stage.play("busy", version, door);
      times.push(endedAt - askedAt);
    }
  };
  const inFlight = (n: number): Promise<unknown> => {
    const left = { n };
    return Promise.all(Array.from({ length: 64 }, () => play(left)));
  };
  await inFlight(200);
  times.length = 0;
  const [began, commits, cpuMs] = [performance.now(), stage.commits(), stage.cpuMs()];
  await inFlight(runs);
  const seconds = (performance.now() - began) / 1_000;
  return {
    runsPerS: round(runs / seconds),
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    cpuMsPerRun: round((stage.cpuMs() - cpuMs) / runs),
    commitsPerRun: round((stage.commits() - commits) / runs),
  };
}

const w1: Workload = (stage) => busy(stage, "inbox");
const w1g: Workload = (stage) => busy(stage, "graphql");

/** The same, one at a time, 200 runs: start request to terminal event. */
const w2: Workload = async (stage) => {
  const version = await stage.publish(chain("w2", 3));
  for (let i = 0; i < 20; i++) await stage.play("w2", version);
  const times: number[] = [];
  const commits = stage.commits();
  for (let i = 0; i < 200; i++) {
    const { askedAt, endedAt } = await stage.play("w2", version);
    times.push(endedAt - askedAt);
  }
  return { p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), commitsPerRun: round((stage.commits() - commits) / 200) };
};

/** One run at a time, as often as `rounds`, the first not counted: the median from the request to the terminal event. */
async function wall(stage: Stage, { workflow, text, payload, rounds }: Walled): Promise<Figures> {
  const version = await stage.publish(text);
  await stage.play(workflow, version, "inbox", payload);
  const times: number[] = [];
  const [commits, cpuMs] = [stage.commits(), stage.cpuMs()];
  for (let round = 0; round < rounds; round++) {
    const { askedAt, endedAt } = await stage.play(workflow, version, "inbox", payload);
    times.push(endedAt - askedAt);
  }
  return {
    wallMs: quantile(times, 0.5),
    cpuMsPerRun: round((stage.cpuMs() - cpuMs) / rounds),
    commitsPerRun: round((stage.commits() - commits) / rounds),
  };
}
interface Walled {
  readonly workflow: string;
  readonly text: string;
  readonly payload: Json;
  readonly rounds: number;
}
const document = (id: string, steps: string): string =>
  `<woml><workflow id="${id}"><triggers><manual id="go"/></triggers><steps>${steps}</steps></workflow></woml>`;
const step = (id: string): string => `<step id="${id}"><script>${SCRIPT}</script></step>`;

/** 200 steps side by side in one run. */
const w3: Workload = (stage) => {
  const children = Array.from({ length: 200 }, (_, i) => step(`s${i + 1}`)).join("");
  const text = document("w3", `<parallel id="all">${children}</parallel>${step("end")}`);
  return wall(stage, { workflow: "w3", text, payload: {}, rounds: 9 });
};

/** A loop over 1,000 items, 16 at a time. */
const w3b: Workload = (stage) => {
  const body = `${step("one")}<result value="{{context.steps.one}}"/>`;
  const text = document("w3b", `<for-each id="all" items="{{context.payload.items}}" concurrency="16">${body}</for-each>`);
  return wall(stage, { workflow: "w3b", text, payload: { items: Array.from({ length: 1_000 }, (_, i) => i) }, rounds: 5 });
};

/** Runs of 200 and of 1,000 steps in sequence, five of each, medians: ms a step, and the last 100 steps against the first 100. */
const w4: Workload = async (stage) => {
  const perStep = async (steps: number): Promise<{ readonly msPerStep: number; readonly lastOverFirst: number }> => {
    const workflow = `w4-${steps}`;
    const { run } = await stage.play(workflow, await stage.publish(chain(workflow, steps)));
    const started = await stage.timesOf(run, "step_started");
    const [ended = 0] = await stage.timesOf(run, "run_succeeded");
    const at = (i: number): number => started[i] ?? ended;
    const span = (from: number, to: number): number => at(to) - at(from);
    return { msPerStep: round(span(0, steps) / steps), lastOverFirst: round(span(steps - 100, steps) / span(0, 100)) };
  };
  const five = async (steps: number) => {
    const runs = [];
    for (let i = 0; i < 5; i++) runs.push(await perStep(steps));
    return runs;
  };
  await perStep(200);
  const [short, long] = [await five(200), await five(1_000)];
  const median = (values: readonly number[]): number => quantile(values, 0.5);
  return {
    msPerStep200: median(short.map((one) => one.msPerStep)),
    msPerStep1000: median(long.map((one) => one.msPerStep)),
    lastOverFirst: median(long.map((one) => one.lastOverFirst)),
  };
};

const QUEUED = 1_000;
const SAMPLES = 60;
/**
 * Two tenants, one with 1,000 runs that are asked for at once: how long a start of the other waits, and how long when it is alone. Both ask in a
 * process apart, as control is on a cluster, so that a delay holds what storing the 1,000 costs the database and control, and what they cost the
 * engine. The other's runs are one after the other; what was asked for once the 1,000 had ended does not count, and where they ended too soon
 * they are asked for again.
 */
const w9: Workload = async (stage) => {
  const [quiet, busy] = [await stage.neighbour(), await stage.neighbour()];
  const [version, busyVersion] = [await quiet.publish(chain("quiet", 1)), await busy.publish(chain("busy", 3))];
  const delayMs = async (): Promise<number> => {
    const [run] = await quiet.ask("quiet", version, 1);
    if (run === undefined) throw new Error("nothing was asked for");
    await quiet.ended(run);
    await new Promise((resolve) => setTimeout(resolve, 10));
    return stage.startDelayMs(run);
  };
  const some = async (): Promise<readonly number[]> => {
    const found: number[] = [];
    while (found.length < SAMPLES) found.push(await delayMs());
    return found;
  };
  await some();
  const alone = await some();
  const beside: number[] = [];
  let rounds = 0;
  for (; beside.length < SAMPLES; rounds++) {
    let left = QUEUED;
    const ended = (run: RunId): Promise<unknown> => busy.ended(run).then(() => left--);
    const all = busy.ask("busy", busyVersion, QUEUED).then((runs) => Promise.all(runs.map(ended)));
    while (left > 0) beside.push(await delayMs());
    await all;
  }
  const figures = { p50Ms: quantile(beside, 0.5), p95Ms: quantile(beside, 0.95), asked: beside.length, rounds };
  return { ...figures, aloneP50Ms: quantile(alone, 0.5), aloneP95Ms: quantile(alone, 0.95) };
};

/** Some are measured in several sizes, one after another. */
export const WORKLOADS: Readonly<Record<string, Workload | readonly Workload[]>> = { w1, w1g, w2, w3, w3b, w4, w6, w9 };
