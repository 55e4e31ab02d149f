// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Bounds } from "../bounds.ts";
import type { TemporalLike } from "./clock.ts";
import type { Printer } from "./console.ts";
import type { failureReader } from "./failure.ts";
import type { Kit, Lazy, Offered } from "./kit.ts";
import type { Own } from "./own.ts";
import type { Writer } from "./result.ts";

export interface RealmParts {
  readonly own: Own;
  readonly bounds: () => Bounds;
  readonly resultDepth: number;
  readonly maxLines: number;
  readonly lineChars: number;
  /** Name of the global that a compiled body calls. */
  readonly entry: string;
  readonly failureReader: typeof failureReader;
  readonly Writer: typeof Writer;
  readonly Printer: typeof Printer;
  readonly Kit: () => typeof Kit;
  readonly lazy: () => Lazy;
}
/** What a script is given beside context and attempt. */
export interface Setting {
  readonly operations: readonly string[];
  readonly secrets: Readonly<Record<string, string>>;
  /** Aliases of modules, each with the number of the body that it means, and how many bodies there are. */
  readonly modules: readonly (readonly [alias: string, body: number])[];
  readonly bodies: number;
  readonly startedAt: number;
  readonly chance: { readonly math: string; readonly crypto: string };
  readonly resultChars: number;
  readonly consoleChars: number;
  /** Of the globals that are there for scripts that name them, those that it names. */
  readonly named: readonly string[];
}
/** The one way out: texts and numbers. `end` is an envelope: a letter for what it came to, then its text. `timer` without a delay is taken back. */
export type Emit = (
  ...said:
    | ["line", level: string, text: string]
    | ["call", call: number, operation: string, name: string | null, input: string]
    | ["timer", timer: number, delayMs: number | null]
    | ["end", envelope: string]
) => void;
/** What is asked through the one door into a fresh context: texts and numbers, and the way out that `begin` brings. */
export type Knock =
  | readonly ["parse", body: string, parameters: string]
  | readonly ["begin", context: string, attempt: string, setting: string, emit: Emit, ...more: Told]
  | readonly ["answer", call: number, envelope: string, at: number]
  | readonly ["timer", timer: number];

/** JSON texts of objects. */
type Told = readonly [props?: string, lifecycle?: string, notification?: string];

/** Makes a fresh context a script's: takes away what it must not have, binds the rest, answers the door. */
export class Realm {
  readonly #parts: RealmParts;
  readonly #writer: Writer;
  readonly #printer: Printer;
  #emit: Emit | undefined;
  #setting: Setting | undefined;
  #made: Kit | undefined;
  #bindings: unknown[] = [];
  #offered: Offered | undefined;
  /** Those of modules, as they are handed over. */
  readonly #bodies: unknown[] = [];

