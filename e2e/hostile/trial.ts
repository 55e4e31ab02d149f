import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Invocation, openDoor, type Sandbox, type ScriptOutcome, startSupervisor } from "@woml/sandbox";
import { CLASSES, readExpected } from "./expected.ts";

const LIMITS = { cpuMs: 500, wallMs: 1_500, heapMb: 64, resultBytes: 1024 * 1024, consoleBytes: 64 * 1024 };
const CONTEXT = JSON.stringify({ payload: {}, steps: { prepare: { orderId: "o-1" } } });
const ATTEMPT = JSON.stringify({ number: 1, maxAttempts: 1, idempotencyKey: "hostile" });
const BENIGN = "let total = 0; for (let i = 0; i < 1000; i++) total += i; return { total, orderId: context.steps.prepare.orderId };";
const BYSTANDER_MS = 250;
const STARTED_AT = Date.UTC(2026, 0, 1);
/** Called as `host(name, input)`, and as `services.world.name(input)`. */
const OPERATIONS = ["echo", "fail", "never"].flatMap((name) => [name, `world.${name}`]);
const HANDLE = `woml_secret.${"5".repeat(32)}.n.KEY.`;

export interface Trial {
  readonly name: string;
  readonly outcome: string;
  readonly ms: number;
  /** What the script returned; null without a result. */
  readonly value: unknown;
  readonly bystanderMs: number;
  readonly supervisorAlive: boolean;
  readonly workerPid: number | null;
}

/**
 * Runs every `*.js` of a folder, by name, each beside a benign script of another tenant, under one supervisor, and answers what is wrong.
 * A trial that is complained about is run again while there are tries; one that reached the world outside is not. Wall time is no measure
 * of a script where others hold the processor, so each further try has twice as much of it; CPU, heap and sizes stay what they are.
 */
export async function runTrials(folder: string, heard: (trial: Trial) => void, tries: number): Promise<readonly string[]> {
  const expected = readExpected(folder);
  const names = readdirSync(folder)
    .filter((file) => file.endsWith(".js"))
    .map((file) => file.slice(0, -".js".length))
    .sort();
  const home = mkdtempSync(join(tmpdir(), "woml-hostile-"));
  const supervisor = await startSupervisor({ socket: join(home, "sandbox.sock") });
  const complaints: string[] = [];
  let alive = true;
  void supervisor.exited.then(() => {
    alive = false;
  });
  try {
    const door = await openDoor(supervisor.socket);
    await door.invoke(invocation("bystander", "warm-up", BENIGN));
    for (const name of names) {
      const text = readFileSync(join(folder, `${name}.js`), "utf8");
      for (let left = tries; left > 0; left--) {
        const limits = { ...LIMITS, wallMs: LIMITS.wallMs * 2 ** (tries - left) };
        const trial = await runTrial(door, { name, text, limits }, () => alive);
        heard(trial);
        const found = complaintsOf(trial, expected);
        if (found.length > 0 && left > 1 && !reachedOut(trial)) continue;
        complaints.push(...found);
        break;
      }
    }
    await door.close();
  } finally {
    await supervisor.stop();
    rmSync(home, { recursive: true, force: true });
  }
  return complaints;
}

interface Tried {
  readonly name: string;
  readonly text: string;
  readonly limits: Invocation["limits"];
}

async function runTrial(door: Sandbox, { name, text, limits }: Tried, isAlive: () => boolean): Promise<Trial> {
  const asked = { ...invocation("hostile", name, text), limits, operations: OPERATIONS, secrets: { KEY: HANDLE } };
  const hostile = door.invoke(asked, {
    call: ({ call, operation, input }) => {
      const answer = answerTo(operation, input);
      if (answer !== undefined) door.answer(asked.invocation, { call, text: answer, at: STARTED_AT });
    },
  });
  const startedAt = performance.now();
  const bystander = await door.invoke(invocation("bystander", `beside-${name}`, BENIGN));
  const bystanderMs = performance.now() - startedAt;
  const outcome = await hostile;
  return {
    name,
    outcome: outcome.outcome,
    ms: Math.round(outcome.ms),
    value: outcome.result === undefined ? null : JSON.parse(outcome.result),
    bystanderMs: bystander.outcome === "ok" ? Math.round(bystanderMs) : -1,
    supervisorAlive: isAlive(),
    workerPid: outcome.workerPid ?? null,
  };
}

function invocation(tenant: string, name: string, text: string): Invocation {
  return {
    ...{ invocation: name, tenant, context: CONTEXT, attempt: ATTEMPT, limits: LIMITS },
    ...{ startedAt: STARTED_AT, chance: { math: "0".repeat(64), crypto: "0".repeat(64) } },
    script: { digest: name, text, file: `${name}.woml`, line: 1, column: 1 },
  };
}

/** Undefined: never. */
function answerTo(operation: string, input: string): string | undefined {
  if (operation.endsWith("never")) return undefined;
  if (operation.endsWith("echo")) return `{"ok":true,"value":${input}}`;
  return JSON.stringify({ ok: false, code: "OPERATION_FAILED", message: "The operation failed.", retryable: false, ambiguous: false });
}

/** What is wrong with a trial; classes are only judged where the folder says what is expected. */
function complaintsOf(trial: Trial, expected: ReadonlyMap<string, readonly string[]> | undefined): readonly string[] {
  if (expected === undefined) return [];
  const { name, outcome, bystanderMs } = trial;
  const allowed = expected.get(name);
  const found = CLASSES[outcome as ScriptOutcome["outcome"]] ?? outcome;
  return [
    ...(allowed === undefined ? [`${name}: expected.tsv does not name it`] : []),
    ...(allowed?.includes(found) === false ? [`${name}: ${found} (${outcome}), expected ${allowed.join("|")}`] : []),
    ...(reachedOut(trial) ? [`${name}: reached the world outside`] : []),
    ...(bystanderMs < 0 || bystanderMs >= BYSTANDER_MS ? [`${name}: a bystander's script took ${bystanderMs} ms`] : []),
    ...(trial.supervisorAlive ? [] : [`${name}: the supervisor is gone`]),
  ];
}

function reachedOut({ value }: Trial): boolean {
  if (typeof value !== "object" || value === null) return false;
  return ("escaped" in value && value.escaped === true) || ("leaksPath" in value && value.leaksPath === true);
}
