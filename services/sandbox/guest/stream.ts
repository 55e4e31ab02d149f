// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Whole } from "./whole.ts";

/** The key stream of ChaCha20 (RFC 8439) under 64 hex digits, with a 64-bit counter from 0 and no nonce. */
export class Stream {
  readonly #state: Uint32Array;
  readonly #words: Uint32Array;
  readonly #bytes: Uint8Array;
  #used = 64;

  constructor(own: Whole, key: string) {
    const { asNumber, slice, bytesOf, Uint32Array: Words } = own;
    const state = new Words(16);
    state[0] = 0x61707865;
    state[1] = 0x3320646e;
    state[2] = 0x79622d32;
    state[3] = 0x6b206574;
    for (let i = 0; i < 32; i++) {
      const word = 4 + (i >> 2);
      state[word] = (state[word] as number) | (asNumber(`0x${slice(key, i * 2, i * 2 + 2)}`) << (8 * (i & 3)));
    }
    this.#state = state;
    this.#words = new Words(16);
    this.#bytes = bytesOf(this.#words) as Uint8Array;
  }

  fill(target: Uint8Array, length: number): void {
    for (let i = 0; i < length; i++) {
      if (this.#used === 64) this.#block();
      target[i] = this.#bytes[this.#used] as number;
      this.#used += 1;
    }
  }

  #block(): void {
    const state = this.#state;
    const words = this.#words;
    for (let i = 0; i < 16; i++) words[i] = state[i] as number;
    for (let round = 0; round < 10; round++) {
      for (let i = 0; i < 4; i++) this.#quarter(i, 0);
      for (let i = 0; i < 4; i++) this.#quarter(i, 1);
    }
    for (let i = 0; i < 16; i++) words[i] = (words[i] as number) + (state[i] as number);
    state[12] = (state[12] as number) + 1;
    if (state[12] === 0) state[13] = (state[13] as number) + 1;
    this.#used = 0;
  }
  /** Of column `i`, or with `lean` 1 of the diagonal that begins there. */
  #quarter(i: number, lean: number): void {
    const b = 4 + ((i + lean) & 3);
    const c = 8 + ((i + lean * 2) & 3);
    const d = 12 + ((i + lean * 3) & 3);
    this.#mix(i, b, d, 16);
    this.#mix(c, d, b, 12);
    this.#mix(i, b, d, 8);
    this.#mix(c, d, b, 7);
  }
  /** `sum` += `by`; `turned` ^= `sum`, rotated left. */
  #mix(sum: number, by: number, turned: number, left: number): void {
    const words = this.#words;
    words[sum] = (words[sum] as number) + (words[by] as number);
    const mixed = (words[turned] as number) ^ (words[sum] as number);
    words[turned] = (mixed << left) | (mixed >>> (32 - left));
  }
}
