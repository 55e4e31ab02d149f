import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { type Invocation, openDoor, type ScriptOutcome, startSupervisor } from "@woml/sandbox";
import { sandboxContract } from "./sandbox-contract.ts";
import { sandboxDouble } from "./sandbox-double.ts";

type Body = (context: unknown, attempt: unknown) => Promise<unknown>;
const AsyncFunction = (async () => undefined).constructor as new (...args: readonly string[]) => Body;

/** Runs our own harmless scripts right here, so that the double can be asked what the sandbox is asked. */
async function play({ script, context, attempt, limits }: Invocation): Promise<ScriptOutcome> {
  const spent = { cpuMs: 1, ms: 1 };
  let body: Body;
  try {
    body = new AsyncFunction("context", "attempt", script.text);
  } catch {
    return { outcome: "script_syntax", ...spent };
  }
  try {
    const result = JSON.stringify(await body(JSON.parse(context), JSON.parse(attempt)));
    if (result === undefined) return { outcome: "invalid_result", ...spent };
    return result.length > limits.resultBytes ? { outcome: "result_too_large", ...spent } : { outcome: "ok", result, ...spent };
  } catch (thrown) {
    const { name, message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown));
    return { outcome: "script_threw", failure: { name, message, stack: stack ?? "" }, ...spent };
  }
}

sandboxContract("the double", async () => sandboxDouble(play));

const folder = mkdtempSync(join(tmpdir(), "woml-contract-"));
const supervisor = startSupervisor({ socket: join(folder, "door") });
after(async () => {
  await (await supervisor).stop();
  rmSync(folder, { recursive: true });
});
sandboxContract("the supervisor and its workers", async () => openDoor((await supervisor).socket));
