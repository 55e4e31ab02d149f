/**
 * The one live invocation of a worker, from its frame to its outcome.
 * 1. It ends once; the first verdict stands, and from then on its lines and calls are heard no more.
 * 2. A result counts only when every turn of the script has ended, so work that goes on cannot be blamed on the next invocation.
 * 3. CPU counts when the isolate's clock and the process's clock both say so: the first runs on while others hold the processor.
 *    One or the other alone ends it no later than the wall time does. What it takes to compile is no part of it, and bounded by itself.
 * 4. After anything but a clean end the isolate is disposed and the worker is not to be used again.
 * 5. Answers and timers are given one at a time, each when the turn before it has ended, in the order that course.ts says.
 */
import { BOUNDS } from "./bounds.ts";
import { Course, type Told } from "./course.ts";
import { failureOf, syntaxFailure, type Verdict, verdictOf } from "./envelope.ts";
import type { FromWorker, Outcome, OutcomeName, Run } from "./frames.ts";
import { type Started, SyntaxFault, type WarmIsolate } from "./isolate.ts";
import type { Text } from "./shelf.ts";
import { SPOILED } from "./spoiled.ts";

const DROPPED = "The console's limit was reached; further lines are dropped.";
/** Ends that a script comes to by itself: it must have done all that its journal says. */
const OWN_ENDS: ReadonlySet<OutcomeName> = new Set(["ok", "script_threw", "invalid_result", "result_too_large"]);

/** With the modules that it names, each once. */
interface Whole {
  readonly run: Run;
  readonly texts: readonly Text[];
}

export class Live {
  readonly run: Run;
  readonly #texts: readonly Text[];
  readonly #isolate: WarmIsolate;
  readonly #say: (frame: FromWorker) => void;
  readonly #course: Course;
  readonly #startedAt: number = performance.now();
  #cpuAt: number;
  #processCpuAt: number = processCpuMs();
  readonly #ended = Promise.withResolvers<Outcome>();
  #started: Started | undefined;
  #over = false;
  #turns = 0;
  #idleSince: number | undefined;
  #alarm: NodeJS.Timeout | undefined;
  #verdict: Verdict | undefined;
  #lines = 0;
  #lineBytes = 0;
  #timers = 0;

  constructor({ run, texts }: Whole, isolate: WarmIsolate, say: (frame: FromWorker) => void) {
    this.run = run;
    this.#texts = texts;
    this.#isolate = isolate;
    this.#say = say;
    this.#course = new Course(run);
    this.#cpuAt = isolate.cpuMs;
  }

  get ageMs(): number {
    return performance.now() - this.#startedAt;
  }

  async play(): Promise<Outcome> {
    const heard = this.#isolate.start(this.run, this.#texts, (...said) => this.#heard(said));
    heard.then(
      (started) => {
        this.#started = started;
        this.#cpuAt = started.cpuAt;
        this.#processCpuAt = processCpuMs();
        this.#turn(started.turn);
      },
      (error: unknown) => this.#failed(error),
    );
    const outcome = await this.#ended.promise;
    this.#started?.release();
    return outcome;
  }

  answer(told: Told): void {
    this.#course.came(told, performance.now());
    this.#advance();
  }

