// A process under a worker's flags that measures what a fresh context costs here, whatever we do: nothing of ours runs in it.
import ivm from "isolated-vm";

const ROUNDS = 600;
const WARM_UP = 100;

const isolate = new ivm.Isolate({ memoryLimit: 64 });
const script = isolate.compileScriptSync("JSON.stringify({ n: 1 + 1 });");
const times: number[] = [];
for (let round = 0; round < WARM_UP + ROUNDS; round++) {
  const startedAt = performance.now();
  const context = isolate.createContextSync();
  script.runSync(context);
  times.push(performance.now() - startedAt);
  context.release();
}
const measured = times.slice(WARM_UP).sort((a, b) => a - b);
process.stdout.write(`${measured[ROUNDS / 2] ?? 0}\n`);
