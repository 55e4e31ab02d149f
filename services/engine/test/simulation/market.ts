import type { Dispatch, Found, Performed } from "@woml/plugin-host";
import type { Chance } from "./chance.ts";
import { type Landed, Provider, purposeOf, traitsOf } from "./provider.ts";
import { Site } from "./site.ts";
import type { Tally } from "./tally.ts";
import type { Time } from "./time.ts";

/** What becomes of a dispatch that a plugin was given. */
const FATES = [
  "answered",
  ...Array<"answered">(10).fill("answered"),
  "declined",
  "declined",
  "nothing left",
  "nothing left",
  "lost before",
  "lost after",
  "lost after",
  "late",
  "late",
  "slow",
  "doubled",
] as const;
type Fate = (typeof FATES)[number];
/** How long a host that drains waits for what runs in it. */
const DRAIN_MS = 8_000;

export interface MarketParts {
  readonly time: Time;
  readonly chance: Chance;
  readonly tally: Tally;
  readonly isCalm: () => boolean;
  /** PostgreSQL's time. */
  readonly clock: () => number;
  /** Called for each dispatch as a host gives it to the plugin. */
  readonly taken: (dispatch: Dispatch, at: { readonly now: number; readonly isInformed: boolean; readonly host: string | null }) => void;
  /** How many hosts there are side by side, each known by its id; 1: one, known by none. */
  readonly hosts: number;
}

/** The plugin hosts that all engines share, their plugin, and the provider behind it. */
export class Market {
  readonly provider: Provider;
  /** One a place; in a place one follows another. */
  readonly sites: Site[];
  /** Counts the processes of the only host: what travels to one never reaches the next. */
  incarnation = 0;
  /** Called when another host is there. */
  readonly opened = new Set<(site: Site) => void>();
  readonly #parts: MarketParts;
  readonly #blind = new Map<string, boolean>();
  readonly #aheadMs: number;

