import { hide, type Marked } from "./hide.ts";
import { formsOf, SHORTEST } from "./spell.ts";

/** Takes the known values of secrets out of texts, and out of every text, number and member name of a JSON value. */
export interface Redactor {
  text(text: string): string;
  json<T>(value: T): T;
}

/** Characters of values, in all, whose spellings within spellings are looked for: there are many of them. */
const NESTED = 1_024;
/** Read as UTF-8 what was Latin-1, three characters are one; a spelling within a spelling may have been read so twice. */
const SHRINKS = 9;
const NUMBER = /^-?[1-9]\d*(?:\.\d+)?$/;

/**
 * Looks for each value in every form it may have (spell.ts). What any form covers is replaced by `[secret NAME]`; where two overlap, the longer
 * form gives the name. Many small texts cost no more than a large one, and a value that is longer than all of them costs nothing.
 */
export function redactor(secrets: Readonly<Record<string, string>>): Redactor {
  const known = Object.entries(secrets).filter(([, value]) => value.length >= SHORTEST);
  if (known.length === 0) return { text: (text) => text, json: (value) => value };
  const forms = new Forms(known);
  const numbers = new Map(known.filter(([, value]) => NUMBER.test(value)).map(([name, value]) => [Number(value), `[secret ${name}]`]));
  const hidden = (texts: readonly string[]): readonly string[] => {
    const chars = texts.reduce((most, text) => Math.max(most, text.length), 0);
    return hide(texts, forms.within(chars));
  };
  const json = (value: unknown): unknown => {
    const texts: string[] = [];
    collect(value, texts);
    const told = hidden(texts).values();
    return rebuilt(value, { next: () => told.next().value ?? "", number: (found) => numbers.get(found) ?? found });
  };
  return { text: (text) => hidden([text])[0] ?? "", json: <T>(value: T): T => json(value) as T };
}

/** The forms of all values, spelled out when the first text comes in which they could stand. */
class Forms {
  readonly #waiting: { readonly name: string; readonly value: string; readonly nests: boolean }[] = [];
  readonly #names = new Map<string, string>();
  #marked: readonly Marked[] = [];

  constructor(known: readonly (readonly [name: string, value: string])[]) {
    let left = NESTED;
    for (const [name, value] of known) {
      const nests = value.length <= left;
      if (nests) left -= value.length;
      this.#waiting.push({ name, value, nests });
    }
    this.#waiting.sort((one, other) => other.value.length - one.value.length);
  }

  /** Longest first. */
  within(chars: number): readonly Marked[] {
    const before = this.#names.size;
    for (let next = this.#waiting.at(-1); next && next.value.length <= chars * SHRINKS; next = this.#waiting.at(-1)) {
      this.#waiting.pop();
      for (const form of formsOf(next.value, next.nests)) if (!this.#names.has(form)) this.#names.set(form, next.name);
    }
    if (this.#names.size === before) return this.#marked;
    this.#marked = [...this.#names]
      .map(([form, name]) => ({ form, put: `[secret ${name}]` }))
      .sort((a, b) => b.form.length - a.form.length);
    return this.#marked;
  }
}

function collect(value: unknown, texts: string[]): void {
  if (typeof value === "string") texts.push(value);
  else if (Array.isArray(value)) for (const item of value) collect(item, texts);
  else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      texts.push(name);
      collect(member, texts);
    }
  }
}

interface Told {
  readonly next: () => string;
  readonly number: (value: number) => number | string;
}
/** In the order in which `collect` went. */
function rebuilt(value: unknown, told: Told): unknown {
  if (typeof value === "string") return told.next();
  if (typeof value === "number") return told.number(value);
  if (Array.isArray(value)) return value.map((item) => rebuilt(item, told));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.values(value).map((member) => [told.next(), rebuilt(member, told)]));
}
