// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.

import type { Written } from "./result.ts";
import type { Shape, shapeOf } from "./shape.ts";
import type { Whole } from "./whole.ts";

export interface BridgeParts {
  readonly own: Whole;
  readonly write: (value: unknown, maxChars: number) => Written;
  readonly shapeOf: typeof shapeOf;
  /** A number and texts leave; the answer comes by `settle`. */
  readonly emit: (call: number, operation: string, name: string | null, input: string) => void;
  readonly maxInFlight: number;
  readonly maxCalls: number;
  readonly maxBytes: number;
}
interface Open {
  readonly operation: string;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Made where the call was made: its stack names the author's line. */
  readonly at: Error;
}
/** What an error says of a call beside where it was made. */
interface Refusal {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly retryable?: unknown;
  readonly ambiguous?: unknown;
}
interface Envelope extends Refusal {
  readonly ok?: unknown;
  readonly value?: unknown;
}
type Called = { readonly name: string | null; readonly input: string } | { readonly refused: Refusal };

/**
 * What a script calls operations with. Calls that leave are numbered from 1; every refusal is an error of the script's own realm with a code.
 * What is refused here is refused alike whenever the script runs again, so it takes no number.
 */
export class Bridge {
  readonly #parts: BridgeParts;
  readonly #open: Record<number, Open | undefined> = { __proto__: null } as unknown as Record<number, Open | undefined>;
  #last = 0;
  #inFlight = 0;
  #closed = false;

  constructor(parts: BridgeParts) {
    this.#parts = parts;
  }

  /** `services`: `alias.operation` as a function of an alias; all of it frozen. */
  services(operations: readonly string[]): object {
    const { own } = this.#parts;
    const services: Record<string, object> = own.setPrototype({}, null);
    for (let i = 0; i < operations.length; i++) {
      const operation = operations[i] as string;
      const dot = own.find(operation, ".", 0);
      if (dot < 0) continue;
      const alias = own.slice(operation, 0, dot);
      services[alias] ??= own.setPrototype({}, null);
      const call = own.freeze(this.#callee(operation));
      own.define(services[alias], own.slice(operation, dot + 1, operation.length), { value: call, enumerable: true });
    }
    const aliases = own.keysOf(services);
    for (let i = 0; i < aliases.length; i++) own.freeze(services[aliases[i] as string] as object);
    return own.freeze(services);
  }

  #callee(operation: string): (...given: unknown[]) => Promise<unknown> {
    const shape = this.#parts.shapeOf(operation);
    if (shape !== null) return (...given) => this.#call(operation, () => this.#shaped(operation, shape, given));
    return (input, options) => this.call(operation, input, options);
  }
  /** Never throws: what is wrong with a call is what its promise is rejected with. `null`: an operation that is not offered. */
  call(operation: string | null, input: unknown, options: unknown): Promise<unknown> {
    return this.#call(operation, () => this.#called(input, options, "WOML_CALL_INPUT_TOO_LARGE"));
  }
  /** `read` runs the author's getters. */
  #call(operation: string | null, read: () => Called): Promise<unknown> {
    const { own } = this.#parts;
    const at = new own.Error();
    return new own.Promise((resolve, reject) => {
      const open = { operation: operation ?? "", resolve, reject, at };
      const called = this.#overdrawn(operation) ?? read();
      if ("refused" in called) reject(this.#error(called.refused, open, 0));
      else this.#leave(open, called);
    });
  }
  /** The body has ended. */
  close(): void {
    this.#closed = true;
  }

