/** Which characters one place of a pattern stands for, by their code points. */
export interface Characters {
  has(point: number): boolean;
}
/** What `i`, `m` and `s` mean where a character stands. */
export interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
}

/** A pattern that is no regular expression with the flag `u`. */
export class Unreadable extends Error {}

/** Most characters outside ASCII whose membership is remembered. */
const REMEMBERED = 4_096;

/** Asks `has` once a character: properties of Unicode are looked up, not computed. */
class Remembering implements Characters {
  readonly #ascii = new Uint8Array(128);
  readonly #others = new Map<number, boolean>();
  readonly #has: (point: number) => boolean;

  constructor(has: (point: number) => boolean) {
    this.#has = has;
  }

  has(point: number): boolean {
    if (point >= 128) return this.#other(point);
    const known = this.#ascii[point];
    if (known === 0) this.#ascii[point] = this.#has(point) ? 2 : 1;
    return this.#ascii[point] === 2;
  }

  #other(point: number): boolean {
    const known = this.#others.get(point);
    if (known !== undefined) return known;
    const has = this.#has(point);
    if (this.#others.size < REMEMBERED) this.#others.set(point, has);
    return has;
  }
}

const LINE_ENDS: readonly number[] = [0x0a, 0x0d, 0x2028, 0x2029];
export const isLineEnd = (point: number): boolean => LINE_ENDS.includes(point);

/** Of a token of a pattern: `.`, a class, an escape or a character. One pattern has one of these, which knows what it has read before. */
export class Alphabet {
  readonly #known = new Map<string, Characters>();
  readonly #cost: (steps: number) => void;

  /** `cost` is told what reading takes, in steps. */
  constructor(cost: (steps: number) => void) {
    this.#cost = cost;
  }

  of(token: string, flags: Flags): Characters {
    const key = `${flags.i ? "i" : ""}${flags.s ? "s" : ""} ${token}`;
    const known = this.#known.get(key);
    if (known) return known;
    const read = this.#read(token, flags);
    this.#known.set(key, read);
    return read;
  }

  #read(token: string, { i, s }: Flags): Characters {
    if (token === ".") return { has: s ? () => true : (point) => !isLineEnd(point) };
    // Which characters are one but for their case is Unicode's to say.
    if (i) return this.#native(token, "iu");
    if (token.startsWith("[")) return this.#class(token.slice(1, -1));
    const point = pointOf(token, false);
    return point === null ? this.#native(token, "u") : { has: (one) => one === point };
  }

  #class(text: string): Characters {
    const isNegated = text.startsWith("^");
    const items = itemsOf(isNegated ? text.slice(1) : text);
    const ranges: (readonly [number, number])[] = [];
    const sets: Characters[] = [];
    for (const item of items) {
      if ("set" in item) sets.push(this.of(item.set, { i: false, m: false, s: false }));
      else if (item.from > item.to) throw new Unreadable("a range of characters runs backwards");
      else ranges.push([item.from, item.to]);
    }
    this.#cost(items.length);
    const joined = joinedRanges(ranges);
    const distinct = [...new Set(sets)];
    return new Remembering((point) => {
      this.#cost(1 + distinct.length);
      return (isIn(joined, point) || distinct.some((set) => set.has(point))) !== isNegated;
    });
  }

  /** One character at a time, so that there is nothing to go back for. */
  #native(token: string, flags: string): Characters {
    this.#cost(NATIVE_COST + NATIVE_COST_CHARACTER * token.length);
    const expression = compiled(token, flags);
    return new Remembering((point) => expression.test(String.fromCodePoint(point)));
  }
}

/** What it takes to have a property of Unicode looked up, in steps. */
const NATIVE_COST = 4_000;
const NATIVE_COST_CHARACTER = 400;

function compiled(token: string, flags: string): RegExp {
  try {
    return new RegExp(`^${token}$`, flags);
  } catch {
    throw new Unreadable(`${JSON.stringify(token)} stands for no characters`);
  }
}

type Item = { readonly set: string } | { readonly from: number; readonly to: number };

const ESCAPE = String.raw`\\(?:u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u.{4}|x..|c.|[pP]\{[^}]*\}|.)`;

/** What a class lists. */
function itemsOf(text: string): readonly Item[] {
  const tokens = text.match(new RegExp(`${ESCAPE}|.`, "gsu")) ?? [];
  const items: Item[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? "";
    const from = pointOf(token, true);
    const end = tokens[at + 1] === "-" ? tokens[at + 2] : undefined;
    const to = end === undefined ? from : pointOf(end, true);
    if (from === null) items.push({ set: token });
    else if (end === undefined) items.push({ from, to: from });
    else if (to === null) throw new Unreadable("a range of characters has no end");
    else {
      items.push({ from, to });
      at += 2;
    }
  }
  return items;
}

const CONTROLS: ReadonlyMap<string, number> = new Map([
  ["t", 9],
  ["n", 10],
  ["v", 11],
  ["f", 12],
  ["r", 13],
  ["0", 0],
]);

/** The one character that a token stands for; null where it stands for several. */
function pointOf(token: string, isInClass: boolean): number | null {
  if (!token.startsWith("\\")) return token.codePointAt(0) ?? null;
  const [kind = "", rest] = [token.charAt(1), token.slice(2)];
  if (/^[dDsSwWpP]$/.test(kind)) return null;
  if (kind === "b" && isInClass) return 8;
  if (kind === "c") return rest.charCodeAt(0) % 32;
  if (kind === "x") return Number.parseInt(rest, 16);
  if (kind === "u") return unicodePoint(rest);
  return CONTROLS.get(kind) ?? token.codePointAt(1) ?? null;
}

function unicodePoint(text: string): number {
  if (text.startsWith("{")) return Number.parseInt(text.slice(1), 16);
  const [high, low] = [Number.parseInt(text.slice(0, 4), 16), text.length > 4 ? Number.parseInt(text.slice(6), 16) : null];
  return low === null ? high : 0x10000 + (high - 0xd800) * 0x400 + (low - 0xdc00);
}

/** Sorted, and none that meets another. */
function joinedRanges(ranges: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
  const joined: [number, number][] = [];
  for (const [from, to] of [...ranges].sort(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

function isIn(ranges: readonly (readonly [number, number])[], point: number): boolean {
  let [low, high] = [0, ranges.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [from, to] = ranges[middle] ?? [0, 0];
    if (point < from) high = middle - 1;
    else if (point > to) low = middle + 1;
    else return true;
  }
  return false;
}
