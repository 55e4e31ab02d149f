/**
 * The one live invocation of a worker, from its frame to its outcome.
 * 1. It ends once; the first verdict stands, and from then on its lines and calls are heard no more.
 * 2. A result counts only when every turn of the script has ended, so work that goes on cannot be blamed on the next invocation.
 * 3. CPU counts when the isolate's clock and the process's clock both say so: the first runs on while others hold the processor.
 *    One or the other alone ends it no later than the wall time does.
 * 4. After anything but a clean end the isolate is disposed and the worker is not to be used again.
 */
import { BOUNDS } from "./bounds.ts";
import type { FromWorker, Outcome, Run, ScriptFailure } from "./frames.ts";
import { parametersOf, wrapperFrame } from "./guest/text.ts";
import { type Started, SyntaxFault, type WarmIsolate } from "./isolate.ts";
import { SPOILED } from "./spoiled.ts";
import { authoredStack } from "./stack.ts";

const TOO_LARGE = JSON.stringify({ ok: false, code: "WOML_CALL_INPUT_TOO_LARGE", message: "The input is too large." });
const DROPPED = "The console's limit was reached; further lines are dropped.";
type Verdict = Pick<Outcome, "outcome" | "result" | "failure" | "detail">;

export class Live {
  readonly run: Run;
  readonly #isolate: WarmIsolate;
  readonly #say: (frame: FromWorker) => void;
  readonly #startedAt: number = performance.now();
  readonly #cpuAt: number;
  readonly #processCpuAt: number = processCpuMs();
  readonly #ended = Promise.withResolvers<Outcome>();
  #started: Started | undefined;
  #over = false;
  #turns = 0;
  #verdict: Verdict | undefined;
  #lines = 0;
  #lineBytes = 0;
  #calls = 0;

  constructor(run: Run, isolate: WarmIsolate, say: (frame: FromWorker) => void) {
    this.run = run;
    this.#isolate = isolate;
    this.#say = say;
    this.#cpuAt = isolate.cpuMs;
  }

  get ageMs(): number {
    return performance.now() - this.#startedAt;
  }

  async play(): Promise<Outcome> {
    const heard = this.#isolate.start(this.run, (kind, first, second, third) => this.#heard(kind, first, second, third));
    heard.then(
      (started) => {
        this.#started = started;
        this.#turn(started.turn);
      },
      (error: unknown) => this.#failed(error),
    );
    const outcome = await this.#ended.promise;
    this.#started?.release();
    return outcome;
  }

