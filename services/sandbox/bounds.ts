import type { Limits } from "./frames.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** Every size, count and time the sandbox holds anyone to. Bytes are UTF-8. */
export interface Bounds {
  readonly sourceBytes: number;
  readonly contextBytes: number;
  readonly attemptBytes: number;
  readonly propsBytes: number;
  readonly bindingBytes: number;
  readonly modules: number;
  readonly moduleBytes: number;
  readonly modulesBytes: number;
  readonly compiledChars: number;
  readonly frameBytes: number;
  readonly consoleLines: number;
  readonly lineChars: number;
  readonly lineBytes: number;
  readonly callsInFlight: number;
  readonly calls: number;
  readonly callBytes: number;
  readonly timers: number;
  readonly timerMs: number;
  readonly answerBytes: number;
  readonly answersBytes: number;
  readonly journalEntries: number;
  readonly nameChars: number;
  readonly messageChars: number;
  readonly stackChars: number;
  readonly detailChars: number;
  readonly resultDepth: number;
  readonly tickMs: number;
  readonly graceMs: number;
}
export const BOUNDS: Bounds = {
  sourceBytes: 256 * KIB,
  contextBytes: 4 * MIB,
  attemptBytes: 16 * KIB,
  propsBytes: 4 * MIB,
  /** Of what a hook is told, and of a notice. */
  bindingBytes: MIB,
  /** Of one script, and what either end of a line keeps; of one, and of all of them. */
  modules: 512,
  moduleBytes: 3 * MIB,
  modulesBytes: 32 * MIB,
  /** Of scripts and modules that an isolate keeps compiled, beside those of the one that runs. */
  compiledChars: 8 * MIB,
  /** JSON text inside JSON text at most doubles; a source and a module may grow sixfold. */
  frameBytes: 24 * MIB,
  consoleLines: 1_000,
  lineChars: 8 * KIB,
  lineBytes: 3 * 8 * KIB,
  callsInFlight: 32,
  calls: 1_000,
  callBytes: MIB,
  timers: 1_000,
  /** A longer delay is cut to this: longer than any script may live, so that none fires early. */
  timerMs: 24 * 3_600_000,
  /** A result of 1 MiB in its envelope; and of all answers of an attempt. */
  answerBytes: MIB + 16 * KIB,
  answersBytes: 16 * MIB,
  /** As many calls, answers and timers as there may be. */
  journalEntries: 3_000,
  nameChars: 256,
  messageChars: 4 * KIB,
  stackChars: 8 * KIB,
  detailChars: 1_024,
  resultDepth: 1_000,
  /** How often a worker looks at CPU and wall time. */
  tickMs: 20,
  /** How long after the wall time the supervisor waits for the worker's own verdict. */
  graceMs: 500,
};

/** What a script may use unless its definition or its tenant says less. */
export const DEFAULT_LIMITS: Limits = { cpuMs: 1_000, wallMs: 30_000, heapMb: 64, resultBytes: MIB, consoleBytes: 64 * KIB };

/** Past these no limit is believed, whoever asks. */
export const HIGHEST_LIMITS: Limits = { cpuMs: 60_000, wallMs: 600_000, heapMb: 256, resultBytes: 4 * MIB, consoleBytes: MIB };
