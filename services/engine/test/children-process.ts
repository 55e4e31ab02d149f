// One engine in a process of its own, over a real store and a sandbox that is played, for runs that call other runs and count what they do in state.
import { memoryDoorbell, noTelemetry, openLog } from "@woml/boot";
import type { Json } from "@woml/model";
import { openEngineStore } from "@woml/prisma";
import type { ScriptOutcome } from "@woml/sandbox";
import { realWorld, startEngine } from "../index.ts";
import { hostDouble } from "./plugin-double.ts";
import { sandboxDouble } from "./sandbox-double.ts";
import type { Talk } from "./talk-double.ts";

const { url }: { url: string } = JSON.parse(process.argv[2] ?? "");
const log = openLog("engine", "warn");
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function value(talk: Talk, operation: string, input: Json, name: string): Promise<Json> {
  const told = await talk.call(operation, input, name);
  if (!told.ok) throw new Error(told.code);
  return told.value;
}
const PLAYS: Readonly<Record<string, (talk: Talk, payload: Json) => Promise<Json>>> = {
  parent: async (talk, payload) => {
    const child = await value(talk, "workflows.call", { id: "child", payload }, "child");
    return { child, parents: await value(talk, "state.increment", { key: "n" }, "count") };
  },
  child: async (talk) => {
    const count = await value(talk, "state.increment", { key: "n" }, "count");
    await sleep(200);
    return count;
  },
};
const sandbox = sandboxDouble(
  async ({ script, context }, talk): Promise<ScriptOutcome> => {
    const play = PLAYS[script.file.split("/").at(-1) ?? ""];
    const { payload }: { payload: Json } = JSON.parse(context);
    if (play === undefined) return { outcome: "ok", result: "null", cpuMs: 1, ms: 1 };
    const failed = (error: unknown): ScriptOutcome => {
      const message = error instanceof Error ? error.message : String(error);
      return { outcome: "script_threw", failure: { name: "Error", message, stack: "" }, cpuMs: 1, ms: 1 };
    };
    return play(talk, payload).then((result) => ({ outcome: "ok", result: JSON.stringify(result), cpuMs: 1, ms: 1 }), failed);
  },
  (ms) => sleep(ms),
);
const store = await openEngineStore(url, log);
const world = { ...realWorld, store, sandbox, plugins: hostDouble(() => Date.now()), doorbell: memoryDoorbell(), log };
const engine = await startEngine({ ...world, telemetry: noTelemetry, unseal: () => "" }, { leaseMs: 2_000 });
process.stdout.write(`${engine.id}\n`);
void engine.ended.then(() => store.close());