  constructor(parts: MarketParts) {
    this.#parts = parts;
    this.#aheadMs = parts.chance.pick([0, 0, 0, 2_000]);
    this.provider = new Provider(() => parts.time.now);
    this.sites = Array.from({ length: parts.hosts }, () => this.#site());
  }
  get isSpread(): boolean {
    return this.#parts.hosts > 1;
  }
  get isBusy(): boolean {
    return this.sites.some(({ running }) => running.size > 0);
  }
  /** One in which something runs, if there is one. */
  get busiest(): Site {
    const [first, ...rest] = this.sites.filter(({ running }) => running.size > 0);
    return this.#parts.chance.pick(first === undefined ? (this.sites as [Site, ...Site[]]) : [first, ...rest]);
  }
  /** A host's process is killed, and another is there after a while. */
  restart(): void {
    const { tally } = this.#parts;
    const site = this.busiest;
    if (site.isDown) return;
    if (this.isSpread && site.running.size > 0) tally.hit("host crashed with a dispatch");
    this.#replace(site);
  }
  /** One of several ends in order: it takes nothing new, and what runs comes to its end. */
  drain(): void {
    const { time, tally } = this.#parts;
    const site = this.busiest;
    if (!this.isSpread || site.isDown || site.isDraining) return;
    tally.hit("host drained");
    site.isDraining = true;
    const until = time.now + DRAIN_MS;
    const look = (): void => {
      if (site.isDown) return;
      if (site.running.size > 0 && time.now < until) time.after(100, look);
      else this.#replace(site);
    };
    // What it came to is told before it goes.
    time.after(200, look);
  }
  /** For a while nothing travels between one of several and some engines; it goes on. */
  partition(slots: readonly number[], ms: number): void {
    const { time, tally } = this.#parts;
    const site = this.busiest;
    if (!this.isSpread || site.isDown) return;
    for (const { effect } of site.running) tally.hit(`${effect}: partitioned while performing`);
    for (const slot of slots) site.cut.add(slot);
    site.changed();
    time.after(ms, () => {
      for (const slot of slots) site.cut.delete(slot);
      site.changed();
    });
  }
  /** For a while nothing is taken. */
  crowd(ms: number): void {
    const crowded = [...this.sites];
    for (const { host } of crowded) host.refuses = "overloaded";
    this.#parts.time.after(ms, () => {
      for (const { host } of crowded) host.refuses = null;
    });
  }

  #site(): Site {
    const { time, tally, clock, chance, hosts } = this.#parts;
    const id = hosts > 1 ? `host-${chance.hex(12)}` : null;
    return new Site(id, {
      ...{ time, tally, clock, aheadMs: this.#aheadMs },
      act: (dispatch, at) => this.#act(dispatch, at),
      find: (dispatch) => this.#find(dispatch),
    });
  }
  #replace(site: Site): void {
    const { time, chance } = this.#parts;
    this.incarnation += 1;
    site.die();
    time.after(chance.between(0, 2_000), () => {
      if (!this.isSpread) site.isDown = false;
      else {
        const next = this.#site();
        this.sites[this.sites.indexOf(site)] = next;
        for (const meet of this.opened) meet(next);
      }
    });
  }

  async #act(dispatch: Dispatch, { id, running, isInformed }: Site): Promise<Performed> {
    const { taken, clock, tally, time, chance, isCalm } = this.#parts;
    taken(dispatch, { now: clock(), isInformed, host: id });
    if (!isInformed) tally.hit("taken by a host that knows no time");
    const drawn: Fate = isCalm() ? chance.pick(["answered", "answered", "answered", "declined"]) : chance.pick(FATES);
    // Only what a provider knows by its key may come twice: nobody else's network sends a request again.
    const fate = drawn === "doubled" && traitsOf(dispatch).keyMs === 0 ? "answered" : drawn;
    tally.hit(`${dispatch.effect}: ${fate}`);
    running.add(dispatch);
    const over = time.sleep(dispatch.timeoutMs).then(() => lost(dispatch, "TIMEOUT"));
    const performed = await Promise.race([this.#play(dispatch, fate), over]);
    running.delete(dispatch);
    return performed;
  }

  async #play(dispatch: Dispatch, fate: Fate): Promise<Performed> {
    const { time, chance } = this.#parts;
    const { lateMs } = traitsOf(dispatch);
    if (fate === "nothing left") {
      await time.sleep(chance.between(1, 50));
      return { status: "failed", code: "BUSY", message: "refused the connection", retryable: true, evidence: "nothing left" };
    }
    if (fate === "doubled") void this.#send(dispatch, chance.between(1, lateMs), false);
    if (fate === "late") void this.#send(dispatch, chance.between(500, lateMs), chance.hit(0.1));
    if (fate === "late" || fate === "lost before") {
      await time.sleep(chance.between(1, 400));
      return lost(dispatch, "LOST");
    }
    const landed = await this.#send(dispatch, chance.between(1, 100), fate === "declined");
    await time.sleep(fate === "slow" ? chance.between(500, 9_000) : chance.between(1, 150));
    return fate === "lost after" ? lost(dispatch, "LOST") : answered(landed);
  }

  async #send(dispatch: Dispatch, afterMs: number, declines: boolean): Promise<Landed> {
    const { time, chance, tally } = this.#parts;
    const over = this.provider.expect(dispatch, chance.hit(0.5));
    await time.sleep(afterMs);
    over();
    if (this.provider.hasForgotten(dispatch)) tally.hit("key forgotten");
    return this.provider.land(dispatch, declines);
  }

  async #find(dispatch: Dispatch): Promise<Found> {
    const { chance, tally, time, isCalm } = this.#parts;
    const purpose = purposeOf(dispatch);
    const isBlind = this.#blind.get(purpose) ?? chance.hit(0.08);
    this.#blind.set(purpose, isBlind);
    await time.sleep(chance.between(1, 100));
    const found: Found = isBlind || (!isCalm() && chance.hit(0.1)) ? BLIND : this.provider.find(dispatch);
    tally.hit(`asked: ${found.status}`);
    await time.sleep(chance.between(1, 100));
    return found;
  }
}

const BLIND: Found = { status: "unknown", message: "cannot tell" };

function answered(landed: Landed): Performed {
  if ("done" in landed) return { status: "succeeded", result: JSON.stringify(landed.done), evidence: "answered" };
  return { status: "failed", code: landed.refused, message: "declined", retryable: false, evidence: "answered" };
}

/** What is pure has failed where nothing is known. */
function lost({ effect }: Dispatch, code: string): Performed {
  if (effect === "pure") return { status: "failed", code, message: "no answer", retryable: true, evidence: "" };
  return { status: "ambiguous", code, message: "no answer" };
}
