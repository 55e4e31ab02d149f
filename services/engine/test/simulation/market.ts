import type { Dispatch, Found, Performed } from "@woml/plugin-host";
import { type HostDouble, hostDouble } from "../plugin-double.ts";
import type { Chance } from "./chance.ts";
import { type Landed, Provider, purposeOf, traitsOf } from "./provider.ts";
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
/** A frame that is older says little of what time it is. */
const STALE_MS = 500;
type Fate = (typeof FATES)[number];
export interface MarketParts {
  readonly time: Time;
  readonly chance: Chance;
  readonly tally: Tally;
  readonly isCalm: () => boolean;
  /** PostgreSQL's time. */
  readonly clock: () => number;
  /** Called for each dispatch as the host gives it to the plugin. */
  readonly taken: (dispatch: Dispatch, at: { readonly now: number; readonly isInformed: boolean }) => void;
}

/** The plugin host that all engines share, its plugin, and the provider behind it. */
export class Market {
  readonly provider: Provider;
  readonly host: HostDouble;
  /** Counts the host's processes: what travels to one never reaches the next. */
  incarnation = 0;
  isDown = false;
  readonly #parts: MarketParts;
  readonly #running = new Set<Dispatch>();
  readonly #blind = new Map<string, boolean>();
  /** The host's clock follows what it is told; this one runs ahead of it. */
  readonly #aheadMs: number;
  #offset = Number.NEGATIVE_INFINITY;
  #isInformed = false;

  constructor(parts: MarketParts) {
    this.#parts = parts;
    this.#aheadMs = parts.chance.pick([0, 0, 0, 2_000]);
    this.provider = new Provider(() => parts.time.now);
    this.host = hostDouble(() => this.#offset + parts.time.now);
    this.host.act = (dispatch) => this.#act(dispatch);
    this.host.find = (dispatch) => this.#find(dispatch);
  }
  get isBusy(): boolean {
    return this.#running.size > 0;
  }
  /** What a frame says of PostgreSQL's time. */
  hear(now: number): void {
    this.#isInformed ||= now >= this.#parts.clock() - STALE_MS;
    this.#offset = Math.max(this.#offset, now - this.#parts.time.now + this.#aheadMs);
  }
  /** The host's process is killed, and another is there after a while. */
  restart(): void {
    const { tally, time, chance } = this.#parts;
    for (const { effect } of this.#running) tally.hit(`${effect}: host died`);
    this.incarnation += 1;
    this.#offset = Number.NEGATIVE_INFINITY;
    this.#isInformed = false;
    this.isDown = true;
    this.host.restart();
    time.after(chance.between(0, 2_000), () => {
      this.isDown = false;
    });
  }
  /** For a while it takes nothing. */
  crowd(ms: number): void {
    this.host.refuses = "overloaded";
    this.#parts.time.after(ms, () => {
      this.host.refuses = null;
    });
  }

  async #act(dispatch: Dispatch): Promise<Performed> {
    const { taken, clock, tally, time, chance, isCalm } = this.#parts;
    taken(dispatch, { now: clock(), isInformed: this.#isInformed });
    if (!this.#isInformed) tally.hit("taken by a host that knows no time");
    const drawn: Fate = isCalm() ? chance.pick(["answered", "answered", "answered", "declined"]) : chance.pick(FATES);
    // Only what a provider knows by its key may come twice: nobody else's network sends a request again.
    const fate = drawn === "doubled" && traitsOf(dispatch).keyMs === 0 ? "answered" : drawn;
    tally.hit(`${dispatch.effect}: ${fate}`);
    this.#running.add(dispatch);
    const over = time.sleep(dispatch.timeoutMs).then(() => lost(dispatch, "TIMEOUT"));
    const performed = await Promise.race([this.#play(dispatch, fate), over]);
    this.#running.delete(dispatch);
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
