// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Bounds } from "../bounds.ts";
import type { Bridge } from "./bridge.ts";
import type { Chance } from "./chance.ts";
import type { Clock } from "./clock.ts";
import type { Printer } from "./console.ts";
import type { Encoding } from "./encoding.ts";
import type { failureReader } from "./failure.ts";
import type { fetchOver } from "./fetch.ts";
import type { Globals } from "./globals.ts";
import type { Handles } from "./handles.ts";
import type { Own } from "./own.ts";
import type { Writer } from "./result.ts";
import type { Stream } from "./stream.ts";
import type { Timers } from "./timers.ts";

export interface RealmParts {
  readonly own: Own;
  readonly bounds: Bounds;
  /** Name of the global that a compiled body calls. */
  readonly entry: string;
  readonly read: ReturnType<typeof failureReader>;
  readonly fetchOver: typeof fetchOver;
  readonly Writer: typeof Writer;
  readonly Printer: typeof Printer;
  readonly Bridge: typeof Bridge;
  readonly Clock: typeof Clock;
  readonly Timers: typeof Timers;
  readonly Chance: typeof Chance;
  readonly Stream: typeof Stream;
  readonly Encoding: typeof Encoding;
  readonly Handles: typeof Handles;
  readonly Globals: typeof Globals;
}
/** What a script is given beside context and attempt. */
export interface Setting {
  readonly operations: readonly string[];
  readonly secrets: Readonly<Record<string, string>>;
  readonly startedAt: number;
  readonly chance: { readonly math: string; readonly crypto: string };
  readonly wallMs: number;
  readonly resultChars: number;
  readonly consoleChars: number;
  /** Whether its text says `Temporal`. */
  readonly temporal: boolean;
}
/** The one way out: texts and numbers. `end` is an envelope: a letter for what it came to, then its text. `timer` without a delay is taken back. */
type Emit = (
  ...said:
    | ["line", level: string, text: string]
    | ["call", call: number, operation: string, name: string | null, input: string]
    | ["timer", timer: number, delayMs: number | null]
    | ["end", envelope: string]
) => void;
/** What is asked through the one door into a fresh context: texts and numbers, and the way out that `begin` brings. */
export type Knock =
  | readonly ["parse", body: string, parameters: string]
  | readonly ["begin", context: string, attempt: string, setting: string, emit: Emit]
  | readonly ["answer", call: number, envelope: string, at: number]
  | readonly ["timer", timer: number];

/** Makes a fresh context a script's: takes away what it must not have, binds the rest, answers the door. */
export class Realm {
  readonly #parts: RealmParts;
  readonly #writer: Writer;
  readonly #printer: Printer;
  readonly #bridge: Bridge;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #chance: Chance;
  readonly #handles: Handles;
  #encoding: Encoding | undefined;
  #emit: Emit | undefined;
  #bindings: readonly unknown[] = [];
  #resultChars = 0;