  constructor(parts: RealmParts) {
    const { own, resultDepth, maxLines, lineChars } = parts;
    this.#parts = parts;
    this.#writer = new parts.Writer(own, resultDepth);
    const write = (value: unknown, maxChars: number) => new parts.Writer(own, resultDepth).write(value, maxChars);
    const emit = (level: string, text: string) => this.#emit?.("line", level, text);
    this.#printer = new parts.Printer({ own, write, emit, maxLines, lineChars });
    const globals = globalThis as unknown as Record<string, unknown>;
    for (const name of ["WebAssembly", "SharedArrayBuffer", "Atomics", "FinalizationRegistry", "WeakRef"]) delete globals[name];
    own.define(globals, "console", { value: this.#printer.console, writable: false, configurable: false });
    Math.random = () => this.#kit.random();
    own.define(globals, parts.entry, { value: (body: unknown) => this.#enter(body), configurable: true });
  }

  answer(knock: Knock): string {
    if (knock[0] === "begin") this.#begin(knock);
    else if (knock[0] === "answer") this.#told(knock[1], knock[2], knock[3]);
    else if (knock[0] === "timer") this.#fire(knock[1]);
    else this.#parse(knock[1], knock[2]);
    return "";
  }

  /** Before any author's code has run. Throws where the body is not the body of one function. */
  #parse(body: string, parameters: string): void {
    const AsyncFunction = (async () => undefined).constructor as new (...parts: string[]) => unknown;
    new AsyncFunction(parameters, `"use strict";\n${body}`);
  }

  get #kit(): Kit {
    const { own, bounds, lazy, Writer: writes } = this.#parts;
    const parts = { own, bounds: bounds(), lazy: lazy(), Writer: writes, setting: this.#setting as Setting, emit: this.#emit as Emit };
    this.#made ??= new (this.#parts.Kit())(parts);
    return this.#made;
  }
  /** Nothing else in the language leads to it, so whoever asks has what the kit made of it. */
  #lazily(name: string): void {
    const { define, setPrototype } = this.#parts.own;
    const put = (descriptor: PropertyDescriptor) => define(globalThis, name, setPrototype(descriptor, null));
    const get = (): object => {
      const value = this.#kit.named(name);
      put({ value, writable: false, enumerable: false, configurable: false });
      return value;
    };
    put({ get, enumerable: false, configurable: true });
  }

  /** Before any author's code has run. */
  #begin([, context, attempt, json, emit, ...more]: Extract<Knock, readonly ["begin", ...unknown[]]>): void {
    const { parse } = this.#parts.own;
    const setting = parse(json) as Setting;
    this.#setting = setting;
    this.#emit = emit;
    this.#printer.allow(setting.consoleChars);
    this.#present(setting.named);
    const bare = setting.operations.length === 0 && Object.keys(setting.secrets).length === 0;
    if (!bare) this.#lazily("encodeURIComponent");
    const nothing = Object.freeze(Object.create(null));
    const offered = bare ? { services: nothing, secrets: nothing, fetch: [], host: [] } : this.#kit.offered();
    this.#offered = offered;
    const told = more.filter((text) => text !== undefined).map((text) => this.#frozen(this.#bareObject(parse(text))));
    this.#bindings = [
      ...[this.#frozen(parse(context)), this.#frozen(parse(attempt)), offered.services],
      ...[...(more[0] === undefined ? [offered.secrets] : []), ...told, ...offered.fetch, ...offered.host],
    ];
  }
  /** A name of it is one that it was given, and never one that all objects have. */
  #bareObject(value: unknown): unknown {
    const { isArray, setPrototype } = this.#parts.own;
    return typeof value === "object" && value !== null && !isArray(value) ? setPrototype(value, null) : value;
  }
  /** What tells the time is gone from a script that does not name it, and dressed in our clock in one that does. */
  #present(named: readonly string[]): void {
    const globals = globalThis as unknown as { Temporal?: TemporalLike; Date?: unknown; Intl?: unknown };
    const { Temporal } = named.includes("Temporal") ? globals : {};
    delete globals.Date;
    delete globals.Intl;
    if (Temporal === undefined) delete globals.Temporal;
    else this.#kit.temporal(Temporal);
    for (const name of named) if (name !== "Temporal") this.#lazily(name);
  }

  #told(call: number, envelope: string, at: number): void {
    this.#kit.clock.move(at);
    this.#kit.bridge.settle(call, envelope);
  }
  #fire(timer: number): void {
    try {
      this.#kit.timers.fire(timer);
    } catch (error) {
      this.#end(this.#threw(error));
    }
  }

  /** Called by each compiled body with its function, those of modules first, before any statement of an author's has run. */
  #enter(body: unknown): void {
    if (this.#bodies.length < (this.#setting?.bodies ?? 0)) {
      this.#bodies[this.#bodies.length] = body;
      return;
    }
    delete (globalThis as unknown as Record<string, unknown>)[this.#parts.entry];
    void this.#run(body);
  }
  async #run(body: unknown): Promise<void> {
    let envelope: string;
    try {
      if (this.#bodies.length > 0) this.#bindings[2] = await this.#kit.linked(this.#bodies, this.#offered as Offered);
      envelope = this.#ended(await this.#parts.own.apply(body, undefined, this.#bindings));
    } catch (error) {
      envelope = this.#threw(error);
    }
    this.#end(envelope);
  }
  #end(envelope: string): void {
    this.#made?.bridge.close();
    this.#emit?.("end", envelope);
  }
  /** Text by text: a list would ask the author's own toJSON. */
  #threw(error: unknown): string {
    const { own, bounds, failureReader: reader } = this.#parts;
    const { quote } = own;
    const { name, message, stack, call } = reader(own, bounds())(error);
    return `t[${quote(name)},${quote(message)},${quote(stack)},"${call}"]`;
  }
  #ended(value: unknown): string {
    const written = this.#writer.write(value, this.#setting?.resultChars ?? 0);
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
