import type { Entry, Ledger } from "./ledger.ts";

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}
/** A request that moves money, as it came. */
export interface Order {
  readonly kind: Entry["kind"];
  readonly key: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly subject: string;
}
/** The most that a card pays: what is above is declined. */
const CARD_LIMIT = 100_000;

/** What the provider decides: what is done, what was done already, what is refused. */
export class Books {
  private readonly ledger: Ledger;
  private readonly keyWindowMs: number;
  private forgottenAt = 0;
  /** By key; refusals are kept while the server runs. */
  private readonly declined = new Set<string>();

  constructor(ledger: Ledger, keyWindowMs: number) {
    this.ledger = ledger;
    this.keyWindowMs = keyWindowMs;
  }

  /** Keys used until now de-duplicate no more, as when their window is over. */
  forgetKeys(): void {
    this.forgottenAt = Date.now();
  }

  perform(order: Order): Answer {
    const { kind, key, amount, currency, subject } = order;
    const before = key === null ? undefined : this.remembered(key);
    if (before) {
      const same = before.kind === kind && before.amount === amount && before.currency === currency && before.subject === subject;
      return same ? { status: 200, body: shown(before) } : refusal(422, "idempotency_key_reused");
    }
    if (kind === "refund" && !this.ledger.entries.some(({ id }) => id === subject)) return refusal(404, "no_such_charge");
    if (kind !== "refund" && amount > CARD_LIMIT) {
      if (key !== null) this.declined.add(key);
      return refusal(402, "card_declined");
    }
    return { status: 201, body: shown(this.ledger.append(order)) };
  }

  /** What became of the charge with this key; for ever, unlike the window in which the key de-duplicates. */
  status(key: string): Answer {
    const entry = this.ledger.entries.findLast((one) => one.key === key);
    if (entry) return { status: 200, body: { status: "succeeded", charge: shown(entry) } };
    if (this.declined.has(key)) return { status: 200, body: { status: "failed", error: "card_declined" } };
    return refusal(404, "not_found");
  }

  private remembered(key: string): Entry | undefined {
    const since = Math.max(Date.now() - this.keyWindowMs, this.forgottenAt + 1);
    return this.ledger.entries.findLast((entry) => entry.key === key && entry.at >= since);
  }
}

export const refusal = (status: number, error: string): Answer => ({ status, body: { error } });

const shown = ({ id, amount, currency, subject, kind }: Entry): object => ({
  id,
  status: "succeeded",
  amount,
  currency,
  [kind === "refund" ? "charge" : "customer"]: subject,
});
