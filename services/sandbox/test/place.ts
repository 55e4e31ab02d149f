import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext } from "node:test";
import type { SupervisorProcess } from "@woml/child";
import { DEFAULT_LIMITS } from "../bounds.ts";
import { type Invocation, type Listener, openDoor, type Sandbox, type ScriptCall } from "../door.ts";
import type { Outcome } from "../frames.ts";
import type { PoolOptions } from "../options.ts";
import { startSupervisor } from "../start.ts";

export interface Place {
  readonly supervisor: SupervisorProcess;
  readonly door: Sandbox;
  readonly socket: string;
}
/** Where the clock of a script of `asked` stands. */
export const STARTED_AT = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
let count = 0;

/** A supervisor with a door, both gone when the test ends. */
export async function openPlace(t: Pick<TestContext, "after">, pool: Partial<PoolOptions> = {}): Promise<Place> {
  const home = mkdtempSync(join(tmpdir(), "woml-sandbox-"));
  const socket = join(home, "s");
  const supervisor = await startSupervisor({ socket, pool });
  const door = await openDoor(socket);
  t.after(async () => {
    await door.close();
    await supervisor.stop();
    rmSync(home, { recursive: true, force: true });
  });
  return { supervisor, door, socket };
}

/** One for all tests of a file, each of which leaves it as it was. */
export function placeForFile(): Pick<Place, "door"> {
  let place: Place | undefined;
  const ends: (() => Promise<void>)[] = [];
  before(async () => {
    place = await openPlace({ after: (end: () => Promise<void>) => void ends.push(end) });
  });
  after(async () => {
    for (const end of ends) await end();
  });
  return {
    get door() {
      return place?.door ?? assert.fail("asked for before the first test");
    },
  };
}

/** A script of tenant `a` at line 10, column 5 of `a.woml`. */
export function asked(text: string, more: Partial<Invocation> = {}): Invocation {
  count += 1;
  return {
    invocation: `i${count}`,
    tenant: "a",
    script: { digest: `${text.length} ${text.slice(0, 200)}`, text, file: "a.woml", line: 10, column: 5 },
    context: '{"payload":{"n":1},"steps":{"first":{"list":[1,{"deep":true}]}}}',
    attempt: '{"number":1,"maxAttempts":3,"idempotencyKey":"k"}',
    limits: { ...DEFAULT_LIMITS, cpuMs: 500, wallMs: 1_500 },
    startedAt: STARTED_AT,
    chance: { math: "1".repeat(64), crypto: "2".repeat(64) },
    ...more,
  };
}

/** For what is not about the wall time: a busy machine takes its own. */
export const PATIENT: Invocation["limits"] = { ...DEFAULT_LIMITS, cpuMs: 500, wallMs: 30_000 };

/** What a call is answered with; undefined: never. */
export type Provider = (call: ScriptCall) => string | undefined | Promise<string | undefined>;
/** Runs it, and answers each call when the provider has said what, ten virtual milliseconds after the answer before it. */
export function played(door: Sandbox, invocation: Invocation, provider: Provider, listener: Listener = {}): Promise<Outcome> {
  let at = invocation.startedAt;
  const answer = async (call: ScriptCall): Promise<void> => {
    const text = await provider(call);
    at += 10;
    if (text !== undefined) door.answer(invocation.invocation, { call: call.call, text, at });
  };
  return door.invoke(invocation, { ...listener, call: (call) => void answer(call) });
}
/** One script runs for ever and ten wait behind it; then the sandbox of that tenant is ended, and each hears how it is. */
export async function loseBehindOne(door: Sandbox, tenant: string, end: () => void): Promise<void> {
  const begun = Promise.withResolvers<void>();
  const more = { tenant, operations: ["echo"], limits: { ...DEFAULT_LIMITS, wallMs: 30_000 } };
  const heard: string[] = [];
  const live = door.invoke(asked("console.log('on'); await new Promise(() => {})", more), { line: () => begun.resolve() });
  const behind = Array.from({ length: 10 }, () =>
    door.invoke(asked("return await host('echo', 1)", more), { call: ({ operation }) => heard.push(operation) }),
  );
  await begun.promise;
  end();
  assert.equal((await live).outcome, "host_unavailable");
  for (const { outcome, retryAfterMs = 0, workerPid } of await Promise.all(behind)) {
    assert.deepEqual([outcome, workerPid], ["overloaded", undefined]);
    assert.ok(retryAfterMs > 0 && retryAfterMs <= 250, String(retryAfterMs));
  }
  assert.deepEqual(heard, []);
}
export const echo: Provider = ({ input }) => `{"ok":true,"value":${input}}`;

export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
/** Processes whose command line names a socket or the preload beside it. */
export function processesOf(socket: string): readonly number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && commandOf(pid).includes(socket) && alive(pid));
}
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
export async function until(true_: () => boolean, withinMs = 5_000): Promise<boolean> {
  const end = performance.now() + withinMs;
  while (!true_()) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}
