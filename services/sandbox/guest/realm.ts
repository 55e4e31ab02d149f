// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Bridge, BridgeParts } from "./bridge.ts";
import type { ConsoleParts } from "./console.ts";
import type { Thrown } from "./failure.ts";
import type { Own } from "./own.ts";
import type { Written } from "./result.ts";

export interface RealmParts {
  readonly own: Own;
  readonly write: (value: unknown, maxChars: number) => Written;
  readonly read: (thrown: unknown) => Thrown;
  readonly guestConsole: (own: Own, parts: ConsoleParts) => { readonly console: object; readonly allow: (chars: number) => void };
  readonly bridge: (own: Own, operations: readonly string[], parts: BridgeParts) => Bridge;
  readonly bounds: { readonly [name: string]: number };
}
/** The one door into a fresh context, kept outside of it. Texts and numbers only, but for the two host functions of `begin`. */
export type Knock =
  | readonly ["parse", body: string, parameters: string]
  | readonly [
      "begin",
      context: string,
      attempt: string,
      operations: string,
      resultChars: number,
      consoleChars: number,
      emit: unknown,
      call: unknown,
    ]
  | readonly ["settle", call: number, envelope: string];

/** Makes the fresh context a script's: takes away what it must not have, and answers the door. */
export function realm(parts: RealmParts, entry: string): (...knock: Knock) => string {
  const { own, write, read } = parts;
  const bound = (name: string): number => parts.bounds[name] ?? 0;
  let emit: ((level: string, text: string) => void) | undefined;
  let given: { context: unknown; attempt: unknown; resultChars: number; bridge: Bridge | undefined } | undefined;
  for (const name of ["WebAssembly", "SharedArrayBuffer", "Atomics", "FinalizationRegistry", "WeakRef"]) {
    delete (globalThis as unknown as Record<string, unknown>)[name];
  }
  const printer = parts.guestConsole(own, {
    write,
    emit: (level, text) => emit?.(level, text),
    maxLines: bound("consoleLines"),
    lineChars: bound("lineChars"),
  });
  own.define(globalThis, "console", { value: printer.console });

  /** Frozen all the way down, without recursion: a context may be nested as deep as JSON.parse reads. */
  const frozen = (root: unknown): unknown => {
    const left: unknown[] = [root];
    own.setPrototype(left, null);
    for (let end = 1; end > 0; ) {
      end -= 1;
      const value = left[end];
      if (typeof value !== "object" || value === null) continue;
      own.freeze(value);
      const keys = own.keysOf(value);
      for (let i = 0; i < keys.length; i++) {
        left[end] = (value as Readonly<Record<string, unknown>>)[keys[i] as string];
        end += 1;
      }
    }
    return root;
  };
  const ended = (value: unknown, resultChars: number): string => {
    const written = write(value, resultChars);
    if ("text" in written) return `k${written.text}`;
    return "atLeast" in written ? `l${written.atLeast}` : `i${own.quote([written.path, written.reason])}`;
  };
  const enter = async (body: (...bindings: unknown[]) => unknown): Promise<string> => {
    delete (globalThis as unknown as Record<string, unknown>)[entry];
    if (given === undefined) return "p";
    const { context, attempt, resultChars, bridge } = given;
    try {
      return ended(await (bridge === undefined ? body(context, attempt) : body(context, attempt, bridge.call)), resultChars);
    } catch (error) {
      const { name, message, stack } = read(error);
      return `t${own.quote([name, message, stack])}`;
    }
  };
  own.define(globalThis, entry, { value: enter, configurable: true });

  return (...knock) => {
    if (knock[0] === "settle") {
      given?.bridge?.settle(knock[1], knock[2]);
      return "";
    }
    if (knock[0] === "parse") {
      new own.AsyncFunction(knock[2], `"use strict";\n${knock[1]}`);
      return "";
    }
    const [, context, attempt, operations, resultChars, consoleChars, emitLine, emitCall] = knock;
    emit = emitLine as (level: string, text: string) => void;
    printer.allow(consoleChars);
    const offered = own.parse(operations) as readonly string[] | null;
    const bridge =
      offered === null
        ? undefined
        : parts.bridge(own, offered, {
            write,
            emit: emitCall as (call: number, operation: string, input: string) => void,
            maxInFlight: bound("callsInFlight"),
            maxCalls: bound("calls"),
            maxChars: bound("callBytes"),
          });
    given = { context: frozen(own.parse(context)), attempt: frozen(own.parse(attempt)), resultChars, bridge };
    return "";
  };
}
