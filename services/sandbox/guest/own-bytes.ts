// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.

/** The part of `Own` that is about bytes and their spellings. */
export interface OwnBytes {
  readonly Uint8Array: Uint8ArrayConstructor;
  readonly Uint32Array: Uint32ArrayConstructor;
  readonly toHex: (bytes: Uint8Array) => string;
  readonly toBase64: (bytes: Uint8Array) => string;
  /** Forgiving about spaces and padding; throws. */
  readonly fromBase64: (text: string) => Uint8Array;
  readonly lengthOf: (bytes: Uint8Array) => number;
  /** The bytes under any typed array or ArrayBuffer; null for anything else. */
  readonly bytesOf: (value: unknown) => Uint8Array | null;
  /** `Int8Array` and so on; undefined for what is no typed array. */
  readonly kindOf: (value: unknown) => string | undefined;
  readonly encodeUri: (text: string) => string;
  readonly decodeUri: (text: string) => string;
  readonly percent: (text: string) => string;
  readonly unpercent: (text: string) => string;
}

export function ownBytes(): OwnBytes {
  const { apply } = Reflect;
  const Bytes = Uint8Array;
  const { toHex, toBase64 } = Uint8Array.prototype as unknown as { readonly toHex: () => string; readonly toBase64: () => string };
  const { fromBase64 } = Uint8Array as unknown as { readonly fromBase64: (text: string) => Uint8Array };
  const getter = (of: object, key: PropertyKey) => Object.getOwnPropertyDescriptor(of, key)?.get as () => unknown;
  const typed = Object.getPrototypeOf(Uint8Array.prototype) as object;
  const [kind, bufferOf, offsetOf, lengthOf] = [
    getter(typed, Symbol.toStringTag),
    getter(typed, "buffer"),
    getter(typed, "byteOffset"),
    getter(typed, "byteLength"),
  ];
  const sizeOf = getter(ArrayBuffer.prototype, "byteLength");
  return {
    ...{ Uint8Array, Uint32Array },
    toHex: (bytes) => apply(toHex, bytes, []),
    toBase64: (bytes) => apply(toBase64, bytes, []),
    fromBase64,
    lengthOf: (bytes) => apply(lengthOf, bytes, []) as number,
    bytesOf: (value) => {
      if (typeof value !== "object" || value === null) return null;
      if (apply(kind, value, []) !== undefined)
        return new Bytes(
          apply(bufferOf, value, []) as ArrayBuffer,
          apply(offsetOf, value, []) as number,
          apply(lengthOf, value, []) as number,
        );
      try {
        apply(sizeOf, value, []);
      } catch {
        return null;
      }
      return new Bytes(value as ArrayBuffer);
    },
    kindOf: (value) => apply(kind, value, []) as string | undefined,
    ...{ encodeUri: encodeURIComponent, decodeUri: decodeURIComponent, percent: escape, unpercent: unescape },
  };
}
