import type { Log } from "@woml/boot";

const MINUTE_MS = 60_000;

/** Secrets that a door lacks, said once a minute for the same ones: whoever comes may ask as often as he likes. */
export class Lacks {
  readonly #log: Log;
  readonly #told = new Set<string>();
  #minute = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  tell(secrets: string): void {
    const minute = Math.floor(Date.now() / MINUTE_MS);
    if (minute !== this.#minute) this.#told.clear();
    this.#minute = minute;
    if (this.#told.has(secrets)) return;
    this.#told.add(secrets);
    this.#log.warn({ secrets }, "a door lacks secrets: they are not set, or were set just now");
  }
}
