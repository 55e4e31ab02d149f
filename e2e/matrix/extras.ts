// What the table does not hold: engines that come back, people who are early, keys that are forgotten, errors that are wrapped, and timers
// that race an operation.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { killChildren } from "../support/cpu.ts";
import { lookAt, resolve, type SeenRun, startRun } from "./api.ts";
import type { Plan } from "./plan.ts";
import { LEASE_MS, type Stage } from "./stage.ts";
import { countOf, heldAll, LAG_MS, reach, settle, WORKFLOWS } from "./trial.ts";
import { until } from "./until.ts";

export interface Extra {
  readonly name: string;
  /** Answers what was seen; rejects where it is not as the rules have it. */
  readonly run: (stage: Stage) => Promise<string>;
}

/** What a person says is judged at once, and followed a little later. */
const FOLLOWED_MS = 10_000;
/** Longer than the delay before a step is tried again. */
const RETRY_MS = 1_500;

async function ended(stage: Stage, run: string): Promise<SeenRun> {
  const look = async (): Promise<SeenRun | null> => {
    const seen = await lookAt(stage.api, run);
    return /^(succeeded|failed|cancelled)$/.test(seen.status) ? seen : null;
  };
  return until("the run has ended", look, FOLLOWED_MS);
}

async function asked(stage: Stage, run: string): Promise<SeenRun> {
  const [{ seen } = { seen: await lookAt(stage.api, run) }] = await settle(stage, [{ run }]);
  assert.deepEqual([seen.status, seen.waiting?.cause], ["needs_resolution", "needs_resolution"]);
  return seen;
}

/** A run whose request is held at the provider. */
async function held(stage: Stage, workflow: string, name: string, plan: Partial<Plan>): Promise<string> {
  await stage.bank.plan({ [name]: plan });
  const run = await startRun(stage.api, workflow, { case: name });
  await heldAll(stage, [{ name }], plan.hold ?? "after");
  return run;
}

async function performed(stage: Stage, name: string): Promise<string> {
  const { requests, effects } = countOf(await stage.bank.counts(), name);
  assert.equal(stage.bank.lines(name), effects);
  return `${requests} sent, ${effects} effects`;
}

const refused = (code: string) => (error: Error & { readonly code?: string }) => error.code === code;

async function pausedEngine(stage: Stage): Promise<string> {
  const cell = { point: "recorded", kill: "engine" } as const;
  const named = (["keyed", "unsafe"] as const).map((kind) => ({ cell: { ...cell, kind }, name: `paused-${kind}`, workflow: kind }));
  const { trials } = await reach(stage, "recorded", named);
  const paused = stage.engine();
  paused.signal("SIGSTOP");
  stage.proxy.letGo();
  stage.relieve();
  const [keyed, unsafe] = await settle(stage, trials);
  paused.signal("SIGCONT");
  await until("the paused engine knows that its lease is over", () => (paused.leases().ended > 0 ? true : null));
  await sleep(LEASE_MS);
  assert.equal(keyed?.seen.status, "succeeded");
  assert.equal(unsafe?.seen.status, "needs_resolution");
  assert.equal(await performed(stage, "paused-keyed"), "1 sent, 1 effects");
  assert.equal(await performed(stage, "paused-unsafe"), "0 sent, 0 effects");
  await paused.kill();
  await resolve(stage.api, unsafe.seen, { outcome: "FAILED" });
  assert.equal((await ended(stage, unsafe.seen.id)).status, "failed");
  return "the one that took over performed the keyed one and asked about the unsafe one; the one that came back sent nothing";
}

async function earlyPerson(stage: Stage): Promise<string> {
  const name = "early";
  const run = await held(stage, "reattachable", name, { hold: "after", never: true });
  killChildren(stage.pluginHost());
  const seen = await asked(stage, run);
  await assert.rejects(resolve(stage.api, seen, { outcome: "RETRY" }), refused("WOML_RESOLUTION_TOO_EARLY"));
  await assert.rejects(resolve(stage.api, { ...seen, head: 1 }, { outcome: "FAILED" }), refused("WOML_RESOLUTION_STALE"));
  const misfit = resolve(stage.api, seen, { outcome: "SUCCEEDED", result: { nonsense: 1 } });
  await assert.rejects(misfit, refused("WOML_RESOLUTION_RESULT_INVALID"));
  await resolve(stage.api, seen, { outcome: "SUCCEEDED", result: { id: "said" } });
  const end = await ended(stage, run);
  assert.deepEqual([end.status, end.result], ["succeeded", { id: "said" }]);
  assert.equal(await performed(stage, name), "1 sent, 1 effects");
  await assert.rejects(resolve(stage.api, seen, { outcome: "RETRY" }), refused("WOML_RUN_ALREADY_TERMINAL"));
  return "too early, stale, misfitting: refused; then heard; then too late";
}

