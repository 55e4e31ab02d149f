import type { Dispatch, Performed } from "@woml/plugin-host";
import { type HostDouble, hostDouble } from "../plugin-double.ts";
import type { Tally } from "./tally.ts";
import type { Time } from "./time.ts";

/** A frame that is older says little of what time it is. */
const STALE_MS = 500;

export interface SiteParts {
  readonly time: Time;
  readonly tally: Tally;
  /** PostgreSQL's time. */
  readonly clock: () => number;
  /** The host's clock follows what it is told, and runs so far ahead of it. */
  readonly aheadMs: number;
  /** What its plugin does with a dispatch that it was given, and what its provider says. */
  readonly act: (dispatch: Dispatch, at: Site) => Promise<Performed>;
  readonly find: HostDouble["find"];
}

/** A process of the plugin host; where it is the only one, whichever process that is. */
export class Site {
  /** As its hello says it; null where there is but one. */
  readonly id: string | null;
  readonly host: HostDouble;
  /** What runs in it. */
  readonly running = new Set<Dispatch>();
  /** Engines, by their slot, that nothing travels to or from. */
  readonly cut = new Set<number>();
  isDown = false;
  isDraining = false;
  /** Called when a line to it may have changed. */
  readonly watchers = new Set<() => void>();
  readonly #parts: SiteParts;
  #offset = Number.NEGATIVE_INFINITY;
  #isInformed = false;

  constructor(id: string | null, parts: SiteParts) {
    this.id = id;
    this.#parts = parts;
    this.host = hostDouble(() => this.#offset + parts.time.now);
    this.host.act = (dispatch) => parts.act(dispatch, this);
    this.host.find = parts.find;
  }
  /** It has been told what time it is. */
  get isInformed(): boolean {
    return this.#isInformed;
  }
  /** What a frame says of PostgreSQL's time. */
  hear(now: number): void {
    const { clock, time, aheadMs } = this.#parts;
    this.#isInformed ||= now >= clock() - STALE_MS;
    this.#offset = Math.max(this.#offset, now - time.now + aheadMs);
  }
  /** Its process is gone: what ran in it is in doubt, what has left it goes on. */
  die(): void {
    for (const { effect } of this.running) this.#parts.tally.hit(`${effect}: host died`);
    this.#offset = Number.NEGATIVE_INFINITY;
    this.#isInformed = false;
    this.isDown = true;
    this.running.clear();
    this.host.restart();
    this.changed();
  }
  changed(): void {
    for (const look of this.watchers) look();
  }
}
