// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Bounds } from "../bounds.ts";
import type { Bridge } from "./bridge.ts";
import type { Printer } from "./console.ts";
import type { failureReader } from "./failure.ts";
import type { Own } from "./own.ts";
import type { Writer } from "./result.ts";

export interface RealmParts {
  readonly own: Own;
  readonly bounds: Bounds;
  /** Name of the global that a compiled body calls. */
  readonly entry: string;
  readonly read: ReturnType<typeof failureReader>;
  readonly Writer: typeof Writer;
  readonly Printer: typeof Printer;
  readonly Bridge: typeof Bridge;
}
/** The one way out: texts and numbers. `end` is an envelope: a letter for what it came to, then its text. */
type Emit = (
  ...said: ["line", level: string, text: string] | ["call", call: number, operation: string, input: string] | ["end", envelope: string]
) => void;
/** What is asked through the one door into a fresh context: texts and numbers, and the way out that `begin` brings. */
export type Knock =
  | readonly ["parse", body: string, parameters: string]
  | readonly ["begin", context: string, attempt: string, operations: string, resultChars: number, consoleChars: number, emit: Emit]
  | readonly ["settle", call: number, envelope: string];

/** Makes a fresh context a script's: takes away what it must not have, binds the rest, answers the door. */
export class Realm {
  readonly #parts: RealmParts;
  readonly #writer: Writer;
  readonly #printer: Printer;
  #emit: Emit | undefined;
  #bindings: readonly unknown[] | undefined;
  #bridge: Bridge | undefined;
  #resultChars = 0;

  constructor(parts: RealmParts) {
    const { own, bounds } = parts;
    this.#parts = parts;
    this.#writer = new parts.Writer(own, bounds.resultDepth);
    const write = (value: unknown, maxChars: number) => new parts.Writer(own, bounds.resultDepth).write(value, maxChars);
    const emit = (level: string, text: string) => this.#emit?.("line", level, text);
    this.#printer = new parts.Printer({ own, write, emit, maxLines: bounds.consoleLines, lineChars: bounds.lineChars });
    const globals = globalThis as unknown as Record<string, unknown>;
    for (const name of ["WebAssembly", "SharedArrayBuffer", "Atomics", "FinalizationRegistry", "WeakRef"]) delete globals[name];
    own.define(globals, "console", { value: this.#printer.console, writable: false, configurable: false });
    own.define(globals, parts.entry, { value: (body: (...bindings: unknown[]) => unknown) => void this.#enter(body), configurable: true });
  }

  answer(knock: Knock): string {
    if (knock[0] === "begin") this.#begin(knock);
    else if (knock[0] === "settle") this.#bridge?.settle(knock[1], knock[2]);
    else new this.#parts.own.AsyncFunction(knock[2], `"use strict";\n${knock[1]}`);
    return "";
  }

  #begin([, context, attempt, operations, resultChars, consoleChars, emit]: Extract<Knock, readonly ["begin", ...unknown[]]>): void {
    const { own, bounds, Bridge, Writer } = this.#parts;
    const offered = own.parse(operations) as readonly string[] | null;
    const bindings = [this.#frozen(own.parse(context)), this.#frozen(own.parse(attempt))];
    if (offered !== null) {
      const write = (value: unknown, maxChars: number) => new Writer(own, bounds.resultDepth).write(value, maxChars);
      const limits = { maxInFlight: bounds.callsInFlight, maxCalls: bounds.calls, maxChars: bounds.callBytes };
      this.#bridge = new Bridge({
        own,
        operations: offered,
        write,
        emit: (call, name, input) => emit("call", call, name, input),
        ...limits,
      });
      bindings[2] = this.#bridge.call;
    }
    this.#emit = emit;
    this.#printer.allow(consoleChars);
    this.#resultChars = resultChars;
    this.#bindings = bindings;
  }

  /** Called by the compiled body with the author's function, before any statement of his has run; it can be called once. */
  async #enter(body: (...bindings: unknown[]) => unknown): Promise<void> {
    delete (globalThis as unknown as Record<string, unknown>)[this.#parts.entry];
    const [context, attempt, host] = this.#bindings ?? [];
    let envelope: string;
    try {
      envelope = this.#ended(await (host === undefined ? body(context, attempt) : body(context, attempt, host)));
    } catch (error) {
      envelope = this.#threw(error);
    }
    this.#emit?.("end", envelope);
  }
  /** Text by text: a list would ask the author's own toJSON. */
  #threw(error: unknown): string {
    const { quote } = this.#parts.own;
    const thrown = this.#parts.read(error);
    return `t[${quote(thrown[0])},${quote(thrown[1])},${quote(thrown[2])}]`;
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
