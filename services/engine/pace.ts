import { PACE } from "./bounds.ts";
import type { World } from "./engine.ts";

/**
 * How runs share the one thread of this process. What there is to do for many of them at once is done in slices, and between two slices is heard what
 * has come meanwhile; who waits for a slice waits in the line of its tenant, and tenants take turns. Without it a tenant with a thousand runs in
 * motion keeps everybody else's from being heard until all of them have moved. Nothing rests on it but fairness: what has a turn may do all it has to.
 */
export class Pace {
  readonly #world: Pick<World, "monotonic" | "alarm">;
  readonly #lines = new Map<string, (() => void)[]>();
  /** A slice is under way, or is to come. */
  #isSliced = false;
  #until = Number.NEGATIVE_INFINITY;
  /** When the last of those that had a turn was done; null: they are not, or are one right after the other. */
  #doneAt: number | null = Number.NEGATIVE_INFINITY;

  constructor(world: Pick<World, "monotonic" | "alarm">) {
    this.#world = world;
  }

  /** null: it may go on at once, and does. Else it waits. */
  turn(tenant: string): Promise<void> | null {
    if (this.#lines.size === 0 && this.#isFree()) {
      if (this.#doneAt !== null) queueMicrotask(() => this.#done());
      this.#doneAt = null;
      return null;
    }
    if (!this.#isSliced) this.#rest();
    const line = this.#lines.get(tenant) ?? [];
    this.#lines.set(tenant, line);
    return new Promise((resolve) => void line.push(resolve));
  }

  /** After a while in which nobody had anything to do a slice begins anew. */
  #isFree(): boolean {
    const now = this.#world.monotonic();
    if (this.#doneAt !== null && now - this.#doneAt >= PACE.idleMs) this.#until = now + PACE.sliceMs;
    return now < this.#until;
  }
  #done(): number {
    this.#doneAt = this.#world.monotonic();
    return this.#doneAt;
  }
  #rest(): void {
    this.#isSliced = true;
    this.#world.alarm(0, () => void this.#slice());
  }

  async #slice(): Promise<void> {
    this.#until = this.#world.monotonic() + PACE.sliceMs;
    for (const next of this.#turns()) {
      next();
      // By then it has done what it had to.
      await null;
      if (this.#done() >= this.#until && this.#lines.size > 0) return this.#rest();
    }
    this.#isSliced = false;
  }

  /** One of each tenant after the other, until nobody waits. */
  *#turns(): Generator<() => void> {
    for (;;) {
      const [first] = this.#lines;
      if (first === undefined) return;
      const [tenant, line] = first;
      const next = line.shift();
      this.#lines.delete(tenant);
      if (line.length > 0) this.#lines.set(tenant, line);
      if (next !== undefined) yield next;
    }
  }
}