  /** Looks at the clocks. When the wall time ends, one that ran all along used too much CPU, one that waited too much time. */
  tick(): void {
    const { limits, parkAfterMs } = this.run;
    const late = this.ageMs >= limits.wallMs;
    const mayTakeMs = limits.cpuMs + (this.#started === undefined ? this.#compileMs : 0);
    const busy = this.#cpuMs >= mayTakeMs && (late || processCpuMs() - this.#processCpuAt >= mayTakeMs);
    const idleMs = this.#idleSince === undefined ? 0 : performance.now() - this.#idleSince;
    if (busy) this.#end({ outcome: "cpu_exceeded", detail: `limit ${limits.cpuMs} ms` });
    else if (late) this.#end(this.#late());
    else if (parkAfterMs !== undefined && this.#idleSince !== undefined && idleMs >= parkAfterMs && this.#course.onlyWaits)
      this.#end({ outcome: "waiting", open: this.#course.open });
  }
  #late(): Verdict {
    const { open } = this.#course;
    return { outcome: "wall_exceeded", detail: `limit ${this.run.limits.wallMs} ms`, ...(open.length > 0 && { open }) };
  }

  /** Modules are compiled once an isolate. Seen: half of that, without a JIT. */
  get #compileMs(): number {
    return this.#texts.reduce((sum, { text }) => sum + text.length, 0) / 1_024;
  }
  /** A disposed isolate has no clock any more, though its thread may burn on. */
  get #cpuMs(): number {
    if (this.#isolate.disposed) return processCpuMs() - this.#processCpuAt;
    return Math.max(0, this.#isolate.cpuMs - this.#cpuAt);
  }

  #turn(turn: Promise<unknown>): void {
    this.#turns += 1;
    this.#idleSince = undefined;
    const ended = (): void => {
      this.#turns -= 1;
      this.#settle();
    };
    turn.catch((error: unknown) => this.#failed(error)).then(ended, ended);
  }
  #settle(): void {
    if (this.#turns > 0 || this.#over) return;
    const verdict = this.#verdict;
    const missed = verdict !== undefined && OWN_ENDS.has(verdict.outcome) ? this.#course.missed : undefined;
    if (missed !== undefined) this.#end({ outcome: "diverged", detail: missed });
    else if (verdict !== undefined) this.#end(verdict);
    else this.#advance();
  }
  /** Gives the script what is next, if its turn has ended. */
  #advance(): void {
    const started = this.#started;
    if (this.#over || started === undefined || this.#turns > 0 || this.#verdict !== undefined) return;
    clearTimeout(this.#alarm);
    const nowMs = performance.now();
    const next = this.#course.next(nowMs);
    if ("diverged" in next) this.#end({ outcome: "diverged", detail: next.diverged });
    else if ("dueMs" in next) {
      this.#idleSince ??= nowMs;
      if (next.dueMs !== undefined) this.#alarm = setTimeout(() => this.#advance(), Math.ceil(next.dueMs - nowMs));
    } else if (next.give === "timer") this.#turn(started.fire(next.timer));
    else this.#turn(started.answer(next.answer.call, next.answer.text, next.answer.at));
  }

  #end(verdict: Verdict): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#alarm);
    const cpuMs = this.#cpuMs;
    const ms = this.ageMs;
    if (SPOILED.has(verdict.outcome)) this.#isolate.dispose();
    this.#ended.resolve({ ...verdict, workerPid: process.pid, cpuMs: rounded(cpuMs), ms: rounded(ms) });
  }

  /** The isolate was ended, the body is none, or a promise nobody held was rejected: that fails a script that would have succeeded. */
  #failed(error: unknown): void {
    const { limits } = this.run;
    if (this.#isolate.disposed) this.#end({ outcome: "memory_exceeded", detail: `limit ${limits.heapMb} MB heap` });
    else if (error instanceof SyntaxFault) this.#end({ outcome: "script_syntax", failure: syntaxFailure(error) });
    else if (this.ageMs >= limits.wallMs) this.#end(this.#late());
    else if (this.#verdict?.outcome !== "script_threw") this.#verdict = { outcome: "script_threw", failure: failureOf(error, this.run) };
  }

  #heard([kind, first, ...more]: readonly unknown[]): void {
    if (this.#over) return;
    if (kind === "line") this.#line(first, more[0]);
    else if (kind === "call") this.#call(first, more);
    else if (kind === "timer") this.#timer(first, more[0]);
    else if (kind === "end" && typeof first === "string" && this.#verdict?.outcome !== "ok") this.#said(first);
    else this.#forged();
  }
  #said(envelope: string): void {
    this.#verdict ??= verdictOf(envelope, this.run);
    this.#settle();
  }
  #line(level: unknown, text: unknown): void {
    if (this.#lines > BOUNDS.consoleLines || this.#lineBytes > this.run.limits.consoleBytes) return;
    if (typeof level === "string" && typeof text === "string") this.#printed(level, text);
    else this.#forged();
  }
  #printed(level: string, text: string): void {
    this.#lines += 1;
    this.#lineBytes += Buffer.byteLength(text);
    const fits = this.#lines <= BOUNDS.consoleLines && this.#lineBytes <= this.run.limits.consoleBytes;
    const { invocation } = this.run;
    this.#say(fits ? { frame: "line", invocation, level, text } : { frame: "line", invocation, level: "warn", text: DROPPED });
  }

  #call(call: unknown, [operation, name, input]: readonly unknown[]): void {
    const isNext = typeof call === "number" && call === this.#course.calls + 1 && call <= BOUNDS.calls;
    const isNamed = typeof operation === "string" && (name === null || typeof name === "string");
    if (isNext && isNamed && typeof input === "string" && Buffer.byteLength(input) <= BOUNDS.callBytes) {
      const seen = this.#course.call();
      if ("diverged" in seen) this.#end({ outcome: "diverged", detail: seen.diverged });
      else this.#say({ frame: "call", invocation: this.run.invocation, call, operation, name, input, seen });
    } else this.#forged();
  }
  #timer(timer: unknown, delayMs: unknown): void {
    if (typeof timer !== "number") this.#forged();
    else if (delayMs === null) this.#course.clear(timer);
    else if (timer === this.#timers + 1 && timer <= BOUNDS.timers && typeof delayMs === "number" && delayMs >= 0) {
      this.#timers = timer;
      this.#course.set(timer, delayMs, performance.now());
    } else this.#forged();
  }

  /** What our own guest text never sends. */
  #forged(): void {
    this.#end({ outcome: "protocol_violation", detail: "a message no guest sends" });
  }
}

/** Kernel time counts half: page faults cost what the machine's state makes them cost, and memory has a limit of its own. */
function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system / 2) / 1_000;
}
function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
