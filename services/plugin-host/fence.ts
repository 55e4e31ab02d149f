/**
 * Who may have an effect now. Two engines may both believe that a run is theirs; the world must hear one of them.
 * 1. The highest epoch ever heard for a run stays; a lower one is refused. It is forgotten only after an hour without a word about the run,
 *    and no lease lives that long; where there is no room to remember, nothing new is accepted.
 * 2. Nothing is accepted past its `notAfter`, by a clock that is never ahead of PostgreSQL's and never goes back.
 * 3. The time of a call (`timeoutMs`) runs from the turn in which the fence lets it through to its plugin, by a clock that goes on while this
 *    process is stopped, and nothing of it leaves later (broker/broker.ts, 7). So nothing of a dispatch leaves after notAfter + timeoutMs.
 */
import { BOUNDS } from "./bounds.ts";
import type { Fence } from "./door.ts";

export type Refused = {
  readonly status: "refused";
  readonly reason: "late" | "fenced" | "overloaded" | "unavailable";
  readonly message: string;
};
type Asker = Fence & { readonly tenant: string };

export const refused = (reason: Refused["reason"], message: string): Refused => ({ status: "refused", reason, message });

interface Seen {
  readonly epoch: number;
  readonly at: number;
}

export class Fences {
  readonly #monotonic: () => number;
  readonly #most: number;
  readonly #seen = new Map<string, Seen>();
  #offsetMs = Number.NEGATIVE_INFINITY;

  constructor(monotonic: () => number = () => performance.now(), most: number = BOUNDS.runsFenced) {
    this.#monotonic = monotonic;
    this.#most = most;
  }

  /** PostgreSQL's time, or a little less: a frame's `now` was true before it was heard. */
  get now(): number {
    return this.#offsetMs + this.#monotonic();
  }

  /** Takes what a frame says of PostgreSQL's time. */
  hear(now: number): void {
    this.#offsetMs = Math.max(this.#offsetMs, now - this.#monotonic());
  }
  /** Takes what a frame says of time and epoch; then as `recheck`. */
  check(asker: Asker): Refused | undefined {
    return this.claim(asker) ?? this.recheck(asker);
  }
  /** Takes what a frame says; refuses a lower epoch only, or where nothing more can be remembered. */
  claim(asker: Asker): Refused | undefined {
    this.hear(asker.now);
    const key = keyOf(asker);
    const known = this.#seen.get(key);
    if (known === undefined && this.#seen.size >= this.#most && !this.#forgetOne()) return refused("overloaded", "Too many runs at once.");
    this.#seen.delete(key);
    this.#seen.set(key, { epoch: Math.max(asker.epoch, known?.epoch ?? 0), at: this.#monotonic() });
    return this.#older(asker);
  }
  /** Right before the plugin is given it: has it been overtaken, or has its time run out? */
  recheck(asker: Asker): Refused | undefined {
    const overtaken = this.#older(asker);
    if (overtaken !== undefined) return overtaken;
    const lateMs = Math.ceil(this.now - asker.notAfter);
    return lateMs > 0 ? refused("late", `It came ${lateMs} ms after its engine's lease.`) : undefined;
  }

  #older(asker: Asker): Refused | undefined {
    const highest = this.#seen.get(keyOf(asker))?.epoch ?? 0;
    return asker.epoch < highest ? refused("fenced", `Epoch ${asker.epoch}, and ${highest} was seen for this run.`) : undefined;
  }
  #forgetOne(): boolean {
    const [oldest] = this.#seen;
    if (oldest === undefined || this.#monotonic() - oldest[1].at < BOUNDS.fenceKeptMs) return false;
    return this.#seen.delete(oldest[0]);
  }
}

const keyOf = ({ tenant, run }: Asker): string => JSON.stringify([tenant, run]);
