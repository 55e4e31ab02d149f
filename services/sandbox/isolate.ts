/**
 * A warm isolate in a worker, and one fresh context for each invocation.
 * 1. Only texts and numbers cross: no Reference, no isolate object and no host value is ever reachable by a script.
 * 2. A body is parsed alone before it is wrapped, so no body can close the wrapper around it.
 * 3. A context serves one invocation and has a voice of its own, which nobody hears once that has ended.
 */
import ivm from "isolated-vm";
import { BOUNDS } from "./bounds.ts";
import type { Script, Work } from "./frames.ts";
import type { Setting } from "./guest/realm.ts";
import { GUEST_FILE, GUEST_TEXT, NAMED, parametersOf, wrapped } from "./guest/text.ts";

/** Scripts kept compiled in one isolate. */
const COMPILED = 256;

type Door = ivm.Reference<(...knock: readonly (string | number)[]) => string>;
/** A context nothing has run in but the guest's own text. */
interface Fresh {
  readonly context: ivm.Context;
  readonly door: Door;
}
/** What a guest says, heard in the order said and before its turn has ended; see `Emit` in guest/realm.ts. Nothing in it is believed. */
export type Voice = (...said: readonly unknown[]) => void;
export interface Started {
  /** Settles when the first turn has ended. Rejects when the isolate was ended, or with what a detached promise of the script rejected with. */
  readonly turn: Promise<unknown>;
  /** Tells an answer, or that a timer is due; settles when the turn that it set off has ended, and rejects like `turn`. */
  readonly answer: (call: number, envelope: string, at: number) => Promise<unknown>;
  readonly fire: (timer: number) => Promise<unknown>;
  readonly release: () => void;
}
export class SyntaxFault extends Error {
  readonly where: string;
  constructor(message: string, where: string) {
    super(message);
    this.where = where;
  }
}

export class WarmIsolate {
  readonly heapMb: number;
  served = 0;
  readonly #isolate: ivm.Isolate;
  readonly #guest: ivm.Script;
  readonly #compiled = new Map<string, ivm.Script>();
  readonly #parsed = new Set<string>();
  #ahead: Fresh | undefined;

  constructor(heapMb: number) {
    this.heapMb = heapMb;
    this.#isolate = new ivm.Isolate({ memoryLimit: heapMb });
    this.#guest = this.#isolate.compileScriptSync(GUEST_TEXT, { filename: GUEST_FILE });
  }

  get disposed(): boolean {
    return this.#isolate.isDisposed;
  }
  /** CPU so far, in milliseconds; while a turn runs, its wall time counts. */
  get cpuMs(): number {
    return this.disposed ? 0 : Number(this.#isolate.cpuTime) / 1e6;
  }
  /** Makes the next context while nothing else is to be done. Only the guest's own text runs, so it may hold the thread. */
  prepare(): void {
    if (!this.disposed) this.#ahead ??= this.#fresh();
  }
  dispose(): void {
    if (!this.disposed) this.#isolate.dispose();
  }

  /** Rejects with SyntaxFault when the body is no body. */
  async start(work: Work, voice: Voice): Promise<Started> {
    this.served += 1;
    const { context, door } = this.#ahead ?? this.#fresh();
    this.#ahead = undefined;
    const script = this.#compiled.get(keyOf(work)) ?? (await this.#compile(work, { context, door }));
    const emit = new ivm.Callback(voice, { ignored: true });
    const { wallMs } = work.limits;
    door.applyIgnored(undefined, ["begin", work.context, work.attempt, JSON.stringify(settingOf(work)), emit] as never);
    return {
      turn: script.run(context, { timeout: wallMs + BOUNDS.graceMs / 2 }),
      answer: (call, text, at) => door.apply(undefined, ["answer", call, text, at], { timeout: wallMs }),
      fire: (timer) => door.apply(undefined, ["timer", timer], { timeout: wallMs }),
      release: () => this.#release(context, door),
    };
  }

  #fresh(): Fresh {
    const context = this.#isolate.createContextSync();
    const door = this.#guest.runSync(context, { reference: true }) as unknown as Door;
    return { context, door };
  }
  #release(context: ivm.Context, door: Door): void {
    if (this.disposed) return;
    door.release();
    context.release();
  }

  /** `fresh` is the context that the script will run in: parsing a body leaves no trace in it. */
  async #compile(work: Work, fresh: Fresh): Promise<ivm.Script> {
    const compiled = await this.#compiledAlone(work.script, parametersOf(work.operations), fresh).catch((error: unknown) => {
      this.#release(fresh.context, fresh.door);
      throw error;
    });
    for (const [oldest, script] of this.#compiled) {
      if (this.#compiled.size < COMPILED) break;
      this.#compiled.delete(oldest);
      script.release();
    }
    this.#compiled.set(keyOf(work), compiled);
    return compiled;
  }

  async #compiledAlone(script: Script, parameters: string, { door }: Fresh): Promise<ivm.Script> {
    const alone = await this.#parsesAlone(script, parameters, door);
    const { text, lineOffset, columnOffset } = wrapped(script, parameters);
    try {
      const compiled = await this.#isolate.compileScript(text, { filename: script.file, lineOffset, columnOffset });
      if (alone === undefined) return compiled;
      compiled.release();
    } catch (error) {
      if (this.disposed) throw error;
      throw syntaxFault(error, script.file);
    }
    throw new SyntaxFault(alone, "");
  }

  /** Undefined, or why the body is not the body of one function. The same body is asked once, wherever it stands. */
  async #parsesAlone({ digest, text }: Script, parameters: string, door: Door): Promise<string | undefined> {
    const body = `${parameters} ${digest}`;
    if (this.#parsed.has(body)) return undefined;
    try {
      await door.apply(undefined, ["parse", text, parameters], { timeout: BOUNDS.graceMs * 10 });
    } catch (error) {
      if (this.disposed) throw error;
      return error instanceof Error ? error.message : "The body is not JavaScript.";
    }
    if (this.#parsed.size >= COMPILED) this.#parsed.clear();
    this.#parsed.add(body);
    return undefined;
  }
}

function settingOf({ operations = [], secrets = {}, startedAt, chance, limits, script }: Work): Setting {
  const bounds = { resultChars: limits.resultBytes, consoleChars: limits.consoleBytes };
  return { operations, secrets, startedAt, chance, ...bounds, named: NAMED.filter((name) => script.text.includes(name)) };
}
function keyOf({ script, operations }: Work): string {
  return `${parametersOf(operations)} ${script.digest} ${script.line}:${script.column} ${script.file}`;
}
function syntaxFault(error: unknown, file: string): SyntaxFault {
  const message = error instanceof Error ? error.message : "The body is not JavaScript.";
  const [, plain, where] = /^(.*) \[(.*:\d+:\d+)\]$/s.exec(message) ?? [];
  return plain === undefined || where === undefined
    ? new SyntaxFault(message, "")
    : new SyntaxFault(plain, where.startsWith(file) ? where : "");
}
