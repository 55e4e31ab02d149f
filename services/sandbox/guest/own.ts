// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { OwnBytes } from "./own-bytes.ts";

/** The language's own functions, taken before any author's code could replace them. */
export interface Own extends OwnBytes {
  readonly parse: (text: string) => unknown;
  readonly quote: (value: unknown) => string;
  readonly keysOf: (value: object) => readonly string[];
  readonly allKeysOf: (value: object) => readonly PropertyKey[];
  readonly prototypeOf: (value: object) => unknown;
  readonly setPrototype: <T extends object>(value: T, prototype: object | null) => T;
  readonly descriptorOf: (value: object, key: PropertyKey) => PropertyDescriptor | undefined;
  readonly freeze: <T extends object>(value: T) => T;
  readonly define: (target: object, key: PropertyKey, descriptor: PropertyDescriptor) => unknown;
  readonly isArray: (value: unknown) => boolean;
  readonly isFinite: (value: unknown) => boolean;
  readonly cut: (text: string, chars: number) => string;
  readonly slice: (text: string, from: number, to: number) => string;
  /** Where a text stands in another from a place on; −1. */
  readonly find: (text: string, sought: string, from: number) => number;
  readonly codeAt: (text: string, index: number) => number;
  readonly fromCodes: (...codes: number[]) => string;
  readonly lowerCase: (text: string) => string;
  readonly upperCase: (text: string) => string;
  readonly isSound: (text: string) => boolean;
  readonly wellFormed: (text: string) => string;
  /** What a pattern without `g` and `y` finds; asks nothing of the author's. */
  readonly match: (pattern: RegExp, text: string) => readonly (string | undefined)[] | null;
  readonly apply: (fn: unknown, receiver: unknown, given: readonly unknown[]) => unknown;
  readonly construct: (fn: unknown, given: readonly unknown[], target: unknown) => object;
  readonly asText: (value: unknown) => string;
  readonly asNumber: (value: unknown) => number;
  /** Which call an error of ours is about; 0 for any other value. */
  readonly callOf: (value: object) => number;
  readonly mark: (error: object, call: number) => void;
  readonly objectPrototype: object;
  readonly arrayPrototype: object;
  readonly AsyncFunction: new (...parts: string[]) => unknown;
  readonly Promise: PromiseConstructor;
  readonly Error: ErrorConstructor;
  readonly TypeError: ErrorConstructor;
  readonly RangeError: ErrorConstructor;
}

export function own(): Omit<Own, keyof OwnBytes> {
  const { apply, construct } = Reflect;
  const { slice, includes, indexOf, charCodeAt, isWellFormed, toWellFormed, toLowerCase, toUpperCase } = String.prototype;
  const [text, number] = [String, Number];
  const { exec } = RegExp.prototype;
  const marks = new WeakMap<object, number>();
  const { get, set } = WeakMap.prototype;
  return {
    parse: JSON.parse,
    quote: JSON.stringify,
    keysOf: Object.keys,
    allKeysOf: Reflect.ownKeys,
    prototypeOf: Object.getPrototypeOf,
    setPrototype: Object.setPrototypeOf,
    descriptorOf: Object.getOwnPropertyDescriptor,
    freeze: Object.freeze,
    define: Object.defineProperty,
    isArray: Array.isArray,
    isFinite: Number.isFinite,
    cut: (value, chars) => apply(slice, value, [0, chars]),
    slice: (value, from, to) => apply(slice, value, [from, to]),
    find: (value, sought, from) => apply(indexOf, value, [sought, from]),
    codeAt: (value, index) => apply(charCodeAt, value, [index]),
    fromCodes: String.fromCharCode,
    lowerCase: (value) => apply(toLowerCase, value, []),
    upperCase: (value) => apply(toUpperCase, value, []),
    isSound: (value) => apply(isWellFormed, value, []) && !apply(includes, value, ["\u0000"]),
    wellFormed: (value) => apply(toWellFormed, value, []),
    match: (pattern, value) => apply(exec, pattern, [value]),
    apply: (fn, receiver, given) => apply(fn as () => unknown, receiver, given),
    construct: (fn, given, target) => construct(fn as new () => object, given as never, target as new () => object) as object,
    asText: (value) => text(value),
    asNumber: (value) => number(value),
    callOf: (value) => (apply(get, marks, [value]) as number | undefined) ?? 0,
    mark: (error, call) => void apply(set, marks, [error, call]),
    objectPrototype: Object.prototype,
    arrayPrototype: Array.prototype,
    AsyncFunction: (async () => undefined).constructor as Own["AsyncFunction"],
    ...{ Promise, Error, TypeError, RangeError },
  };
}
