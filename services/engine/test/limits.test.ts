import assert from "node:assert/strict";
import { it } from "node:test";
import { noTelemetry } from "@woml/boot";
import { foldAll, genesis } from "@woml/run";
import { OUTPUT_BYTES } from "../decide/limits.ts";
import { measure } from "../figures.ts";
import { startEngine } from "../index.ts";
import { chain, ok, Stage } from "./stage.ts";
import { telling } from "./telling.ts";

it("PC-18: a run whose outputs grow past the limit is warned, fails with a small event, and folds to what is stored", async () => {
  const BYTES = 1_000_000;
  const FIT = Math.floor(OUTPUT_BYTES / BYTES);
  const stage = new Stage();
  const told = telling();
  const lines: object[] = [];
  stage.scripts = () => ok("x".repeat(BYTES - 2));
  const steps = Array.from({ length: FIT + 2 }, (_, i) => `s${i}`);
  const version = stage.publish({ ...chain(...steps), edges: [], result: "s0" });
  const world = stage.world();
  const log = { ...world.log, warn: (fields: object) => void lines.push(fields) } as unknown as typeof world.log;
  await startEngine({ ...world, telemetry: told.telemetry, log });
  const key = stage.ask(version);
  await stage.wait(10_000);
  const run = stage.run(key);
  assert.equal(run.status, "failed");
  const last = run.events.at(-1);
  assert.equal(last?.type === "run_failed" && last.data.failure.code, "WOML_RUN_OUTPUT_LIMIT");
  const state = foldAll(run.events);
  assert.equal(state.outputBytes, FIT * BYTES);
  assert.equal(run.events.filter(({ type }) => type === "limit_warned").length, 1);
  const count = told.figures.filter(({ metric }) => metric === "woml_limit_warnings_total");
  assert.deepEqual(count, [{ metric: "woml_limit_warnings_total", value: 1, attributes: { limit: "outputs" } }]);
  const [warned, ...others] = lines.filter((line) => "limit" in line);
  assert.deepEqual(
    [warned, others],
    [{ tenant: key.tenant, run: key.run, trace: "a".repeat(32), limit: "outputs", used: 54 * BYTES, most: OUTPUT_BYTES }, []],
  );
});

it("a warning is counted by its limit, and nothing of the run's data is said", () => {
  const lines: unknown[] = [];
  const told = telling();
  const log = { warn: (...said: unknown[]) => void lines.push(said) } as never;
  const warned = { seq: 1, at: 1, type: "limit_warned", data: { limit: "events", used: 4, most: 5 } } as const;
  measure({ telemetry: told.telemetry, log }, { who: { run: "r" }, before: genesis }, [warned]);
  measure({ telemetry: noTelemetry, log }, { who: {}, before: genesis }, []);
  assert.deepEqual(told.figures, [{ metric: "woml_limit_warnings_total", value: 1, attributes: { limit: "events" } }]);
  assert.deepEqual(lines, [[{ run: "r", limit: "events", used: 4, most: 5 }, "a run comes near a limit"]]);
});
