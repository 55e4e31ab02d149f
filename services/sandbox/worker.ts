/**
 * The process strangers' code runs in. It imports files of this folder, framing and strict rules, isolated-vm and node:*, nothing else.
 * It runs what it is given strictly in order, one at a time, and dies with the supervisor.
 */
import { Socket } from "node:net";
import { openWire, type Wire } from "@woml/child/framing";
import { BOUNDS, DEFAULT_LIMITS } from "./bounds.ts";
import type { Answer, FromWorker, Run } from "./frames.ts";
import { WarmIsolate } from "./isolate.ts";
import { Live } from "./live.ts";
import { parseToWorker } from "./parse.ts";
import { Shelf, type Text, textsOf } from "./shelf.ts";
import { SPOILED } from "./spoiled.ts";

const CHANNEL_FD = 3;
const ISOLATE_SERVES = 2_000;
const HEAVY_CPU_MS = 100;

interface Waiting {
  readonly run: Run;
  readonly texts: readonly Text[];
  /** What came for it ahead of its turn. */
  readonly answers: Answer[];
}
/** Dates have no zone of this machine's in them: a replay may run on another. */
process.env["TZ"] = "UTC";
const waiting: Waiting[] = [];
const shelf = new Shelf<string>();
let isolate = new WarmIsolate(DEFAULT_LIMITS.heapMb);
let live: Live | undefined;
let spoiled = false;

const wire: Wire<FromWorker> = openWire<FromWorker, ReturnType<typeof parseToWorker>>(new Socket({ fd: CHANNEL_FD }), {
  maxBytes: BOUNDS.frameBytes,
  parse: parseToWorker,
  heard: (frame) => {
    if (frame.frame === "module") shelf.put(frame, frame.text);
    else if (frame.frame === "run") enqueue(frame);
    else if (live?.run.invocation === frame.invocation) live.answer(frame);
    else waiting.find(({ run }) => run.invocation === frame.invocation)?.answers.push(frame);
  },
  // Not process.exit: that waits for threads, and one may be burning in a builtin for ever.
  closed: () => process.kill(process.pid, "SIGKILL"),
});
let ticker: NodeJS.Timeout | undefined;
isolate.prepare();
wire.send({ frame: "ready" });

function enqueue(run: Run): void {
  const texts = textsOf(shelf, run.modules);
  if (texts === undefined) throw new Error("A run names a module that was not sent.");
  waiting.push({ run, texts, answers: [] });
  if (live === undefined) void next();
}

async function next(): Promise<void> {
  const first = spoiled || live !== undefined ? undefined : waiting.shift();
  if (first === undefined) return;
  const { run, texts, answers } = first;
  if (isolate.heapMb !== run.limits.heapMb || isolate.served >= ISOLATE_SERVES) renew(run.limits.heapMb);
  prepare();
  ticker ??= setInterval(tick, BOUNDS.tickMs);
  live = new Live({ run, texts }, isolate, (frame) => wire.send(frame));
  for (const answer of answers) live.answer(answer);
  const outcome = await live.play();
  live = undefined;
  spoiled = SPOILED.has(outcome.outcome);
  wire.send({ frame: "outcome", invocation: run.invocation, outcome });
  if (spoiled) return;
  if (outcome.cpuMs > HEAVY_CPU_MS) renew(isolate.heapMb);
  // A turn later, so that the outcome has left before the thread is busy with the next context.
  setImmediate(() => (waiting.length > 0 ? void next() : prepare()));
}

/** What earlier invocations left in an isolate is never the next one's fault. */
function prepare(): void {
  try {
    if (isolate.disposed) renew(isolate.heapMb);
    isolate.prepare();
  } catch {
    renew(isolate.heapMb);
    isolate.prepare();
  }
}

function renew(heapMb: number): void {
  isolate.dispose();
  isolate = new WarmIsolate(heapMb);
}

/** Those behind a slow one go back: another worker may be free. The last one first, for each goes to the head of the line. */
function tick(): void {
  if (live === undefined) {
    clearInterval(ticker);
    ticker = undefined;
    return;
  }
  live.tick();
  if (live.ageMs < BOUNDS.tickMs) return;
  for (const { run } of waiting.splice(0).toReversed()) wire.send({ frame: "returned", invocation: run.invocation });
}
