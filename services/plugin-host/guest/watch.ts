import { Worker } from "node:worker_threads";

/** Of its own text, for it must run while the plugin holds the process's only other thread. */
const WATCH = `const parent = process.ppid;
setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, "SIGKILL"); }, 250);`;

/**
 * Ends this process when its supervisor has ended, even while the plugin's code never gives way; the closed channel is only heard between two
 * turns. Afterwards no thread can be started.
 */
export async function watchParent(): Promise<void> {
  const worker = new Worker(WATCH, { eval: true, env: {}, resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2 } });
  await new Promise((resolve) => worker.once("online", resolve));
  worker.unref();
  process.permission.drop("worker");
}
