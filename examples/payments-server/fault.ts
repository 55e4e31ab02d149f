/**
 * What can go wrong between a caller and a provider. The last three happen to `status`, the others to `charge`, `hold`, `refund` or
 * `quote`.
 * - `lose-request`: the connection breaks, nothing is done. `lose-answer`: it is done, and the connection breaks.
 * - `late`: the connection breaks, and it is done `ms` later. `slow`: it is done and answered after `ms`. `delay`: it is done, and answered
 *   `ms` later.
 * - `double`: the request arrives twice. `answer`: not done, answered with `status`. `break`: done, answered with `status`, or with no JSON
 *   where that is 200.
 * - `pending`: not known yet. `cannot-tell`: the status itself is answered 500. `not-found`: denied, whatever is true.
 */
export interface Fault {
  readonly kind: Kind;
  readonly on: Target;
  /** To how many requests it happens; default 1. */
  readonly times?: number;
  readonly ms?: number;
  readonly status?: number;
}
const TARGETS = ["charge", "hold", "refund", "quote", "status"] as const;
const KINDS = [
  "lose-request",
  "lose-answer",
  "late",
  "slow",
  "delay",
  "double",
  "answer",
  "break",
  "pending",
  "cannot-tell",
  "not-found",
] as const;
export type Target = (typeof TARGETS)[number];
type Kind = (typeof KINDS)[number];

/** The faults to come, each used up by the requests it happens to. */
export class Faults {
  private waiting: { readonly fault: Fault; left: number }[] = [];

  add(fault: Fault): void {
    this.waiting.push({ fault, left: fault.times ?? 1 });
  }

  clear(): void {
    this.waiting = [];
  }

  take(on: Target): Fault | null {
    const next = this.waiting.find(({ fault, left }) => fault.on === on && left > 0);
    if (!next) return null;
    next.left -= 1;
    return next.fault;
  }
}

export function readFault(value: unknown): Fault | null {
  if (typeof value !== "object" || value === null) return null;
  const { kind, on, times = 1, ms = 0, status = 500 } = value as Readonly<Record<string, unknown>>;
  const known = KINDS.find((one) => one === kind);
  const target = TARGETS.find((one) => one === on);
  if (!known || !target || typeof times !== "number" || typeof ms !== "number" || typeof status !== "number") return null;
  return { kind: known, on: target, times, ms, status };
}
