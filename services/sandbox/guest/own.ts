// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.

/**
 * The language's own functions, taken before any author's code could replace them. Each member and each function made here is paid for by
 * every script, so this holds what every script needs; `raw` makes an object of what else was taken.
 */
export interface Own {
  readonly parse: (text: string) => unknown;
  readonly quote: (value: unknown) => string;
  readonly keysOf: (value: object) => readonly string[];
  readonly prototypeOf: (value: object) => unknown;
  readonly setPrototype: <T extends object>(value: T, prototype: object | null) => T;
  readonly freeze: <T extends object>(value: T) => T;
  readonly define: (target: object, key: PropertyKey, descriptor: PropertyDescriptor) => unknown;
  readonly isArray: (value: unknown) => boolean;
  readonly isFinite: (value: unknown) => boolean;
  readonly apply: (fn: unknown, receiver: unknown, given: readonly unknown[]) => unknown;
  readonly asText: (value: unknown) => string;
  readonly cut: (text: string, chars: number) => string;
  readonly isSound: (text: string) => boolean;
  /** What a pattern without `g` and `y` finds; asks nothing of the author's. */
  readonly match: (pattern: RegExp, text: string) => object | null;
  readonly objectPrototype: object;
  readonly arrayPrototype: object;
  readonly raw: () => Raw;
}
/** What whole.ts makes its functions of: most need a receiver. */
export interface Raw {
  readonly string: Pick<string, "slice" | "indexOf" | "charCodeAt" | "toLowerCase" | "toUpperCase" | "toWellFormed">;
  readonly fromCharCode: (...codes: number[]) => string;
  readonly marks: { readonly map: WeakMap<object, number>; readonly get: unknown; readonly set: unknown };
  readonly uri: { readonly encode: Uri; readonly decode: Uri; readonly percent: Uri; readonly unpercent: Uri };
  readonly bytes: { readonly toHex: unknown; readonly toBase64: unknown; readonly fromBase64: (text: string) => Uint8Array };
  /** Getters of every typed array, and of a buffer's size. */
  readonly view: { readonly kind: unknown; readonly buffer: unknown; readonly offset: unknown; readonly length: unknown };
  readonly sizeOf: unknown;
  readonly construct: (fn: unknown, given: readonly unknown[], target: unknown) => object;
  readonly allKeysOf: (value: object) => readonly PropertyKey[];
  readonly descriptorOf: (value: object, key: PropertyKey) => PropertyDescriptor | undefined;
  readonly asNumber: (value: unknown) => number;
  readonly Date: DateConstructor;
  readonly Intl: typeof Intl;
  readonly Promise: PromiseConstructor;
  readonly Error: ErrorConstructor;
  readonly TypeError: ErrorConstructor;
  readonly RangeError: ErrorConstructor;
  readonly Uint8Array: Uint8ArrayConstructor;
  readonly Uint32Array: Uint32ArrayConstructor;
}
type Uri = (text: string) => string;

export function own(): Own {
  const { apply, construct, ownKeys: allKeysOf } = Reflect;
  const { slice, includes, indexOf, charCodeAt, toLowerCase, toUpperCase, isWellFormed, toWellFormed } = String.prototype;
  const { fromCharCode } = String;
  const text = String;
  const number = Number;
  const { exec } = RegExp.prototype;
  const map = new WeakMap<object, number>();
  const { get, set } = WeakMap.prototype;
  const { getOwnPropertyDescriptor: descriptorOf, getPrototypeOf: prototypeOf, setPrototypeOf: setPrototype } = Object;
  const uri = { encode: encodeURIComponent, decode: decodeURIComponent, percent: escape, unpercent: unescape };
  const kinds = { Date, Intl, Promise, Error, TypeError, RangeError, Uint8Array, Uint32Array };
  const { toHex, toBase64 } = Uint8Array.prototype as unknown as { readonly toHex: unknown; readonly toBase64: unknown };
  const { fromBase64 } = Uint8Array as unknown as Raw["bytes"];
  const typed = prototypeOf(Uint8Array.prototype) as object;
  const kind = descriptorOf(typed, Symbol.toStringTag)?.get;
  const buffer = descriptorOf(typed, "buffer")?.get;
  const offset = descriptorOf(typed, "byteOffset")?.get;
  const length = descriptorOf(typed, "byteLength")?.get;
  const sizeOf = descriptorOf(ArrayBuffer.prototype, "byteLength")?.get;
  return {
    parse: JSON.parse,
    quote: JSON.stringify,
    keysOf: Object.keys,
    prototypeOf,
    setPrototype,
    freeze: Object.freeze,
    define: Object.defineProperty,
    isArray: Array.isArray,
    isFinite: Number.isFinite,
    apply: apply as Own["apply"],
    asText: text,
    cut: (value, chars) => apply(slice, value, [0, chars]),
    isSound: (value) => apply(isWellFormed, value, []) && !apply(includes, value, ["\u0000"]),
    match: (pattern, value) => apply(exec, pattern, [value]),
    objectPrototype: Object.prototype,
    arrayPrototype: Array.prototype,
    raw: () => ({
      string: { slice, indexOf, charCodeAt, toLowerCase, toUpperCase, toWellFormed },
      ...{ fromCharCode, marks: { map, get, set }, uri },
      ...{ bytes: { toHex, toBase64, fromBase64 }, view: { kind, buffer, offset, length }, sizeOf },
      ...{ construct: construct as Raw["construct"], allKeysOf, descriptorOf, asNumber: number },
      ...kinds,
    }),
  };
}
