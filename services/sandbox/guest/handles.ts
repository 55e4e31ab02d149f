// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Encoding } from "./encoding.ts";
import type { Whole } from "./whole.ts";

/**
 * Handles of secrets, never their values: `woml_secret.<tag>.n.<NAME>.`, and `woml_secret.<tag>.d.<hex>.` for what is derived of texts that
 * hold handles. The hex is JSON in UTF-8: `{"base64":[…]}` or `{"url":[…]}`, where a part is a text, `{"secret":"NAME"}` or derived itself.
 */
export class Handles {
  readonly #own: Whole;
  readonly #encoding: () => Encoding;
  /** What every handle of this attempt begins with; "" where it has none. */
  readonly #mark: string;
  /** What the script reads as `secrets`. */
  readonly secrets: object;

  constructor(own: Whole, secrets: object, encoding: () => Encoding) {
    const { setPrototype, freeze, keysOf, find, slice } = own;
    const named = setPrototype(secrets, null) as Readonly<Record<string, string>>;
    const first = named[keysOf(named)[0] ?? ""];
    this.#own = own;
    this.#encoding = encoding;
    this.#mark = first === undefined ? "" : slice(first, 0, find(first, ".", "woml_secret.".length) + 1);
    this.secrets = freeze(named);
  }

  encodeUri(value: unknown): string {
    const text = this.#own.asText(value);
    return this.derived("url", text) ?? this.#own.uri.encode(text);
  }
  /** A handle for what a text with handles in it is in another writing; null where it holds none. */
  derived(how: "base64" | "url", text: string): string | null {
    const { find, slice } = this.#own;
    if (this.#mark === "" || find(text, this.#mark, 0) < 0) return null;
    let parts = "";
    let from = 0;
    for (let at = find(text, this.#mark, 0); at >= 0; at = find(text, this.#mark, at + 1)) {
      const end = find(text, ".", at + this.#mark.length + 2);
      const part = end < 0 ? null : this.#part(slice(text, at + this.#mark.length, end));
      if (part === null) continue;
      parts = this.#joined(parts, from < at ? this.#literal(slice(text, from, at)) : "");
      parts = this.#joined(parts, part);
      from = end + 1;
      at = end;
    }
    if (from === 0) return null;
    parts = this.#joined(parts, from < text.length ? this.#literal(slice(text, from, text.length)) : "");
    return `${this.#mark}d.${this.#hex(`{"${how}":[`)}${parts}${this.#hex("]}")}.`;
  }

  /** The hex of a handle's part, by what stands between mark and last dot. */
  #part(handle: string): string | null {
    const { match, slice, quote } = this.#own;
    if (match(/^n\.[A-Za-z_][A-Za-z0-9_]{0,127}$/, handle) !== null)
      return this.#hex(`{"secret":${quote(slice(handle, 2, handle.length))}}`);
    return match(/^d\.(?:[0-9a-f]{2})+$/, handle) === null ? null : slice(handle, 2, handle.length);
  }
  #literal(text: string): string {
    return this.#hex(this.#own.quote(text));
  }
  #joined(parts: string, part: string): string {
    return parts === "" || part === "" ? parts + part : `${parts}2c${part}`;
  }
  #hex(text: string): string {
    return this.#own.toHex(this.#encoding().utf8(text));
  }
}
