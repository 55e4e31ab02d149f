interface Planned {
  readonly at: number;
  readonly order: number;
  readonly happen: () => void;
  isOff: boolean;
}

/** A clock that stands still while anything happens, and jumps to what is planned next. Equal times happen in the order of planning. */
export class Time {
  #now = 0;
  #order = 0;
  readonly #heap: Planned[] = [];

  get now(): number {
    return this.#now;
  }
  /** Answers a function that takes the plan back. */
  after(delayMs: number, happen: () => void): () => void {
    const planned: Planned = { at: this.#now + Math.max(0, delayMs), order: this.#order++, happen, isOff: false };
    this.#rise(planned);
    return () => {
      planned.isOff = true;
    };
  }
  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.after(delayMs, resolve));
  }
  /** Until `isDone`, asked after each thing that happened and all that followed from it, or until the clock has passed `limit`. */
  async run(isDone: () => boolean, limit: number): Promise<void> {
    await settled();
    while (!isDone()) {
      const next = this.#fall();
      if (next === undefined || next.at > limit) return;
      if (next.isOff) continue;
      this.#now = next.at;
      next.happen();
      await settled();
    }
  }

  #rise(planned: Planned): void {
    const heap = this.#heap;
    let at = heap.push(planned) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !isBefore(planned, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = planned;
  }

  #fall(): Planned | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      const left = heap[2 * at + 1];
      const right = heap[2 * at + 2];
      const [child, place] = right && left && isBefore(right, left) ? [right, 2 * at + 2] : [left, 2 * at + 1];
      if (child === undefined || !isBefore(child, last)) break;
      heap[at] = child;
      at = place;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: Planned, b: Planned): boolean {
  return a.at === b.at ? a.order < b.order : a.at < b.at;
}

/** Every promise that can go on has gone on. */
function settled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
