/**
 * Asks once for all who want to know the same at the same time. Nobody is told what was so before he came: whoever comes while it is being asked waits for
 * the next answer, with all others who do.
 */
export class Together<T> {
  readonly #asked = new Map<string, Asked<T>>();

  ask(key: string, question: () => Promise<T>): Promise<T> {
    const asked = this.#asked.get(key);
    if (asked === undefined) return this.#begin(key, question);
    asked.next ??= asked.now.then(noMatter, noMatter).then(() => this.#begin(key, question));
    return asked.next;
  }

  #begin(key: string, question: () => Promise<T>): Promise<T> {
    const asked: Asked<T> = { now: question(), next: null };
    this.#asked.set(key, asked);
    const over = (): void => {
      if (asked.next === null) this.#asked.delete(key);
    };
    asked.now.then(over, over);
    return asked.now;
  }
}

interface Asked<T> {
  readonly now: Promise<T>;
  next: Promise<T> | null;
}
const noMatter = (): void => {};
