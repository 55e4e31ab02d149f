// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.

/** The language's own functions, taken before any author's code could replace them. */
export interface Own {
  readonly parse: (text: string) => unknown;
  readonly quote: (value: unknown) => string;
  readonly keysOf: (value: object) => readonly string[];
  readonly allKeysOf: (value: object) => readonly PropertyKey[];
  readonly prototypeOf: (value: object) => unknown;
  readonly setPrototype: (value: object, prototype: object | null) => unknown;
  readonly freeze: (value: object) => unknown;
  readonly define: (target: object, key: PropertyKey, descriptor: PropertyDescriptor) => unknown;
  readonly isArray: (value: unknown) => boolean;
  readonly isFinite: (value: unknown) => boolean;
  readonly cut: (text: string, chars: number) => string;
  readonly isSound: (text: string) => boolean;
  /** May stand after a dot in a path. */
  readonly isName: (text: string) => boolean;
  readonly callWith: (fn: unknown, receiver: unknown) => unknown;
  readonly asText: (value: unknown) => string;
  readonly objectPrototype: object;
  readonly arrayPrototype: object;
  readonly AsyncFunction: new (...parts: string[]) => unknown;
  readonly Promise: PromiseConstructor;
  readonly Error: ErrorConstructor;
}

export function own(): Own {
  const { apply } = Reflect;
  const { slice, includes, isWellFormed } = String.prototype;
  const text = String;
  const { test } = RegExp.prototype;
  const name = /^[A-Za-z_$][A-Za-z0-9_$]{0,99}$/;
  return {
    parse: JSON.parse,
    quote: JSON.stringify,
    keysOf: Object.keys,
    allKeysOf: Reflect.ownKeys,
    prototypeOf: Object.getPrototypeOf,
    setPrototype: Object.setPrototypeOf,
    freeze: Object.freeze,
    define: Object.defineProperty,
    isArray: Array.isArray,
    isFinite: Number.isFinite,
    cut: (value, chars) => apply(slice, value, [0, chars]),
    isSound: (value) => apply(isWellFormed, value, []) && !apply(includes, value, ["\u0000"]),
    isName: (value) => apply(test, name, [value]),
    callWith: (fn, receiver) => apply(fn as () => unknown, receiver, [""]),
    asText: (value) => text(value),
    objectPrototype: Object.prototype,
    arrayPrototype: Array.prototype,
    AsyncFunction: (async () => undefined).constructor as Own["AsyncFunction"],
    Promise,
    Error,
  };
}