  answer(call: number, text: string): void {
    if (this.#over || this.#started === undefined) return;
    this.#turn(this.#started.settle(call, text));
  }

  /** Looks at the clocks. When the wall time ends, one that ran all along used too much CPU, one that waited too much time. */
  tick(): void {
    const { cpuMs, wallMs } = this.run.limits;
    const late = this.ageMs >= wallMs;
    const busy = this.#cpuMs >= cpuMs && (late || processCpuMs() - this.#processCpuAt >= cpuMs);
    if (busy) this.#end({ outcome: "cpu_exceeded", detail: `limit ${cpuMs} ms` });
    else if (late) this.#end({ outcome: "wall_exceeded", detail: `limit ${wallMs} ms` });
  }

  /** A disposed isolate has no clock any more, though its thread may burn on. */
  get #cpuMs(): number {
    if (this.#isolate.disposed) return processCpuMs() - this.#processCpuAt;
    return Math.max(0, this.#isolate.cpuMs - this.#cpuAt);
  }

  #turn(turn: Promise<unknown>): void {
    this.#turns += 1;
    const ended = (): void => {
      this.#turns -= 1;
      this.#settle();
    };
    turn.catch((error: unknown) => this.#failed(error)).then(ended, ended);
  }
  #settle(): void {
    if (this.#turns === 0 && this.#verdict !== undefined) this.#end(this.#verdict);
  }

  #end(verdict: Verdict): void {
    if (this.#over) return;
    this.#over = true;
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
    else if (this.ageMs >= limits.wallMs) this.#end({ outcome: "wall_exceeded", detail: `limit ${limits.wallMs} ms` });
    else if (this.#verdict?.outcome !== "script_threw") this.#verdict = { outcome: "script_threw", failure: failureOf(error, this.run) };
  }

  #heard(kind: unknown, first: unknown, second: unknown, third: unknown): void {
    if (this.#over) return;
    if (kind === "line") this.#line(first, second);
    else if (kind === "call") this.#call(first, second, third);
    else if (kind === "end" && typeof first === "string" && this.#verdict?.outcome !== "ok") this.#said(first);
    else this.#forged();
  }
  #said(envelope: string): void {
    this.#verdict ??= verdictOf(envelope[0], envelope.slice(1), this.run);
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

  #call(call: unknown, operation: unknown, input: unknown): void {
    this.#calls += 1;
    const inOrder = call === this.#calls && this.#calls <= BOUNDS.calls;
    if (!inOrder || typeof operation !== "string" || typeof input !== "string") this.#forged();
    else if (Buffer.byteLength(input) > BOUNDS.callBytes) this.answer(call, TOO_LARGE);
    else this.#say({ frame: "call", invocation: this.run.invocation, call, operation, input });
  }

  /** What our own guest text never sends. */
  #forged(): void {
    this.#end({ outcome: "protocol_violation", detail: "a message no guest sends" });
  }
}

function verdictOf(tag: string | undefined, rest: string, run: Run): Verdict {
  const { resultBytes } = run.limits;
  const [first, second, third] = textsOf(tag === "i" || tag === "t" ? rest : "[]");
  if (tag === "k") return resultOf(rest, resultBytes);
  if (tag === "l") return { outcome: "result_too_large", detail: `limit ${resultBytes} bytes, result at least ${rest} bytes` };
  if (tag === "i" && first !== undefined && second !== undefined) {
    return { outcome: "invalid_result", detail: `${first}: ${second}`.slice(0, BOUNDS.detailChars) };
  }
  if (tag === "t" && first !== undefined && second !== undefined && third !== undefined) {
    return { outcome: "script_threw", failure: { name: first, message: second, stack: authored(third, run) } };
  }
  return { outcome: "protocol_violation", detail: "an envelope no guest sends" };
}
function resultOf(text: string, maxBytes: number): Verdict {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return { outcome: "ok", result: text };
  return { outcome: "result_too_large", detail: `limit ${maxBytes} bytes, result ${bytes} bytes` };
}
function textsOf(json: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) && value.every((part) => typeof part === "string") ? value : [];
  } catch {
    return [];
  }
}
function syntaxFailure(fault: SyntaxFault): ScriptFailure {
  const at = fault.where === "" ? "" : `\n    at ${fault.where}`;
  const message = fault.message.slice(0, BOUNDS.messageChars);
  return { name: "SyntaxError", message, stack: `SyntaxError: ${message}${at}`.slice(0, BOUNDS.stackChars) };
}
/** A rejection nobody held comes as a copy in this realm: an Error, or a primitive. */
function failureOf(error: unknown, run: Run): ScriptFailure {
  if (!(error instanceof Error)) return { name: "Error", message: String(error).slice(0, BOUNDS.messageChars), stack: "" };
  const stack = typeof error.stack === "string" ? authored(error.stack.slice(0, 4 * BOUNDS.stackChars), run) : "";
  return {
    name: error.name.slice(0, BOUNDS.nameChars),
    message: error.message.slice(0, BOUNDS.messageChars),
    stack: stack.slice(0, BOUNDS.stackChars),
  };
}
function authored(stack: string, run: Run): string {
  return authoredStack(stack, wrapperFrame(run.script, parametersOf(run.operations)));
}
/** Kernel time counts half: page faults cost what the machine's state makes them cost, and memory has a limit of its own. */
function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system / 2) / 1_000;
}
function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
