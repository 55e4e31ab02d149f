/**
 * A warm isolate in a worker, and one fresh context for each invocation.
 * 1. Only texts and numbers cross: no Reference, no isolate object and no host value is ever reachable by a script.
 * 2. A body is parsed alone before it is wrapped, so no body can close the wrapper around it.
 * 3. A context serves one invocation and has a voice of its own, which nobody hears once that has ended.
 */
import ivm from "isolated-vm";
import { BOUNDS } from "./bounds.ts";
import { Compiled } from "./compiled.ts";
import type { Script, Work } from "./frames.ts";
import type { Setting } from "./guest/realm.ts";
import { GUEST_FILE, GUEST_TEXT, moduleParameters, moduleText, NAMED, parametersOf, wrapped } from "./guest/text.ts";
import type { Text } from "./shelf.ts";

/** Bodies known to be such. */
const PARSED = 256;

type Door = ivm.Reference<(...knock: readonly (string | number)[]) => string>;
/** A context nothing has run in but the guest's own text. */
interface Fresh {
  readonly context: ivm.Context;
  readonly door: Door;
}
/** What a guest says, heard in the order said and before its turn has ended; see `Emit` in guest/realm.ts. Nothing in it is believed. */
export type Voice = (...said: readonly unknown[]) => void;
export interface Started {
  /** The isolate's clock before the script's first statement. */
  readonly cpuAt: number;
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
  readonly #compiled = new Compiled<ivm.Script>();
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

  /** `texts`: the modules that it names, each once. Rejects with SyntaxFault when a body is no body. */
  async start(work: Work, texts: readonly Text[], voice: Voice): Promise<Started> {
    this.served += 1;
    this.#compiled.trim();
    const { context, door } = this.#ahead ?? this.#fresh();
    this.#ahead = undefined;
    try {
      const modules: ivm.Script[] = [];
      for (const text of texts) modules.push(await this.#compiledOf(moduleBody(text, work), door));
      const script = await this.#compiledOf(scriptBody(work), door);
      const emit = new ivm.Callback(voice, { ignored: true });
      const { wallMs } = work.limits;
      const more = [work.props, work.lifecycle, work.notification];
      door.applyIgnored(undefined, ["begin", work.context, work.attempt, JSON.stringify(settingOf(work, texts)), emit, ...more] as never);
      // Nothing of a module's runs yet: it is only handed over.
      for (const module of modules) await module.run(context, { timeout: wallMs });
      return {
        cpuAt: this.cpuMs,
        turn: script.run(context, { timeout: wallMs + BOUNDS.graceMs / 2 }),
        answer: (call, text, at) => door.apply(undefined, ["answer", call, text, at], { timeout: wallMs }),
        fire: (timer) => door.apply(undefined, ["timer", timer], { timeout: wallMs }),
        release: () => this.#release(context, door),
      };
    } catch (error) {
      this.#release(context, door);
      throw error;
    }
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

  /** `door`: of the context that it will run in; parsing a body leaves no trace in it. */
  async #compiledOf(body: Body, door: Door): Promise<ivm.Script> {
    const key = keyOf(body);
    const kept = this.#compiled.get(key);
    if (kept !== undefined) return kept;
    const text = body.text();
    const compiled = await this.#compiledAlone(body, text, door);
    this.#compiled.put(key, compiled, text.length);
    return compiled;
  }

  async #compiledAlone(body: Body, source: string, door: Door): Promise<ivm.Script> {
    const alone = await this.#parsesAlone(body, source, door);
    const { text, lineOffset, columnOffset } = wrapped({ ...body, text: source }, body.parameters);
    try {
      const compiled = await this.#isolate.compileScript(text, { filename: body.file, lineOffset, columnOffset });
      if (alone === undefined) return compiled;
      compiled.release();
    } catch (error) {
      if (this.disposed) throw error;
      throw syntaxFault(error, body.file);
    }
    throw new SyntaxFault(alone, "");
  }

  /** Undefined, or why the body is not the body of one function. The same body is asked once, wherever it stands. */
  async #parsesAlone({ digest, parameters }: Body, text: string, door: Door): Promise<string | undefined> {
    const body = `${parameters} ${digest}`;
    if (this.#parsed.has(body)) return undefined;
    try {
      await door.apply(undefined, ["parse", text, parameters], { timeout: BOUNDS.graceMs * 10 });
    } catch (error) {
      if (this.disposed) throw error;
      return error instanceof Error ? error.message : "The body is not JavaScript.";
    }
    if (this.#parsed.size >= PARSED) this.#parsed.clear();
    this.#parsed.add(body);
    return undefined;
  }
}

/** What is compiled as the body of one function; its text is asked for only then. */
interface Body extends Omit<Script, "text"> {
  readonly parameters: string;
  readonly text: () => string;
}
function scriptBody(work: Work): Body {
  const { script } = work;
  return { ...script, parameters: parametersOf(work), text: () => script.text };
}
/** In a stack a module is called by its digest. */
function moduleBody({ digest, text }: Text, { operations }: Work): Body {
  const body = (): string => {
    const found = moduleText(text);
    if (found === null) throw new SyntaxFault("A module is no bundle.", "");
    return found;
  };
  return { digest, file: digest, line: 1, column: 1, parameters: moduleParameters(operations), text: body };
}
function keyOf({ parameters, digest, line, column, file }: Body): string {
  return `${parameters} ${digest} ${line}:${column} ${file}`;
}

function settingOf(
  { operations = [], secrets = {}, modules = [], startedAt, chance, limits, script }: Work,
  texts: readonly Text[],
): Setting {
  const bounds = { resultChars: limits.resultBytes, consoleChars: limits.consoleBytes };
  const named = NAMED.filter((name) => script.text.includes(name) || texts.some(({ text }) => text.includes(name)));
  const bodies = new Map(texts.map(({ digest }, at) => [digest, at]));
  const imports = modules.map(({ alias, digest }) => [alias, bodies.get(digest) ?? 0] as const);
  return { operations, secrets, modules: imports, bodies: texts.length, startedAt, chance, ...bounds, named };
}
function syntaxFault(error: unknown, file: string): SyntaxFault {
  const message = error instanceof Error ? error.message : "The body is not JavaScript.";
  const [, plain, where] = /^(.*) \[(.*:\d+:\d+)\]$/s.exec(message) ?? [];
  return plain === undefined || where === undefined
    ? new SyntaxFault(message, "")
    : new SyntaxFault(plain, where.startsWith(file) ? where : "");
}