  constructor(parts: RealmParts) {
    const { own, bounds } = parts;
    this.#parts = parts;
    this.#writer = new parts.Writer(own, bounds.resultDepth);
    const write = (value: unknown, maxChars: number) => new parts.Writer(own, bounds.resultDepth).write(value, maxChars);
    const line = (level: string, text: string) => this.#emit?.("line", level, text);
    this.#printer = new parts.Printer({ own, write, emit: line, maxLines: bounds.consoleLines, lineChars: bounds.lineChars });
    this.#bridge = new parts.Bridge({
      ...{ own, write, maxInFlight: bounds.callsInFlight, maxCalls: bounds.calls, maxBytes: bounds.callBytes },
      emit: (call, operation, name, input) => this.#emit?.("call", call, operation, name, input),
    });
    this.#clock = new parts.Clock(own);
    const timer = (id: number, delayMs: number | null) => this.#emit?.("timer", id, delayMs);
    this.#timers = new parts.Timers({ own, clock: this.#clock, emit: timer, maxTimers: bounds.timers });
    this.#chance = new parts.Chance(own, parts.Stream);
    const encoding = () => (this.#encoding ??= new parts.Encoding(own));
    this.#handles = new parts.Handles(own, encoding);
    new parts.Globals({ own, encoding, handles: this.#handles, crypto: () => this.#chance.crypto(), write });
    const globals = globalThis as unknown as Record<string, unknown>;
    for (const name of ["WebAssembly", "SharedArrayBuffer", "Atomics", "FinalizationRegistry", "WeakRef"]) delete globals[name];
    own.define(globals, "console", { value: this.#printer.console, writable: false, configurable: false });
    own.define(globals, parts.entry, { value: (body: unknown) => void this.#enter(body), configurable: true });
  }

  answer(knock: Knock): string {
    if (knock[0] === "begin") this.#begin(knock);
    else if (knock[0] === "answer") this.#told(knock[1], knock[2], knock[3]);
    else if (knock[0] === "timer") this.#fire(knock[1]);
    else new this.#parts.own.AsyncFunction(knock[2], `"use strict";\n${knock[1]}`);
    return "";
  }

  /** Before any author's code has run. */
  #begin([, context, attempt, setting, emit]: Extract<Knock, readonly ["begin", ...unknown[]]>): void {
    const { own } = this.#parts;
    const { operations, secrets, startedAt, chance, wallMs, resultChars, consoleChars, temporal } = own.parse(setting) as Setting;
    this.#clock.move(startedAt);
    this.#clock.temporal(temporal);
    this.#chance.seed(chance.math, chance.crypto);
    this.#timers.allow(wallMs);
    this.#emit = emit;
    this.#printer.allow(consoleChars);
    this.#resultChars = resultChars;
    const bindings = [this.#frozen(own.parse(context)), this.#frozen(own.parse(attempt))];
    this.#bindings = [...bindings, this.#bridge.services(operations), this.#handles.begin(secrets), ...this.#named(operations)];
  }
  /** In the order of `parametersOf`. */
  #named(operations: readonly string[]): readonly unknown[] {
    const { own, fetchOver } = this.#parts;
    const plain = operations.filter((name) => !name.includes("."));
    const known = (name: unknown): string | null => {
      for (let i = 0; i < plain.length; i++) if (plain[i] === name) return plain[i] as string;
      return null;
    };
    const fetch = fetchOver(own, (input) => this.#bridge.call("http.request", input, undefined));
    const host = (name: unknown, input: unknown, options: unknown) => this.#bridge.call(known(name), input, options);
    return [...(operations.includes("http.request") ? [own.freeze(fetch)] : []), ...(plain.length > 0 ? [host] : [])];
  }

  #told(call: number, envelope: string, at: number): void {
    this.#clock.move(at);
    this.#bridge.settle(call, envelope);
  }
  #fire(timer: number): void {
    try {
      this.#timers.fire(timer);
    } catch (error) {
      this.#end(this.#threw(error));
    }
  }

  /** Called by the compiled body with the author's function, before any statement of his has run; it can be called once. */
  async #enter(body: unknown): Promise<void> {
    delete (globalThis as unknown as Record<string, unknown>)[this.#parts.entry];
    let envelope: string;
    try {
      envelope = this.#ended(await this.#parts.own.apply(body, undefined, this.#bindings));
    } catch (error) {
      envelope = this.#threw(error);
    }
    this.#end(envelope);
  }
  #end(envelope: string): void {
    this.#bridge.close();
    this.#emit?.("end", envelope);
  }
  /** Text by text: a list would ask the author's own toJSON. */
  #threw(error: unknown): string {
    const { quote } = this.#parts.own;
    const { name, message, stack, call } = this.#parts.read(error);
    return `t[${quote(name)},${quote(message)},${quote(stack)},"${call}"]`;
  }
  #ended(value: unknown): string {
    const written = this.#writer.write(value, this.#resultChars);
    if ("text" in written) return `k${written.text}`;
    const { quote } = this.#parts.own;
    return "atLeast" in written ? `l${written.atLeast}` : `i[${quote(written.path)},${quote(written.reason)}]`;
  }

  /** Frozen all the way down, without recursion: a context may be nested as deep as JSON.parse reads. */
  #frozen(root: unknown): unknown {
    const { freeze, keysOf, isArray } = this.#parts.own;
    const left: unknown[] = [root];
    let end = 1;
    const keep = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      left[end] = value;
      end += 1;
    };
    while (end > 0) {
      end -= 1;
      const value = left[end];
      if (typeof value !== "object" || value === null) continue;
      freeze(value);
      if (isArray(value)) for (let i = 0; i < (value as unknown[]).length; i++) keep((value as unknown[])[i]);
      else {
        const keys = keysOf(value);
        for (let i = 0; i < keys.length; i++) keep((value as Readonly<Record<string, unknown>>)[keys[i] as string]);
      }
    }
    return root;
  }
}
