import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from "node:fs";

/** One effect that took place: money that moved, or was held. Refusals are not effects and leave no line. */
export interface Entry {
  readonly at: number;
  readonly kind: "charge" | "hold" | "refund";
  readonly id: string;
  /** The Idempotency-Key it came with. */
  readonly key: string | null;
  readonly amount: number;
  readonly currency: string;
  /** The customer; of a refund, the charge. */
  readonly subject: string;
}
const PREFIX = { charge: "ch", hold: "ho", refund: "re" };

/** Append-only, a JSON line an effect, on the disk before it is answered: what the server knows after any kill. */
export class Ledger {
  readonly entries: Entry[];
  private readonly file: number;

  constructor(path: string) {
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    const end = text.lastIndexOf("\n") + 1;
    // What a kill cut short was never answered, and is no effect.
    if (end < text.length) truncateSync(path, Buffer.byteLength(text.slice(0, end)));
    const lines = text.slice(0, end).split("\n").slice(0, -1);
    this.entries = lines.map((line) => JSON.parse(line));
    this.file = openSync(path, "a");
  }

  append(entry: Omit<Entry, "at" | "id">): Entry {
    const id = `${PREFIX[entry.kind]}_${String(this.entries.length + 1).padStart(6, "0")}`;
    const whole = { at: Date.now(), id, ...entry };
    writeSync(this.file, `${JSON.stringify(whole)}\n`);
    fsyncSync(this.file);
    this.entries.push(whole);
    return whole;
  }

  close(): void {
    closeSync(this.file);
  }
}
