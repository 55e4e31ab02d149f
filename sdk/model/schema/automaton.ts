import { isLineEnd, Unreadable } from "./characters.ts";
import { type Expression, expressionOf, type Place } from "./expression.ts";
import type { Work } from "./work.ts";

/** The language refuses a pattern of more than 20,000 states; written out, each is three of these at most. */
const MOST_ORDERS = 60_000;

/** What an automaton does where it stands; a fork goes on at both places. */
type Order =
  | { readonly kind: "characters"; readonly of: { has(point: number): boolean } }
  | { readonly kind: "place"; readonly place: Place }
  | { readonly kind: "fork"; to: number; or: number }
  | { readonly kind: "found" };

/**
 * A pattern, ready to be looked for. It is matched by standing at all its places at once, and so in time linear in the text, whatever it
 * is: there is nothing to go back for.
 */
export class Automaton {
  readonly #orders: Order[] = [];
  readonly #work: Work;

  /** Throws `Unreadable` for what cannot be matched so. */
  constructor(pattern: string, work: Work) {
    this.#work = work;
    work.spend(pattern.length);
    this.#write(expressionOf(pattern, (steps) => work.spend(steps)));
    this.#add({ kind: "found" });
  }

  /** Whether the pattern is anywhere in the text. */
  test(text: string): boolean {
    let standing = new Places(this.#orders.length);
    let next = new Places(this.#orders.length);
    let before: number | null = null;
    for (let at = 0; ; ) {
      const point = text.codePointAt(at) ?? null;
      standing.add(0);
      if (this.#follow(standing, before, point)) return true;
      if (point === null) return false;
      this.#step(standing, next, point);
      [standing, next] = [next, standing];
      next.clear();
      before = point;
      at += point > 0xffff ? 2 : 1;
    }
  }

  /** Goes on to all that is reached without a character; true when that is the end. */
  #follow(standing: Places, before: number | null, after: number | null): boolean {
    for (let nth = 0; nth < standing.size; nth++) {
      const at = standing.at(nth);
      const order = this.#orders[at];
      if (order?.kind === "found") return true;
      if (order?.kind === "fork") {
        standing.add(order.to);
        standing.add(order.or);
      } else if (order?.kind === "place" && holds(order.place, before, after)) standing.add(at + 1);
    }
    // Two places take as long as one keyword.
    this.#work.spend(standing.size / 2);
    return false;
  }

  #step(standing: Places, next: Places, point: number): void {
    for (let nth = 0; nth < standing.size; nth++) {
      const at = standing.at(nth);
      const order = this.#orders[at];
      if (order?.kind === "characters" && order.of.has(point)) next.add(at + 1);
    }
  }

  #add(order: Order): number {
    this.#work.spend(1);
    if (this.#orders.push(order) > MOST_ORDERS) throw new Unreadable("it has too many states when its counts are written out");
    return this.#orders.length - 1;
  }

  #write(expression: Expression): void {
    switch (expression.kind) {
      case "characters":
        this.#add({ kind: "characters", of: expression.of });
        break;
      case "place":
        this.#add({ kind: "place", place: expression.place });
        break;
      case "sequence":
        for (const part of expression.parts) this.#write(part);
        break;
      case "choice":
        this.#writeChoice(expression.parts);
        break;
      case "repeat":
        this.#writeRepeat(expression.part, expression.least, expression.most);
        break;
    }
  }

  #writeChoice(parts: readonly Expression[]): void {
    const ends: Extract<Order, { kind: "fork" }>[] = [];
    for (const [nth, part] of parts.entries()) {
      const isLast = nth === parts.length - 1;
      const fork = this.#fork();
      this.#write(part);
      if (!isLast) ends.push(this.#fork());
      fork.or = isLast ? fork.to : this.#orders.length;
    }
    for (const end of ends) {
      end.to = this.#orders.length;
      end.or = this.#orders.length;
    }
  }

  /** A fork to the next place, whose other way is still to be said. */
  #fork(): Extract<Order, { kind: "fork" }> {
    const fork = { kind: "fork" as const, to: this.#orders.length + 1, or: this.#orders.length + 1 };
    this.#add(fork);
    return fork;
  }

  #writeRepeat(part: Expression, least: number, most: number | null): void {
    for (let nth = 0; nth < least; nth++) this.#copy(part);
    if (most === null) {
      const start = this.#orders.length;
      const fork = this.#fork();
      this.#write(part);
      this.#add({ kind: "fork", to: start, or: start });
      fork.or = this.#orders.length;
      return;
    }
    const forks = [];
    for (let nth = least; nth < most; nth++) {
      forks.push(this.#fork());
      this.#copy(part);
    }
    for (const fork of forks) fork.or = this.#orders.length;
  }

  /** Also what writes nothing has a price: it may be asked for a thousand million times. */
  #copy(part: Expression): void {
    this.#work.spend(1);
    this.#write(part);
  }
}

/** A set of places in the order in which they were added. */
class Places {
  readonly #places: Uint32Array;
  readonly #turns: Uint32Array;
  #turn = 1;
  size = 0;

  constructor(most: number) {
    this.#places = new Uint32Array(most);
    this.#turns = new Uint32Array(most);
  }

  at(nth: number): number {
    return this.#places[nth] ?? 0;
  }

  add(place: number): void {
    if (this.#turns[place] === this.#turn) return;
    this.#turns[place] = this.#turn;
    this.#places[this.size] = place;
    this.size += 1;
  }

  clear(): void {
    this.#turn += 1;
    this.size = 0;
  }
}

function holds({ at, lines, word }: Place, before: number | null, after: number | null): boolean {
  const isWord = (point: number | null): boolean => point !== null && word.has(point);
  const isEnd = (point: number | null): boolean => point === null || (lines && isLineEnd(point));
  if (at === "start") return isEnd(before);
  if (at === "end") return isEnd(after);
  return (isWord(before) !== isWord(after)) === (at === "edge");
}
