import { Alphabet, type Characters, type Flags, Unreadable } from "./characters.ts";
import { TOKEN } from "./states.ts";

/** Where a pattern asks what stands around it. `lines`: a line's end is one too. `cased`: letters of any case count as one. */
export interface Place {
  readonly at: "start" | "end" | "edge" | "inside";
  readonly lines: boolean;
  readonly word: Characters;
}
/** A regular expression, as it is matched. `most` null: as often as there is. */
export type Expression =
  | { readonly kind: "characters"; readonly of: Characters }
  | { readonly kind: "place"; readonly place: Place }
  | { readonly kind: "sequence"; readonly parts: readonly Expression[] }
  | { readonly kind: "choice"; readonly parts: readonly Expression[] }
  | { readonly kind: "repeat"; readonly part: Expression; readonly least: number; readonly most: number | null };

/** Deepest nesting of groups: the reader recurses. */
const DEPTH = 200;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y;
const MODIFIERS = /^\(\?([a-z]*)(?:-([a-z]*))?:$/;
const PLACES: Readonly<Record<string, Place["at"]>> = { "^": "start", $: "end", "\\b": "edge", "\\B": "inside" };
const PLAIN: Flags = { i: false, m: false, s: false };

/** Reads a pattern as ECMAScript does with the flag `u`. Throws `Unreadable` for what is none, or what no automaton can do. */
export function expressionOf(pattern: string, cost: (steps: number) => void): Expression {
  const reader = new Reader(pattern, new Alphabet(cost));
  const whole = reader.choice(PLAIN, 0);
  if (reader.isAtEnd) return whole;
  throw new Unreadable("a group ends that has not begun");
}

class Reader {
  readonly #pattern: string;
  readonly #alphabet: Alphabet;
  #at = 0;

  constructor(pattern: string, alphabet: Alphabet) {
    this.#pattern = pattern;
    this.#alphabet = alphabet;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#pattern.length;
  }

  choice(flags: Flags, depth: number): Expression {
    if (depth > DEPTH) throw new Unreadable(`groups are nested more than ${DEPTH} deep`);
    const parts = [this.#sequence(flags, depth)];
    while (this.#pattern[this.#at] === "|") {
      this.#at += 1;
      parts.push(this.#sequence(flags, depth));
    }
    return parts.length === 1 && parts[0] ? parts[0] : { kind: "choice", parts };
  }

  #sequence(flags: Flags, depth: number): Expression {
    const parts: Expression[] = [];
    while (!this.isAtEnd && !/[|)]/.test(this.#pattern[this.#at] ?? "")) parts.push(this.#repeated(this.#atom(flags, depth)));
    return { kind: "sequence", parts };
  }

  #atom(flags: Flags, depth: number): Expression {
    TOKEN.lastIndex = this.#at;
    const [token = ""] = TOKEN.exec(this.#pattern) ?? [];
    this.#at += token.length;
    if (token === "" || /^[*+?{}\]]$/.test(token)) throw new Unreadable(`${token} stands for nothing here`);
    if (/^\(\?<?[=!]/.test(token) || /^\\(?:k|[1-9])/.test(token)) throw new Unreadable(`${token} cannot be matched in linear time`);
    if (token.startsWith("(")) return this.#group(token, flags, depth);
    const at = PLACES[token];
    if (at !== undefined) return { kind: "place", place: { at, lines: flags.m, word: this.#alphabet.of("\\w", flags) } };
    return { kind: "characters", of: this.#alphabet.of(token, flags) };
  }

  #group(token: string, flags: Flags, depth: number): Expression {
    const [, on = "", off = ""] = MODIFIERS.exec(token) ?? [];
    const turned = (flag: keyof Flags): boolean => (flags[flag] || on.includes(flag)) && !off.includes(flag);
    const inner = this.choice({ i: turned("i"), m: turned("m"), s: turned("s") }, depth + 1);
    if (this.#pattern[this.#at] !== ")") throw new Unreadable("a group does not end");
    this.#at += 1;
    return inner;
  }

  #repeated(part: Expression): Expression {
    QUANTIFIER.lastIndex = this.#at;
    const match = QUANTIFIER.exec(this.#pattern);
    if (!match) return part;
    this.#at = QUANTIFIER.lastIndex;
    const [, sign, least = "", comma, most = ""] = match;
    if (sign !== undefined) return { kind: "repeat", part, least: sign === "+" ? 1 : 0, most: sign === "?" ? 1 : null };
    const from = Number(least);
    return { kind: "repeat", part, least: from, most: comma === undefined ? from : most === "" ? null : Number(most) };
  }
}