async function expiredKey(stage: Stage): Promise<string> {
  const name = "expired";
  const run = await held(stage, "brief", name, { hold: "after", forgets: true });
  await sleep(2_000);
  killChildren(stage.pluginHost());
  const seen = await asked(stage, run);
  assert.equal(await performed(stage, name), "1 sent, 1 effects");
  await resolve(stage.api, seen, { outcome: "SUCCEEDED", result: { id: "said" } });
  assert.equal((await ended(stage, run)).status, "succeeded");
  return "its provider forgets the key: not sent again, a person is asked";
}

async function wrappedByScript(stage: Stage): Promise<string> {
  const name = "wrapped";
  const run = await held(stage, "wrapped", name, { hold: "after" });
  await stage.bank.lose([name]);
  const seen = await asked(stage, run);
  await sleep(RETRY_MS);
  assert.equal((await lookAt(stage.api, run)).status, "needs_resolution");
  assert.equal(await performed(stage, name), "1 sent, 1 effects");
  await resolve(stage.api, seen, { outcome: "SUCCEEDED", result: { id: "said" } });
  assert.equal((await ended(stage, run)).status, "succeeded");
  return "a step with retry is suspended, and its script hears nothing before a person has spoken";
}

async function wrappedByPlugin(stage: Stage): Promise<string> {
  const name = "wrapping";
  const run = await held(stage, "wrapping", name, { hold: "after" });
  await stage.bank.lose([name]);
  const seen = await asked(stage, run);
  await sleep(RETRY_MS);
  assert.equal(await performed(stage, name), "1 sent, 1 effects");
  await resolve(stage.api, seen, { outcome: "SUCCEEDED", result: { id: "said" } });
  assert.equal((await ended(stage, run)).status, "succeeded");
  return "a plugin that calls it a failure to be retried is not believed";
}

async function toldAndWrapped(stage: Stage): Promise<string> {
  const name = "told";
  const set = (onAmbiguous: "ASK" | "FAIL"): Promise<unknown> =>
    stage.api.ask(`mutation ($input: SetOnAmbiguousInput!) { setOnAmbiguous(input: $input) { onAmbiguous } }`, { input: { onAmbiguous } });
  await set("FAIL");
  const run = await held(stage, "wrapped", name, { hold: "after" });
  await set("ASK");
  await stage.bank.lose([name]);
  const end = await ended(stage, run);
  await sleep(RETRY_MS);
  assert.deepEqual([end.status, end.unresolvedEffects.length], ["failed", 1]);
  assert.equal(await performed(stage, name), "1 sent, 1 effects");
  return "onAmbiguous FAIL: the script throws something else, and the step is not tried again";
}

async function race(stage: Stage, kill: "worker" | "engine"): Promise<string> {
  const name = `race-${kill}`;
  const [slow, timer, answer] = ["slow", "timer", "answer"].map((part) => `${name}/${part}`) as [string, string, string];
  await stage.bank.plan({ [slow]: { hold: "after" }, [timer]: { hold: "before" } });
  const run = await startRun(stage.api, "race", { case: name });
  await heldAll(stage, [{ name: timer }], "before");
  await stage.bank.letGo([slow]);
  // Its answer is in the log, and a script begun anew would find it before its timer.
  const look = async (): Promise<true | null> => ((await lookAt(stage.api, run)).operations[0]?.outcome === "succeeded" ? true : null);
  await until("the slow answer is in the log", look);
  if (kill === "worker") killChildren(stage.sandbox);
  else {
    await stage.engine().kill();
    stage.relieve();
  }
  await sleep(LEASE_MS);
  await stage.bank.letGo([timer]);
  const end = await ended(stage, run);
  assert.equal(end.status, "succeeded", JSON.stringify(end.failure));
  assert.equal((end.result as { readonly branch: string }).branch, "timer");
  assert.deepEqual([await performed(stage, slow), await performed(stage, timer)], ["1 sent, 1 effects", "1 sent, 1 effects"]);
  assert.equal(await performed(stage, answer), "0 sent, 0 effects");
  return "run again with the answer at hand, the script takes the branch of the timer";
}

