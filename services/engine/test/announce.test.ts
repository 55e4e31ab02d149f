// Signals of the platform's own: what is announced of a run, and what follows from it.
import assert from "node:assert/strict";
import { it, test } from "node:test";
import { openLog } from "@woml/boot";
import { type PlatformSignal, type Spread, type Subscriber, UNLIMITED_STARTS } from "@woml/prisma";
import { asRunId, asTenantId, type NewEvent, showVersionId } from "@woml/run";
import { announcementsOf } from "../builtin/announce.ts";
import { type Relay, spreading, watchSignals } from "../triggers/signals.ts";
import { called, define, fixed, Play, step } from "./play.ts";
import * as staged from "./stage.ts";

const { chain, ok, Stage, TENANT } = staged;
const RUN = asRunId("00000000-0000-7000-8000-00000000000a");

it("a run that fails is announced with its end, where somebody listens; one that succeeds is not", async () => {
  for (const isHeard of [true, false]) {
    const stage = new Stage();
    const subscriber = { tenant: TENANT, workflow: "ops", trigger: "t", version: "v", spec: {}, secrets: [] };
    if (isHeard) stage.memory.subscribe("woml.run-failed", subscriber);
    const version = stage.publish({ ...chain(staged.step("a")), workflow: { id: "w" } });
    stage.scripts = (node, _, frame) =>
      JSON.parse(frame.context).payload.fails === true
        ? { outcome: "script_threw", failure: { name: "Error", message: "no", stack: "" }, cpuMs: 1, ms: 1 }
        : ok(node);
    await stage.start();
    stage.ask(version, {});
    const key = stage.ask(version, { fails: true });
    await stage.wait(2_000);
    const { status, events } = stage.run(key);
    const last = events.at(-1);
    assert.ok(status === "failed" && last?.type === "run_failed");
    const { code, message } = last.data.failure;
    const payload = { runId: `run_${key.run}`, workflowId: "w", versionId: showVersionId(version), code, message };
    const wanted = { tenant: TENANT, name: "woml.run-failed", key: key.run, lineage: ["w"], payload };
    assert.deepEqual(stage.memory.announced, isHeard ? [wanted] : []);
  }
});

const one = define({ nodes: [step("a", fixed(3, 50))], edges: [], result: "a" });
const settled = (told: boolean): NewEvent => ({
  type: "operation_settled",
  data: {
    ...{ node: "a", attempt: 1, call: 1, try: 1, evidence: "" },
    outcome: { status: "unknown", failure: { code: "C", message: "x".repeat(2_000), retryable: false, ambiguous: true }, told },
  },
});

test("what a person is asked about is announced: an unknown outcome that no script is told, and an attempt that diverged", () => {
  const play = new Play(one);
  play.admit();
  play.call("a", called("unsafe"));
  const names = (event: NewEvent): readonly unknown[] =>
    announcementsOf(RUN, play.state, [event]).map(({ name, key, payload }) => [name, key, payload]);
  const { admitted } = play.state;
  const of = { runId: `run_${RUN}`, workflowId: admitted?.workflow, versionId: showVersionId(admitted?.version ?? "") };
  const about = { operationId: "a:1:1", capability: called("unsafe").capability, operation: called("unsafe").operation };
  assert.deepEqual(names(settled(false)), [
    ["woml.run-needs-resolution", `${RUN} a:1:1`, { ...of, ...about, message: `${"x".repeat(1_024)}…` }],
  ]);
  assert.deepEqual(names(settled(true)), []);
  const diverged: NewEvent = { type: "attempt_diverged", data: { node: "a", attempt: 1, detail: "otherwise" } };
  assert.deepEqual(names(diverged), [
    ["woml.run-needs-resolution", `${RUN} a:1`, { ...of, operationId: "a:1", capability: null, operation: null, message: "otherwise" }],
  ]);
  play.cancel();
  assert.deepEqual(names(settled(false)), [], "in a run that stops nobody is asked");
});

