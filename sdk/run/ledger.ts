/**
 * A persistent map by text: `with` answers a new map and leaves the old one as it was, at a cost that hardly grows with size
 * (one bucket is copied). A run with thousands of steps folds in time linear in its events.
 */
export interface Ledger<V> {
  readonly size: number;
  get(key: string): V | undefined;
  has(key: string): boolean;
  with(key: string, value: V): Ledger<V>;
  without(keys: readonly string[]): Ledger<V>;
  entries(): Iterable<readonly [string, V]>;
}

/** Few enough to copy the list of them at every change, enough that 5,000 nodes share one by twenty. */
const BUCKETS = 256;

class Buckets<V> implements Ledger<V> {
  readonly size: number;
  readonly #buckets: readonly (ReadonlyMap<string, V> | undefined)[];

  constructor(size: number, buckets: readonly (ReadonlyMap<string, V> | undefined)[]) {
    this.size = size;
    this.#buckets = buckets;
  }
  get(key: string): V | undefined {
    return this.#buckets[place(key)]?.get(key);
  }
  has(key: string): boolean {
    return this.#buckets[place(key)]?.has(key) === true;
  }
  with(key: string, value: V): Ledger<V> {
    const at = place(key);
    const bucket = new Map(this.#buckets[at]).set(key, value);
    return new Buckets(this.size + (this.has(key) ? 0 : 1), this.#buckets.with(at, bucket));
  }
  without(keys: readonly string[]): Ledger<V> {
    const buckets = [...this.#buckets];
    let size = this.size;
    for (const [at, gone] of Map.groupBy(keys, place)) {
      const bucket = new Map(buckets[at]);
      for (const key of gone) if (bucket.delete(key)) size -= 1;
      buckets[at] = bucket;
    }
    return size === this.size ? this : new Buckets(size, buckets);
  }
  *entries(): Iterable<readonly [string, V]> {
    for (const bucket of this.#buckets) if (bucket) yield* bucket;
  }
}

function place(key: string): number {
  let sum = 0;
  for (let i = 0; i < key.length; i++) sum = (sum * 31 + key.charCodeAt(i)) | 0;
  return (sum >>> 0) % BUCKETS;
}

export function ledger<V>(): Ledger<V> {
  return new Buckets<V>(
    0,
    Array.from({ length: BUCKETS }, () => undefined),
  );
}