async function slowDenial(stage: Stage): Promise<string> {
  const name = "denied";
  const run = await held(stage, "reattachable", name, { hold: "after", lagMs: LAG_MS, saysAfterMs: 2_500 });
  killChildren(stage.pluginHost());
  const end = await ended(stage, run);
  assert.deepEqual([end.status, end.operations[0]?.tries], ["succeeded", 1]);
  assert.equal(await performed(stage, name), "1 sent, 1 effects");
  assert.ok(countOf(await stage.bank.counts(), name).statuses >= 2, "it was asked too late to be denied");
  return "asked too early and answered late, it is asked again";
}

async function diesAsGiven(stage: Stage): Promise<string> {
  const cell = { point: "recorded", kill: "plugin process", kind: "keyed" } as const;
  const { trials } = await reach(stage, "recorded", [{ cell, name: "given", workflow: "patient" }]);
  killChildren(stage.pluginHost());
  stage.proxy.letGo();
  const [done] = await settle(stage, trials);
  assert.equal(done?.seen.status, "succeeded", JSON.stringify(done?.seen.failure));
  assert.equal(stage.bank.lines("given"), 1);
  return `nothing had left: ${done.seen.operations.length === 1 ? "dispatched to the next process" : "a known failure, and the step is tried again"}`;
}

async function lostHost(stage: Stage): Promise<string> {
  const kinds = ["pure", "keyed", "reattachable: succeeded", "unsafe"] as const;
  const cell = { point: "effect done", kill: "plugin process" } as const;
  const named = kinds.map((kind, i) => ({ cell: { ...cell, kind }, name: `host-${i}`, workflow: WORKFLOWS[kind] }));
  await stage.bank.plan(Object.fromEntries(named.map(({ name }) => [name, { hold: "after" as const }])));
  const { trials } = await reach(stage, "effect done", named);
  process.kill(stage.pluginHost(), "SIGKILL");
  await stage.reviveHost();
  const ends = await settle(stage, trials);
  const statuses = ends.map(({ seen }) => seen.status);
  assert.deepEqual(statuses, ["succeeded", "succeeded", "succeeded", "needs_resolution"]);
  const lines = named.map(({ name }) => stage.bank.lines(name));
  assert.deepEqual(lines, [0, 1, 1, 1]);
  assert.equal(await performed(stage, "host-2"), "1 sent, 1 effects");
  assert.equal(await performed(stage, "host-3"), "1 sent, 1 effects");
  const unsafe = ends[3]?.seen;
  assert.ok(unsafe);
  await resolve(stage.api, unsafe, { outcome: "SUCCEEDED", result: { id: "said" } });
  assert.equal((await ended(stage, unsafe.id)).status, "succeeded");
  return "read again, sent again under the key, asked, and a person asked";
}

export const EXTRAS: readonly Extra[] = [
  { name: "an engine paused, and back while another took over", run: pausedEngine },
  { name: "a person who is early", run: earlyPerson },
  { name: "the window of the key is over", run: expiredKey },
  { name: "an unknown outcome that the script would wrap", run: wrappedByScript },
  { name: "an unknown outcome that the plugin wraps", run: wrappedByPlugin },
  { name: "an unknown outcome that the script is told, wraps and throws", run: toldAndWrapped },
  { name: "a timer that races an operation, then the worker dies", run: (stage) => race(stage, "worker") },
  { name: "a timer that races an operation, then the engine dies", run: (stage) => race(stage, "engine") },
  { name: "a provider that denies slowly", run: slowDenial },
  { name: "the plugin host and all it knew", run: lostHost },
  { name: "a plugin's process that dies as it is given the call", run: diesAsGiven },
];