const draws = () => {
  let drawn = 0;
  return { mint: () => `00000000-0000-7000-8000-${String(++drawn).padStart(12, "0")}`, digest: (text: string) => `sha256:${text.length}` };
};
const tenant = asTenantId("00000000-0000-7000-8000-0000000000aa");
const signal = (some: Partial<PlatformSignal> = {}): PlatformSignal => ({
  ...{ tenant, id: "q", name: "woml.run-failed", key: "k", at: 1_700_000_000_000, waitedMs: 0, onAmbiguous: null },
  ...{ payload: { runId: "run_1" }, lineage: ["w"], ...some },
});
const listener = (workflow: string, spec: object = {}): Subscriber => ({
  ...{ tenant, workflow, trigger: "t", version: `v-${workflow}`, spec: spec as Subscriber["spec"], secrets: [] },
});

const spread = (of: PlatformSignal, subscribers: readonly Subscriber[], drawn = draws(), allowance = UNLIMITED_STARTS): Spread => {
  const found = spreading(of, { subscribers, allowance }, drawn);
  assert.ok(found, "it waits for nothing");
  return found;
};

test("R2: who listens is started, each once a key of the signal; what stands above it is not, and that is written down", () => {
  const { occurrences, deliveries } = spread(signal({ onAmbiguous: "fail", lineage: ["w", "b"] }), [
    ...[listener("a"), listener("b"), listener("c", { schema: { required: ["order"] } })],
  ]);
  assert.deepEqual(
    occurrences.map(({ scope, key, body }) => ({ scope, key, body })),
    [
      {
        ...{ scope: "trigger:a:t", key: "platform:v1:woml.run-failed:k" },
        body: {
          ...{ kind: "start", workflow: "a", version: "v-a", trigger: { kind: "signal", id: "t" }, labels: [], onAmbiguous: "fail" },
          payload: { runId: "run_1", at: "2023-11-14T22:13:20.000Z" },
          signal: { id: "woml.run-failed k", name: "woml.run-failed", lineage: ["w", "b", "woml.run-failed"] },
        },
      },
    ],
  );
  assert.deepEqual(
    deliveries.map(({ workflow, outcome, code, run }) => [workflow, outcome, code, run]),
    [
      ["a", "accepted", undefined, occurrences[0]?.run],
      ["b", "rejected", "WOML_EVENT_CYCLE", undefined],
      ["c", "rejected", "WOML_TRIGGER_SCHEMA_INVALID", undefined],
    ],
  );
});

test("R1: whoever works it out again asks for the same keys", () => {
  const drawn = draws();
  const keys = (): readonly string[] =>
    spread(signal(), [listener("a"), listener("b")], drawn).occurrences.map(({ scope, key, digest }) => `${scope} ${key} ${digest}`);
  assert.deepEqual(keys(), keys());
});

test("R2: two signals of the platform of one name follow from one another, and no more, however many hear of them", () => {
  const failed: NewEvent = { type: "run_failed", data: { failure: { code: "C", kind: "script_threw", message: "no" } } };
  const above = (lineage: readonly string[]): readonly string[] =>
    spread(signal({ lineage }), [listener("a")]).occurrences[0]?.body.signal?.lineage ?? [];
  const alarm = above(["w"]);
  const last = above([...alarm, "b"]);
  const told = (lineage: readonly string[], event: NewEvent): readonly string[] => {
    const play = new Play(one);
    play.admit();
    play.call("a", called("unsafe"));
    const { state } = play;
    const admitted = state.admitted && { ...state.admitted, signal: { id: "s", name: "x.y", lineage } };
    return announcementsOf(RUN, { ...state, admitted }, [event]).map(({ name }) => name);
  };
  assert.deepEqual(told([], failed), ["woml.run-failed"]);
  assert.deepEqual(told(["w"], failed), ["woml.run-failed"]);
  assert.deepEqual(told(alarm, failed), ["woml.run-failed"], "of an alarm that fails the others hear");
  assert.deepEqual(told(last, failed), []);
  assert.deepEqual(told([...last, "c"], failed), [], "nor of what it has called or emitted");
  assert.deepEqual(told(last, settled(false)), ["woml.run-needs-resolution"], "another name is another matter");
});

