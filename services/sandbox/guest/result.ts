// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.
import type { Own } from "./own.ts";

/** JSON text, or why the value has none: `path` of what is not JSON, or the size that was met. */
export type Written =
  | { readonly text: string }
  | { readonly path: string; readonly reason: string }
  | { readonly path: ""; readonly atLeast: number };

/**
 * Writes a JSON value in one pass, so that a getter or proxy cannot answer the check one thing and the text another.
 * Refused with its path: undefined, function, symbol, bigint, NaN and infinities, cycles, class instances, U+0000, lone surrogates, too deep.
 */
export class Writer {
  readonly #own: Own;
  readonly #maxDepth: number;
  #maxChars = 0;
  #chars = 0;
  #refusal: Written | undefined;
  #above: object[] = [];
  #steps: (string | number)[] = [];

  constructor(own: Own, maxDepth: number) {
    this.#own = own;
    this.#maxDepth = maxDepth;
  }

  write(root: unknown, maxChars: number): Written {
    this.#maxChars = maxChars;
    this.#chars = 0;
    this.#refusal = undefined;
    this.#above = [];
    this.#steps = [];
    this.#own.setPrototype(this.#above, null);
    this.#own.setPrototype(this.#steps, null);
    const text = this.#value(root, 0);
    return this.#own.setPrototype<Written>(this.#refusal ?? { text }, null);
  }

  #value(value: unknown, depth: number): string {
    if (typeof value === "string") return this.#string(value, depth);
    if (typeof value === "number")
      return this.#own.isFinite(value) ? this.#leaf(this.#own.quote(value)) : this.#refuse(depth, "not a finite number");
    if (value === null) return this.#leaf("null");
    if (typeof value === "boolean") return this.#leaf(value ? "true" : "false");
    return typeof value === "object" ? this.#structure(value, depth) : this.#refuse(depth, typeof value);
  }

  #structure(value: object, depth: number): string {
    const { objectPrototype, arrayPrototype, isArray, prototypeOf, apply } = this.#own;
    const array = isArray(value);
    const prototype = prototypeOf(value);
    const plain = array ? prototype === arrayPrototype : prototype === objectPrototype || prototype === null;
    if (!plain) return this.#refuse(depth, "a class instance");
    if (depth >= this.#maxDepth) return this.#refuse(depth, "nested too deep");
    for (let i = 0; i < depth; i++) if (this.#above[i] === value) return this.#refuse(depth, "a cycle");
    this.#above[depth] = value;
    const { toJSON } = value as { readonly toJSON?: unknown };
    if (typeof toJSON === "function") {
      this.#steps[depth] = "toJSON";
      return this.#value(apply(toJSON, value, [""]), depth + 1);
    }
    return array ? this.#elements(value as readonly unknown[], depth) : this.#members(value as Readonly<Record<string, unknown>>, depth);
  }

  #elements(value: readonly unknown[], depth: number): string {
    let text = "[";
    for (let i = 0; i < value.length && this.#refusal === undefined; i++) {
      this.#steps[depth] = i;
      if (i > 0) text += ",";
      text += this.#value(value[i], depth + 1);
    }
    return this.#refusal === undefined ? `${text}]` : "";
  }

  #members(value: Readonly<Record<string, unknown>>, depth: number): string {
    let text = "{";
    const keys = this.#own.keysOf(value);
    for (let i = 0; i < keys.length && this.#refusal === undefined; i++) {
      const key = keys[i] as string;
      this.#steps[depth] = key;
      if (i > 0) text += ",";
      text += `${this.#string(key, depth + 1)}:${this.#value(value[key], depth + 1)}`;
    }
    return this.#refusal === undefined ? `${text}}` : "";
  }

  #string(value: string, depth: number): string {
    if (this.#chars + value.length > this.#maxChars) return this.#leaf(value);
    return this.#own.isSound(value) ? this.#leaf(this.#own.quote(value)) : this.#refuse(depth, "U+0000 or a lone surrogate");
  }

  /** Punctuation is not counted: this stops what is far too large; the text's own bytes are counted outside. */
  #leaf(text: string): string {
    this.#chars += text.length;
    if (this.#chars <= this.#maxChars) return text;
    this.#refusal ??= { path: "", atLeast: this.#chars };
    return "";
  }

  #refuse(depth: number, reason: string): string {
    this.#refusal ??= { path: this.#path(depth), reason };
    return "";
  }

  #path(depth: number): string {
    const { match, quote, cut } = this.#own;
    const plain = /^[A-Za-z_$][A-Za-z0-9_$]{0,99}$/;
    let path = "$";
    for (let i = 0; i < depth && path.length < 900; i++) {
      const step = this.#steps[i];
      if (typeof step === "number") path += `[${step}]`;
      else path += match(plain, step as string) !== null ? `.${step}` : `[${quote(cut(step as string, 100))}]`;
    }
    return path;
  }
}
