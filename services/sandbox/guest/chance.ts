// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.

import type { Stream } from "./stream.ts";
import type { Whole } from "./whole.ts";

/**
 * Chance that a replay draws again: `Math.random` is Doty-Humphrey's sfc32 under the attempt's seed, `crypto` a key stream under a secret one,
 * so that what a script is given tells nothing of what it will be given. Both begin at their first use.
 */
export class Chance {
  readonly #own: Whole;
  readonly #Stream: typeof Stream;
  readonly #mathSeed: string;
  readonly #cryptoSeed: string;
  #drawn = false;
  #a = 0;
  #b = 0;
  #c = 0;
  #count = 0;
  #stream: Stream | undefined;

  constructor(own: Whole, stream: typeof Stream, seeds: { readonly math: string; readonly crypto: string }) {
    this.#own = own;
    this.#Stream = stream;
    this.#mathSeed = seeds.math;
    this.#cryptoSeed = seeds.crypto;
  }

  crypto(): object {
    const { freeze } = this.#own;
    const getRandomValues = freeze((view: unknown): unknown => this.#values(view));
    const randomUUID = freeze((): string => this.#uuid());
    return freeze({ getRandomValues, randomUUID });
  }

  random(): number {
    if (!this.#drawn) this.#begin();
    const high = this.#next() >>> 5;
    return (high * 67_108_864 + (this.#next() >>> 6)) / 9_007_199_254_740_992;
  }
  #begin(): void {
    const { asNumber, slice } = this.#own;
    const word = (index: number): number => asNumber(`0x${slice(this.#mathSeed, index * 8, index * 8 + 8)}`) | 0;
    this.#a = word(0);
    this.#b = word(1);
    this.#c = word(2);
    this.#count = word(3);
    this.#drawn = true;
    for (let i = 0; i < 15; i++) this.#next();
  }
  #next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#count) | 0;
    this.#count = (this.#count + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  #values(view: unknown): unknown {
    const { kindOf, bytesOf, lengthOf, find, TypeError: Wrong, RangeError: Far } = this.#own;
    const kind = kindOf(view);
    if (kind === undefined || find(kind, "Float", 0) === 0) throw new Wrong("getRandomValues needs a typed array of integers.");
    const bytes = bytesOf(view) as Uint8Array;
    const length = lengthOf(bytes);
    if (length > 65_536) throw new Far("getRandomValues gives at most 65,536 bytes at once.");
    this.#fill(bytes, length);
    return view;
  }
  #uuid(): string {
    const { Uint8Array: Bytes, toHex, slice } = this.#own;
    const bytes = new Bytes(16);
    this.#fill(bytes, 16);
    bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
    const hex = toHex(bytes);
    return `${slice(hex, 0, 8)}-${slice(hex, 8, 12)}-${slice(hex, 12, 16)}-${slice(hex, 16, 20)}-${slice(hex, 20, 32)}`;
  }
  #fill(bytes: Uint8Array, length: number): void {
    this.#stream ??= new this.#Stream(this.#own, this.#cryptoSeed);
    this.#stream.fill(bytes, length);
  }
}
