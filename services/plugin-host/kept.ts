/** Values under keys for a while: the oldest go first when they become too many, too large, or too old. */
export class Kept<T> {
  readonly #bounds: { readonly ms: number; readonly count: number; readonly bytes: number };
  readonly #entries = new Map<string, { readonly value: T; readonly bytes: number; readonly at: number }>();
  #bytes = 0;

  constructor(bounds: { readonly ms: number; readonly count: number; readonly bytes: number }) {
    this.#bounds = bounds;
  }

  get size(): number {
    this.#trim();
    return this.#entries.size;
  }
  get(key: string): T | undefined {
    this.#trim();
    return this.#entries.get(key)?.value;
  }
  set(key: string, value: T, bytes: number): void {
    this.#drop(key);
    this.#entries.set(key, { value, bytes, at: performance.now() });
    this.#bytes += bytes;
    this.#trim();
  }

  delete(key: string): void {
    this.#drop(key);
  }

  #trim(): void {
    const { ms, count, bytes } = this.#bounds;
    const oldestAt = performance.now() - ms;
    for (const [key, { at }] of this.#entries) {
      if (at > oldestAt && this.#entries.size <= count && this.#bytes <= bytes) return;
      this.#drop(key);
    }
  }
  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}