  /** `envelope`: `{"ok":true,"value":…}` or `{"ok":false,"code","message","retryable","ambiguous"}`. */
  settle(call: number, envelope: string): void {
    const { own } = this.#parts;
    const open = this.#open[call];
    if (open === undefined) return;
    delete this.#open[call];
    this.#inFlight -= 1;
    const answer = own.setPrototype(own.parse(envelope) as Envelope, null);
    if (answer.ok === true) open.resolve(answer.value);
    else open.reject(this.#error(answer, open, call));
  }

  #leave(open: Open, { name, input }: { readonly name: string | null; readonly input: string }): void {
    this.#last += 1;
    this.#inFlight += 1;
    this.#open[this.#last] = open;
    this.#parts.emit(this.#last, open.operation, name, input);
  }
  /** It stands in no log: the message has the code too, for whoever reads why the step failed. */
  #refused(code: string, message: string): Called {
    return this.#parts.own.setPrototype({ refused: { code, message: `${code}: ${message}` } }, null);
  }
  #overdrawn(operation: string | null): Called | undefined {
    const { maxCalls, maxInFlight } = this.#parts;
    if (operation === null) return this.#refused("WOML_CALL_UNKNOWN", "No such operation is offered.");
    if (this.#closed) return this.#refused("WOML_CALL_LATE", "The script has ended.");
    if (this.#last >= maxCalls) return this.#refused("WOML_CALL_LIMIT", `More than ${maxCalls} calls in one attempt.`);
    if (this.#inFlight >= maxInFlight) return this.#refused("WOML_CALL_LIMIT", `More than ${maxInFlight} calls at once.`);
    return undefined;
  }
  /** Arguments as one input. */
  #shaped(operation: string, { given: names, options: known, large }: Shape, given: readonly unknown[]): Called {
    const { own } = this.#parts;
    const input: Record<string, unknown> = own.setPrototype({}, null);
    const options: Record<string, unknown> = own.setPrototype({}, null);
    for (let i = 0; i < names.length; i++) if (given[i] !== undefined) input[names[i] as string] = given[i];
    const more = given.length > names.length ? given[names.length] : undefined;
    const isNone = more === undefined;
    if (given.length > names.length + 1 || !(isNone || (typeof more === "object" && more !== null))) return this.#misfit(operation, known);
    const keys = isNone ? [] : own.allKeysOf(more as object);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string;
      let isKnown = key === "name";
      for (let k = 0; k < known.length; k++) isKnown = isKnown || known[k] === key;
      if (!isKnown) return this.#misfit(operation, known);
      const value = (more as Readonly<Record<string, unknown>>)[key];
      if (value !== undefined) (key === "name" ? options : input)[key] = value;
    }
    return this.#called(input, options, large);
  }
  #misfit(operation: string, known: readonly string[]): Called {
    let options = "name";
    for (let k = 0; k < known.length; k++) options += `, ${known[k]}`;
    return this.#refused("WOML_CALL_OPTIONS_INVALID", `services.${operation} takes its arguments and then { ${options} }.`);
  }
  /** Runs the author's getters, which may call in turn or throw: what it throws is what the promise is rejected with. */
  #called(input: unknown, options: unknown, large: string): Called {
    const { own, write, maxBytes } = this.#parts;
    const name = this.#name(options);
    if (name === undefined) return this.#refused("WOML_CALL_OPTIONS_INVALID", "Options are { name } with 1 to 128 printable characters.");
    const written = write(input === undefined ? null : input, maxBytes);
    if ("path" in written && written.path !== "") {
      const { path, reason } = written as Extract<Written, { readonly reason: string }>;
      return this.#refused("WOML_CALL_INPUT_INVALID", own.cut(`The input is not JSON at ${path}: ${reason}.`, 1_000));
    }
    const { text } = written as { readonly text?: string };
    if (text === undefined || this.#isLarge(text)) return this.#refused(large, "The input is too large.");
    return this.#overdrawn("") ?? own.setPrototype({ name, input: text }, null);
  }
  /** null: none is given; undefined: what is given is none. */
  #name(options: unknown): string | null | undefined {
    const { own } = this.#parts;
    if (options === undefined) return null;
    if (typeof options !== "object" || options === null) return undefined;
    const keys = own.allKeysOf(options);
    if (keys.length === 0) return null;
    if (keys.length > 1 || keys[0] !== "name") return undefined;
    const { name } = options as { readonly name: unknown };
    if (name === undefined) return null;
    if (typeof name !== "string" || name.length > 128 || !own.isSound(name)) return undefined;
    return this.#isPrintable(name) ? name : undefined;
  }
  #isPrintable(name: string): boolean {
    for (let i = 0; i < name.length; i++) {
      const code = this.#parts.own.codeAt(name, i);
      if (code < 0x20 || (code > 0x7e && code < 0xa0) || code === 0x2028 || code === 0x2029) return false;
    }
    return name.length > 0;
  }
  /** In UTF-8: a character has one byte at least and three at most. */
  #isLarge(text: string): boolean {
    const { own, maxBytes } = this.#parts;
    if (text.length * 3 <= maxBytes) return false;
    let bytes = text.length;
    for (let i = 0; i < text.length && bytes <= maxBytes; i++) {
      const code = own.codeAt(text, i);
      if (code > 0x7f) bytes += code > 0x7ff && (code < 0xd800 || code > 0xdfff) ? 2 : 1;
    }
    return bytes > maxBytes;
  }

  #error({ code, message, retryable, ambiguous }: Refusal, { operation, at }: Open, call: number): Error {
    const { own } = this.#parts;
    const said = typeof message === "string" ? message : "The operation failed.";
    const error = new own.Error(said);
    const dot = own.find(operation, ".", 0);
    const shown = (key: string, value: unknown) => own.define(error, key, { value, enumerable: true });
    own.define(error, "name", { value: "WomlServiceError" });
    own.define(error, "stack", { value: `WomlServiceError: ${said}${this.#frames(at)}`, writable: true, configurable: true });
    shown("code", typeof code === "string" ? code : "WOML_CALL_FAILED");
    shown("service", dot < 0 ? "" : own.slice(operation, 0, dot));
    shown("operation", own.slice(operation, dot + 1, operation.length));
    shown("callId", call === 0 ? null : call);
    shown("retryable", retryable === true);
    shown("ambiguous", ambiguous === true);
    own.mark(error, call);
    return error;
  }
  /** Where the call was made. An author may have made reading a stack a trap of his own. */
  #frames(at: Error): string {
    const { own } = this.#parts;
    try {
      const { stack } = at;
      const first = typeof stack === "string" ? own.find(stack, "\n", 0) : -1;
      return first < 0 ? "" : own.slice(stack as string, first, (stack as string).length);
    } catch {
      return "";
    }
  }
}
