// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Own, Raw } from "./own.ts";

/** `Own`, and what is made of its raw parts when a script first needs more than to return. */
export interface Whole extends Omit<Own, "raw">, Omit<Raw, "string" | "marks" | "bytes" | "view" | "sizeOf" | "fromCharCode"> {
  readonly slice: (text: string, from: number, to: number) => string;
  /** Where a text stands in another from a place on; −1. */
  readonly find: (text: string, sought: string, from: number) => number;
  readonly codeAt: (text: string, index: number) => number;
  readonly fromCodes: (...codes: number[]) => string;
  readonly lowerCase: (text: string) => string;
  readonly upperCase: (text: string) => string;
  readonly wellFormed: (text: string) => string;
  /** Says which call an error of ours is about; failure.ts reads it. */
  readonly mark: (error: object, call: number) => void;
  readonly toHex: (bytes: Uint8Array) => string;
  readonly toBase64: (bytes: Uint8Array) => string;
  /** Forgiving about spaces and padding; throws. */
  readonly fromBase64: (text: string) => Uint8Array;
  readonly lengthOf: (bytes: Uint8Array) => number;
  /** The bytes under any typed array or ArrayBuffer; null for anything else. */
  readonly bytesOf: (value: unknown) => Uint8Array | null;
  /** `Int8Array` and so on; undefined for what is no typed array. */
  readonly kindOf: (value: unknown) => string | undefined;
}

/** May be called after author's code has run: it asks nothing but `own`. */
export function whole(own: Own): Whole {
  const { apply, setPrototype } = own;
  const { string, view, bytes, marks, sizeOf, fromCharCode, ...raw } = own.raw();
  return {
    ...own,
    ...raw,
    /** A descriptor without a prototype: an author's could answer for what it does not say. */
    define: (target, key, descriptor) => own.define(target, key, setPrototype(descriptor, null)),
    slice: (value, from, to) => apply(string.slice, value, [from, to]) as string,
    find: (value, sought, from) => apply(string.indexOf, value, [sought, from]) as number,
    codeAt: (value, index) => apply(string.charCodeAt, value, [index]) as number,
    fromCodes: fromCharCode,
    lowerCase: (value) => apply(string.toLowerCase, value, []) as string,
    upperCase: (value) => apply(string.toUpperCase, value, []) as string,
    wellFormed: (value) => apply(string.toWellFormed, value, []) as string,
    mark: (error, call) => void apply(marks.set, marks.map, [error, call]),
    toHex: (value) => apply(bytes.toHex, value, []) as string,
    toBase64: (value) => apply(bytes.toBase64, value, []) as string,
    fromBase64: bytes.fromBase64,
    lengthOf: (value) => apply(view.length, value, []) as number,
    bytesOf: (value) => {
      if (typeof value !== "object" || value === null) return null;
      const part = (getter: unknown) => apply(getter, value, []) as number;
      if (apply(view.kind, value, []) !== undefined)
        return new raw.Uint8Array(apply(view.buffer, value, []) as ArrayBuffer, part(view.offset), part(view.length));
      try {
        part(sizeOf);
      } catch {
        return null;
      }
      return new raw.Uint8Array(value as ArrayBuffer);
    },
    kindOf: (value) => apply(view.kind, value, []) as string | undefined,
  };
}
