// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Whole } from "./whole.ts";

/** Texts and bytes: UTF-8 (the Encoding Standard's) and base64 (the Infra Standard's, forgiving). */
export class Encoding {
  readonly #own: Whole;

  constructor(own: Whole) {
    this.#own = own;
  }

  utf8(text: string): Uint8Array {
    const { uri, wellFormed } = this.#own;
    return this.fromBinary(uri.unpercent(uri.encode(wellFormed(text)))) as Uint8Array;
  }
  /** A byte a character; null where a character is none. */
  fromBinary(text: string): Uint8Array | null {
    const { codeAt, Uint8Array: Bytes } = this.#own;
    const length = text.length;
    const bytes = new Bytes(length);
    for (let i = 0; i < length; i++) {
      const code = codeAt(text, i);
      if (code > 255) return null;
      bytes[i] = code;
    }
    return bytes;
  }
  binary(bytes: Uint8Array): string {
    return this.#spelled(bytes, this.#own.lengthOf(bytes));
  }
  /** null: `fatal`, and it is no UTF-8. */
  text(bytes: Uint8Array, fatal: boolean): string | null {
    const { uri } = this.#own;
    try {
      return uri.decode(uri.percent(this.binary(bytes)));
    } catch {
      return fatal ? null : this.#repaired(bytes);
    }
  }
  base64(bytes: Uint8Array): string {
    return this.#own.toBase64(bytes);
  }
  fromBase64(text: string): string | null {
    try {
      return this.binary(this.#own.fromBase64(text));
    } catch {
      return null;
    }
  }

  #spelled(units: { readonly [index: number]: number }, length: number): string {
    const { setPrototype, apply, fromCodes } = this.#own;
    let text = "";
    for (let from = 0; from < length; from += 1_024) {
      const codes: number[] = setPrototype([], null);
      for (let i = from; i < length && i < from + 1_024; i++) codes[i - from] = units[i] as number;
      text += apply(fromCodes, undefined, codes) as string;
    }
    return text;
  }

  /** U+FFFD for each longest run of bytes that begins no character. */
  #repaired(bytes: Uint8Array): string {
    const { lengthOf, setPrototype } = this.#own;
    const units: number[] = setPrototype([], null);
    const length = lengthOf(bytes);
    let count = 0;
    for (let i = 0; i < length; ) {
      const first = bytes[i] as number;
      const more = first < 0x80 ? 0 : first < 0xc2 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : -1;
      let code = more === 1 ? first & 0x1f : more === 2 ? first & 0x0f : more === 3 ? first & 0x07 : first;
      i += 1;
      let left = more;
      for (; left > 0 && this.#follows(first, left === more, bytes[i]); left--, i++) code = (code << 6) | ((bytes[i] as number) & 0x3f);
      if (left !== 0) code = 0xfffd;
      if (code > 0xffff) units[count++] = 0xd7c0 + (code >> 10);
      units[count++] = code > 0xffff ? 0xdc00 + (code & 0x3ff) : code;
    }
    return this.#spelled(units, count);
  }
  /** Whether a byte goes on with a character: the second one may not make it too long, a surrogate or too large. */
  #follows(first: number, second: boolean, byte: number | undefined): boolean {
    if (byte === undefined) return false;
    const least = second && first === 0xe0 ? 0xa0 : second && first === 0xf0 ? 0x90 : 0x80;
    const most = second && first === 0xed ? 0x9f : second && first === 0xf4 ? 0x8f : 0xbf;
    return byte >= least && byte <= most;
  }
}