test("R2: a chain of failures ends", () => {
  const deep = Array.from({ length: 33 }, (_, nth) => `w${nth}`);
  const { occurrences, deliveries } = spread(signal({ lineage: deep }), [listener("a")]);
  assert.deepEqual([occurrences, deliveries[0]?.code], [[], "WOML_EVENT_DEPTH_EXCEEDED"]);
});

test("where a quota has no room for all that listen a signal waits a minute; then those start that may, and of the others it is written down", () => {
  const starts = { limit: 1, left: 1, resetsAt: 1_700_000_001_000 };
  const allowance = { ...UNLIMITED_STARTS, starts };
  const subscribers = [listener("w"), listener("a"), listener("b")];
  assert.equal(spreading(signal({ waitedMs: 59_999 }), { subscribers, allowance }, draws()), null);
  const { occurrences, deliveries } = spread(signal({ waitedMs: 60_000 }), subscribers, draws(), allowance);
  assert.deepEqual(
    occurrences.map(({ body }) => body.workflow),
    ["a"],
  );
  assert.deepEqual(
    deliveries.map(({ workflow, outcome, code, payload, detail }) =>
      [workflow, outcome, code, payload, detail].slice(0, code === undefined ? 2 : 5),
    ),
    [
      ["w", "rejected", "WOML_EVENT_CYCLE", deliveries[0]?.payload, deliveries[0]?.detail],
      ["a", "accepted"],
      [
        ...["b", "rejected", "WOML_QUOTA_EXCEEDED", { runId: "run_1", at: "2023-11-14T22:13:20.000Z" }],
        { message: "Not started: the tenant's quota starts-per-second of 1 is used up until 2023-11-14T22:13:21.000Z." },
      ],
    ],
  );
  const one = { subscribers: [listener("w"), listener("a")], allowance };
  assert.equal(spreading(signal(), one, draws())?.occurrences.length, 1, "for all that may start there is room");
});

test("a tenant with many signals that a thousand hear keeps another's waiting for a second and no more", async () => {
  const other = asTenantId("00000000-0000-7000-8000-0000000000bb");
  const waiting = new Map(Array.from({ length: 600 }, (_, nth) => [`many ${nth}`, signal({ id: `many ${nth}` })]));
  const inTurn = (): readonly PlatformSignal[] =>
    [...waiting.values()].toSorted((a, b) => Number(b.tenant === other) - Number(a.tenant === other));
  const rounds: string[][] = [];
  let [now, ring] = [0, (): void => {}];
  const store = {
    signals: async (limit: number) => {
      rounds.push([]);
      return inTurn().slice(0, limit);
    },
    listening: async () => [listener("a")],
    allowance: async () => UNLIMITED_STARTS,
    spread: async ({ signal: { id } }: Spread) => {
      now += 100;
      rounds.at(-1)?.push(id);
      if (rounds.length === 2) waiting.set("other", signal({ id: "other", tenant: other }));
      return waiting.delete(id);
    },
  };
  const delays: number[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const alarm = (delayMs: number, then: () => void): (() => void) => {
    delays.push(delayMs);
    ring = then;
    if (delays.length < 3) setImmediate(() => ring());
    else resolve();
    return () => {};
  };
  const doorbell = { ring: () => {} } as unknown as Relay["doorbell"];
  const log = openLog("engine", "silent");
  const stop = watchSignals({ ...draws(), alarm, monotonic: () => now, doorbell, log }, store, () => true);
  await promise;
  stop();
  assert.deepEqual(
    rounds.map(({ length }) => length),
    [10, 10, 10],
  );
  assert.deepEqual([rounds[2]?.[0], delays], ["other", [0, 0, 0]]);
});
