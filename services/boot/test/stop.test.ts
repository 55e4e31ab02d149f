import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openLog, openStops } from "../index.ts";

const log = openLog("test", "silent");

test("what was started last is stopped first, each once, whoever asks and however often", async () => {
  const stops = openStops(log);
  const stopped: string[] = [];
  for (const name of ["first", "second", "third"]) stops.add(name, () => void stopped.push(name));
  await Promise.all([stops.stop(), stops.stop()]);
  assert.deepEqual(stopped, ["third", "second", "first"]);
});

test("one that fails to stop does not keep the others from stopping", async () => {
  const stops = openStops(log);
  const stopped: string[] = [];
  stops.add("lock", () => void stopped.push("lock"));
  stops.add("broken", () => Promise.reject(new Error("no")));
  stops.add("thrower", () => {
    throw new Error("no");
  });
  await stops.stop();
  assert.deepEqual(stopped, ["lock"]);
});

const WAITER = `
import { interruption } from ${JSON.stringify(join(import.meta.dirname, "..", "stop.ts"))};
const signal = interruption();
const busy = setInterval(() => {}, 1000);
signal.addEventListener("abort", () => { console.log("stopping"); if (process.argv[1] === "quick") clearInterval(busy); });
console.log("waiting");
`;

async function waiter(kind: "quick" | "slow") {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", WAITER, kind], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return child;
}

test("the first signal asks for a stop and the process ends by itself with 0", async () => {
  const child = await waiter("quick");
  child.kill("SIGTERM");
  assert.deepEqual(await once(child, "exit"), [0, null]);
});

test("a second signal ends a stop that takes too long, but not the echo of the first", async () => {
  const child = await waiter("slow");
  child.kill("SIGINT");
  await once(child.stdout, "data");
  child.kill("SIGINT");
  await sleep(1_200);
  assert.equal(child.exitCode, null);
  child.kill("SIGINT");
  assert.deepEqual(await once(child, "exit"), [130, null]);
});
