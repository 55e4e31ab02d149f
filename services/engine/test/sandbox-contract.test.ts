import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { openLog } from "@woml/boot";
import type { Json } from "@woml/model";
import {
  type Invocation,
  openDoor,
  openSandboxes,
  openSupervisor,
  poolOptions,
  type Sandbox,
  type ScriptOutcome,
  type Supervisor,
  startSupervisor,
} from "@woml/sandbox";
import { lossContract, sandboxContract } from "./sandbox-contract.ts";
import { sandboxDouble } from "./sandbox-double.ts";
import { talkContract } from "./talk-contract.ts";
import type { Talk } from "./talk-double.ts";

type Body = (context: unknown, attempt: unknown, services: unknown) => Promise<unknown>;
const AsyncFunction = (async () => undefined).constructor as new (...args: readonly string[]) => Body;

/** Runs our own harmless scripts right here, so that the double can be asked what the sandbox is asked. */
async function play({ script, context, attempt, limits, operations = [] }: Invocation, talk: Talk): Promise<ScriptOutcome> {
  const spent = { cpuMs: 1, ms: 1 };
  let body: Body;
  try {
    body = new AsyncFunction("context", "attempt", "services", script.text);
  } catch {
    return { outcome: "script_syntax", ...spent };
  }
  try {
    const result = JSON.stringify(await body(JSON.parse(context), JSON.parse(attempt), servicesOf(operations, talk)));
    if (result === undefined) return { outcome: "invalid_result", ...spent };
    return result.length > limits.resultBytes ? { outcome: "result_too_large", ...spent } : { outcome: "ok", result, ...spent };
  } catch (thrown) {
    const { name, message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown));
    const call = thrown instanceof Refusal ? { call: thrown.call } : {};
    return { outcome: "script_threw", failure: { name, message, stack: stack ?? "", ...call }, ...spent };
  }
}

class Refusal extends Error {
  readonly code: string;
  readonly call: number;
  constructor(code: string, call: number) {
    super(code);
    this.code = code;
    this.call = call;
  }
}

function servicesOf(operations: readonly string[], talk: Talk): unknown {
  const services: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const [alias = "", name = ""] = operation.split(".");
    services[alias] = {
      ...services[alias],
      [name]: async (input: Json, options?: { readonly name?: string }) => {
        const call = talk.calls + 1;
        const told = await talk.call(operation, input, options?.name ?? null);
        if (!told.ok) throw new Refusal(told.code, call);
        return told.value;
      },
    };
  }
  return services;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
const double = async (): Promise<Sandbox> => sandboxDouble(play, sleep);
sandboxContract("the double", double);
talkContract("the double", double);
lossContract("the double", async () => {
  const sandbox = sandboxDouble(play, sleep, 1);
  return { sandbox, lose: () => sandbox.lose() };
});

const folder = mkdtempSync(join(tmpdir(), "woml-contract-"));
const supervisor = startSupervisor({ socket: join(folder, "door") });
after(async () => {
  await (await supervisor).stop();
  rmSync(folder, { recursive: true });
});
const door = async (): Promise<Sandbox> => openDoor((await supervisor).socket);
sandboxContract("the supervisor and its workers", door);
talkContract("the supervisor and its workers", door);
lossContract("the supervisor and its workers", async () => {
  const lost = await startSupervisor({ socket: join(folder, "lost"), pool: { workersPerTenant: 1 } });
  return { sandbox: await openDoor(lost.socket), lose: () => process.kill(lost.pid, "SIGKILL") };
});

const secrets = ["contract".repeat(8)];
let remotes: Promise<readonly Supervisor[]> | undefined;
const openRemote = (pool = "{}"): Promise<Supervisor> =>
  openSupervisor({
    ...{ place: { host: "127.0.0.1", port: 0, secrets }, folder, pool: poolOptions(pool), log: openLog("sandbox", "silent") },
    hopeless: (why) => assert.fail(why),
  });
after(async () => {
  for (const remote of (await remotes) ?? []) await remote.stop();
});
const over = async (supervisors: readonly Supervisor[]): Promise<Sandbox> => {
  const addresses = supervisors.map(({ at }) => ({ host: "127.0.0.1", port: Number(at.split(":")[1]) }));
  const sandboxes = openSandboxes({ addresses, secrets });
  while (sandboxes.fault() !== null) await sleep(10);
  return sandboxes;
};
const many = async (): Promise<Sandbox> => {
  remotes ??= Promise.all([openRemote(), openRemote()]);
  return over(await remotes);
};
sandboxContract("two supervisors on the network", many);
talkContract("two supervisors on the network", many);
lossContract("a supervisor on the network that is stopped", async () => {
  const stopped = await openRemote('{"workersPerTenant":1}');
  return { sandbox: await over([stopped]), lose: () => void stopped.stop() };
});
