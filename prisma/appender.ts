// INVARIANTS
// G1 While one statement is in flight appends collect; when it returns they go in the next one, by turns of the tenants, of each the oldest first. No
//    timer.
// G2 Two appends of one run never share a statement, and keep their order.
// G3 An error harms only the append that causes it: after a lock or a time-out the batch goes once more without whoever is locked, and
//    what is refused is halved until it stands alone.
// G4 null never says "not written": after a lost answer only a reload tells.

import { setImmediate as turn } from "node:timers/promises";
import { DatabaseError } from "pg";
import { type Entry, entry, keyOf, type Written } from "./append.ts";
import type { Append, Moved } from "./engine-store.ts";
import { AppendOutdated, AppendRefused, NoRoom } from "./error.ts";

/** Past about 400 runs PostgreSQL may prefer to scan `run` whole. An entry larger than a whole batch may be goes alone. */
const LIMITS = { runs: 256, events: 500, bytes: 1 << 20, turns: 16 } as const;

interface Waiting extends Entry {
  readonly key: string;
  readonly answer: (moved: Moved | null) => void;
  readonly refuse: (error: unknown) => void;
}
export type Write = (batch: readonly Entry[], careful: boolean) => Promise<ReadonlyMap<string, Written>>;

/** Group commit over one statement at a time. */
export class Appender {
  readonly #write: Write;
  #waiting: Waiting[] = [];
  #draining: Promise<void> | null = null;

  constructor(write: Write) {
    this.#write = write;
  }

  /** The run's new head and PostgreSQL's time; null = reload. Rejects with AppendRefused when it can never be stored, with AppendOutdated when it is to be judged again, with NoRoom when its lane is full. */
  async append(wanted: Append): Promise<Moved | null> {
    const made = entry(wanted);
    const { promise, resolve, reject } = Promise.withResolvers<Moved | null>();
    this.#waiting.push({ ...made, key: keyOf(wanted), answer: resolve, refuse: reject });
    this.#draining ??= this.#drain();
    return promise;
  }

  /** Resolves when nothing is in flight. */
  async idle(): Promise<void> {
    while (this.#draining !== null) await this.#draining;
  }

  async #drain(): Promise<void> {
    await turn();
    while (this.#waiting.length > 0) {
      const { batch, rest } = take(this.#waiting);
      this.#waiting = rest;
      await this.#attempt(batch);
    }
    this.#draining = null;
  }

  async #attempt(batch: readonly Waiting[], careful = false): Promise<void> {
    try {
      const moved = await this.#write(batch, careful);
      for (const waiting of batch) {
        const said = moved.get(waiting.key) ?? null;
        if (said === "outdated") waiting.refuse(new AppendOutdated());
        else if (said === "no_room") waiting.refuse(new NoRoom());
        else waiting.answer(said);
      }
    } catch (error) {
      await this.#recover(batch, faultOf(error), { error, careful });
    }
  }

  async #recover(batch: readonly Waiting[], fault: Fault, seen: { readonly error: unknown; readonly careful: boolean }): Promise<void> {
    if (fault === "lost") for (const waiting of batch) waiting.answer(null);
    else if (batch.length === 1) settle(batch[0], fault, seen.error);
    else if (fault === "busy" && !seen.careful) await this.#attempt(batch, true);
    else for (const part of halves(batch)) await this.#attempt(part, seen.careful);
  }
}

function settle(only: Waiting | undefined, fault: Fault, error: unknown): void {
  if (fault === "busy") only?.answer(null);
  else only?.refuse(new AppendRefused(error instanceof Error ? error.message : String(error), error));
}

function take(waiting: readonly Waiting[]): { readonly batch: Waiting[]; readonly rest: Waiting[] } {
  const [batch, rest]: [Waiting[], Waiting[]] = [[], []];
  const seen = new Set<string>();
  let [events, bytes] = [0, 0];
  for (const next of byTurns(waiting)) {
    const fits = batch.length < LIMITS.runs && events + next.append.events.length <= LIMITS.events && bytes + next.bytes <= LIMITS.bytes;
    if (seen.has(next.key) || !(fits || batch.length === 0)) rest.push(next);
    else {
      batch.push(next);
      events += next.append.events.length;
      bytes += next.bytes;
    }
    seen.add(next.key);
  }
  return { batch, rest };
}

/** Where not all of them may fit, one of each tenant after the other: nobody's many stand before another's few. */
function byTurns(waiting: readonly Waiting[]): readonly Waiting[] {
  if (waiting.length <= LIMITS.turns) return waiting;
  const tenants = [...Map.groupBy(waiting, ({ append }) => append.tenant).values()];
  if (tenants.length === 1) return waiting;
  const longest = Math.max(...tenants.map((of) => of.length));
  return Array.from({ length: longest }, (_, turn) => tenants.flatMap((of) => of[turn] ?? [])).flat();
}

function halves<T>(batch: readonly T[]): readonly (readonly T[])[] {
  const middle = batch.length >> 1;
  return [batch.slice(0, middle), batch.slice(middle)];
}

type Fault = "lost" | "busy" | "refused";

/** SQLSTATE classes that judge what was sent: data, integrity, and the limits of a statement. Only these condemn an append. */
const REFUSING = new Set(["22", "23", "54"]);

/** A server that is read-only, wrongly set up, out of disk or memory, or broken: it is so for every run alike, and halving would ask it n times. */
const EVERYBODYS = new Set(["25", "42", "53", "58"]);

/**
 * `lost`: no answer of PostgreSQL's, or its last one before the session ended, so that nobody knows what was written; or a fault of the
 * whole server: reload. `busy`: what may pass at once without whoever is locked: locks, deadlocks, time-outs.
 */
function faultOf(error: unknown): Fault {
  const state = error instanceof DatabaseError ? (error.code ?? "") : "";
  if (state === "" || state.startsWith("08") || state.startsWith("57P") || EVERYBODYS.has(state.slice(0, 2))) return "lost";
  return REFUSING.has(state.slice(0, 2)) ? "refused" : "busy";
}
