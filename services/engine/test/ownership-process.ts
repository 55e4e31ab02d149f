// One engine in a process of its own, over a real store and a sandbox that is played: `{ url, redis, options }` as JSON. It says on stdout what
// it asks of the store before it asks, what came of it, and what it sends to the sandbox. SIGTERM stops it in order.
import { memoryDoorbell, noTelemetry, openLog } from "@woml/boot";
import { redisDoorbell } from "@woml/boot/redis";
import { type EngineStore, openEngineStore } from "@woml/prisma";
import { type EngineOptions, realWorld, startEngine } from "../index.ts";
import type { Said } from "./ownership-ground.ts";
import { hostDouble } from "./plugin-double.ts";
import { sandboxDouble } from "./sandbox-double.ts";

const asked: { url: string; redis: string | null; options: EngineOptions } = JSON.parse(process.argv[2] ?? "");
const log = openLog("engine", "warn");
// To a pipe this is synchronous: what was said before a kill is heard.
const say = (said: Said): void => void process.stdout.write(`${JSON.stringify(said)}\n`);

/** Told before and after. */
function telling(store: EngineStore): EngineStore {
  const append: EngineStore["append"] = async (wanted) => {
    const { run, epoch, owner, expected, events } = wanted;
    const intent = { run, epoch, engine: owner, expected, events: events.map(({ type }) => type) };
    say({ says: "intent", ...intent });
    const moved = await store.append(wanted);
    say({ says: moved === null ? "refused" : "moved", ...intent });
    return moved;
  };
  const inbox: EngineStore["inbox"] = async (...args) => {
    const rows = await store.inbox(...args);
    say({ says: "read", rows: rows.length });
    return rows;
  };
  return { ...store, append, inbox, commits: 0 };
}

const store = await openEngineStore(asked.url, log);
const { url, prefix } = { url: asked.redis ?? "", prefix: "{woml}" };
const doorbell = asked.redis === null ? memoryDoorbell() : redisDoorbell({ url, prefix, log, lost: () => say({ says: "lost ring" }) });
const sandbox = sandboxDouble(async ({ context, attempt, script }) => {
  const { payload }: { payload: { run: string; ms: number } } = JSON.parse(context);
  const { number }: { number: number } = JSON.parse(attempt);
  say({ says: "frame", run: payload.run, frame: `${script.file.split("/").at(-1)}#${number}` });
  await new Promise((resolve) => setTimeout(resolve, payload.ms));
  return { outcome: "ok", result: "1", cpuMs: 1, ms: 1 };
});
const world = {
  ...realWorld,
  store: telling(store),
  sandbox,
  plugins: hostDouble(() => Date.now()),
  doorbell,
  log,
  telemetry: noTelemetry,
};
const engine = await startEngine({ ...world, unseal: () => "" }, asked.options);
say({ says: "started", engine: engine.id });
let fault = engine.fault();
const watching = setInterval(() => {
  if (engine.fault() === fault) return;
  fault = engine.fault();
  say({ says: "fault", fault });
}, 20);
const end = async (): Promise<void> => {
  clearInterval(watching);
  await doorbell.close();
  await store.close();
};
process.once("SIGTERM", () => void engine.stop().then(end));
void engine.ended.then(() => {
  say({ says: "ended" });
  return end();
});
