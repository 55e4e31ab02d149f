const LONGEST_MS = 60_000;
const FORGOTTEN_MS = 10 * 60_000;
const MOST = 10_000;

/** After each crash in a row a longer pause, so that what cannot run does not keep the machine busy starting it. */
export class Pauses {
  readonly #firstMs: number;
  readonly #now: () => number;
  readonly #crashes = new Map<string, { readonly count: number; readonly until: number }>();

  constructor(firstMs: number, now: () => number = () => performance.now()) {
    this.#firstMs = firstMs;
    this.#now = now;
  }

  crashed(key: string): void {
    const count = (this.#crashes.get(key)?.count ?? 0) + 1;
    const until = this.#now() + Math.min(LONGEST_MS, this.#firstMs * 2 ** (count - 1));
    this.#crashes.delete(key);
    this.#crashes.set(key, { count, until });
    this.#forget();
  }
  sound(key: string): void {
    this.#crashes.delete(key);
  }
  /** How long nothing is to be started. */
  leftMs(key: string): number {
    return Math.max(0, (this.#crashes.get(key)?.until ?? 0) - this.#now());
  }

  #forget(): void {
    for (const [key, { until }] of this.#crashes) {
      if (this.#crashes.size <= MOST && until > this.#now() - FORGOTTEN_MS) return;
      this.#crashes.delete(key);
    }
  }
}
