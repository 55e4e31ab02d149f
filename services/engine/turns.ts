import type { RunKey } from "@woml/run";
import type { Start } from "./arrival.ts";
import { STEAL_MS, TELL_MS } from "./bounds.ts";
import type { World } from "./engine.ts";

/** Starts that this engine admits now, and those that it leaves to whose turn they are. */
export interface Split {
  readonly mine: readonly Start[];
  readonly left: readonly Start[];
}

/**
 * Whose turn a start is when several engines read one inbox. Who admits a run is decided by the append, and only one can; this spares the others
 * an append and a load for each. By its run's id each start is one engine's turn, the same by all engines' reckoning for as long as they know
 * of the same engines; where they do not, or one does not take its own, another does a little later. Nothing rests on it but speed.
 */
export class Turns {
  readonly #world: World;
  readonly #engine: string;
  #peers: readonly string[] = [];
  readonly #told = new Map<string, number>();

  constructor(world: World, engine: string) {
    this.#world = world;
    this.#engine = engine;
  }

  /** Engines that are not fenced, in the same order by all. */
  know(peers: readonly string[]): void {
    this.#peers = peers.includes(this.#engine) ? peers : [];
    for (const peer of this.#told.keys()) if (!peers.includes(peer)) this.#told.delete(peer);
  }
  get engines(): number {
    return Math.max(1, this.#peers.length);
  }

  /** `now`: PostgreSQL's time. What others left lying is taken only by who has nothing of its own to do. */
  split(starts: readonly Start[], now: number): Split {
    const { mine = [], others = [] } = Object.groupBy(starts, (start) => (this.#turnOf(start) === this.#engine ? "mine" : "others"));
    if (mine.length > 0) return { mine, left: others };
    const { stale = [], fresh = [] } = Object.groupBy(others, ({ createdAt }) => (now - createdAt >= STEAL_MS ? "stale" : "fresh"));
    return { mine: stale, left: fresh };
  }

  /** Rings those whose turn it is: whoever asked for the runs has rung for anybody. */
  tell(left: readonly Start[]): void {
    const now = this.#world.monotonic();
    for (const peer of new Set(left.map((start) => this.#turnOf(start)))) {
      if (now - (this.#told.get(peer) ?? Number.NEGATIVE_INFINITY) < TELL_MS) continue;
      this.#told.set(peer, now);
      this.#world.doorbell.ring(peer);
    }
  }

  /** The last 32 bits of a run's id are chance. */
  #turnOf({ run }: RunKey): string {
    return this.#peers[Number.parseInt(run.slice(-8), 16) % this.#peers.length] ?? this.#engine;
  }
}
