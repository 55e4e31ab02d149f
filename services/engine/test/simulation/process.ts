import { createHash, createHmac } from "node:crypto";
import { noTelemetry, openLog } from "@woml/boot";
import type { World } from "../../index.ts";
import type { Chance } from "./chance.ts";
import type { Tally } from "./tally.ts";
import type { Time } from "./time.ts";

export interface Odds {
  /** Of dying at a call, and of losing its answer. */
  readonly death: number;
  readonly loss: number;
  /** Of standing still while it waits for the answer. */
  readonly stall: number;
  /** Of standing still between the look at its lease and the dispatch that leaves. */
  readonly lag: number;
  /** Of handing a dispatch to a line that has just broken. */
  readonly sink: number;
}
/** What a call to the outside meets. */
export type Fate = "fine" | "died before" | "died after" | "answer lost" | "not done";

/** Calls made so seldom, or so decisive, that their fate is drawn more often. */
const OFTEN: ReadonlyMap<string, number> = new Map([
  ...["openLease", "release", "load", "answer", "claimHeld", "hold"].map((name) => [name, 8] as const),
  ["append", 3],
  ["opens", 8],
  ["perform", 6],
  ["attach", 6],
  ["reattach", 6],
  ...["fencedUntil", "manifest", "standing", "secrets"].map((name) => [name, 8] as const),
]);

export const LEASE_MS = 15_000;
const silent = openLog("engine", "silent");

/**
 * One start of an engine's process: it may die at any call, and stand still for a while. Whatever comes to it comes through `deliver`,
 * so that nothing happens in a process that is dead or stands still.
 */
export class Process {
  readonly time: Time;
  readonly chance: Chance;
  readonly tally: Tally;
  /** Which of the story's engines it is, and its idea of PostgreSQL's time. */
  readonly slot: number;
  readonly clock: () => number;
  odds: Odds;
  /** The id of the engine in it, once it has asked for a lease. */
  engine: string | undefined;
  /** How much of each run's log it has been told, by loading it or as the answer to an append. */
  readonly told = new Map<string, number>();
  onDeath = (): void => undefined;
  /** Until when it holds its lease by its own clock: counted from when it sent the last renewal it has an answer to. */
  leaseUntil = Number.NEGATIVE_INFINITY;
  #isDead = false;
  #pausedUntil = 0;

  constructor(world: Pick<Process, "time" | "chance" | "tally" | "slot" | "clock">, odds: Odds) {
    this.time = world.time;
    this.chance = world.chance;
    this.tally = world.tally;
    this.slot = world.slot;
    this.clock = world.clock;
    this.odds = odds;
  }
  get isDead(): boolean {
    return this.#isDead;
  }
  deliver(happen: () => void): void {
    if (this.#isDead) return;
    if (this.#pausedUntil > this.time.now) this.time.after(this.#pausedUntil - this.time.now, () => this.deliver(happen));
    else happen();
  }
  pause(ms: number): void {
    if (this.#isDead) return;
    this.#pausedUntil = Math.max(this.#pausedUntil, this.time.now + ms);
    this.tally.hit("engine paused");
    if (this.#pausedUntil > this.leaseUntil) this.tally.hit("lease lapsed in a pause");
  }
  kill(): void {
    if (this.#isDead) return;
    this.#isDead = true;
    this.onDeath();
  }

  /** The end of the story: nothing happens in it any more, and nobody takes its place. */
  retire(): void {
    this.#isDead = true;
  }

  /**
   * A call over a connection: it travels, takes effect, and its answer travels back. What was sent arrives even if the sender is dead by
   * then. `lost` is what the caller is told when its answer is lost.
   */
  call<T>(name: string, effect: () => Promise<T>, lost?: T): Promise<T> {
    const fate = this.fate(name);
    // Standing still between asking and hearing, until the lease is over: what was true when it asked is not when it hears.
    if (this.chance.hit(this.odds.stall * (OFTEN.get(name) ?? 1))) this.pause(18_000);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const answer = (settle: () => void): void => void this.time.after(this.chance.between(0, 3), () => this.deliver(settle));
    const lose = (): void => (lost === undefined ? reject(new Error("connection lost")) : resolve(lost));
    if (fate === "died before") this.kill();
    else if (fate === "not done") answer(lose);
    else
      this.time.after(this.chance.between(0, 3), () =>
        effect().then(
          (value) => {
            if (fate === "died after") this.kill();
            else answer(fate === "answer lost" ? lose : () => resolve(value));
          },
          (error: unknown) => answer(() => reject(error)),
        ),
      );
    return promise;
  }

  /** What the next call of this name meets, for whoever carries it out. */
  fate(name: string): Fate {
    const often = OFTEN.get(name) ?? 1;
    const death = this.odds.death * often;
    const loss = this.odds.loss * often;
    const fate: Fate = this.chance.hit(death) ? this.chance.pick(["died before", "died after"]) : this.#loss(loss);
    if (fate !== "fine") this.tally.hit(`${name}: ${fate}`);
    return fate;
  }
  #loss(loss: number): Fate {
    return this.chance.hit(loss) ? this.chance.pick(["answer lost", "not done"]) : "fine";
  }

  /** The world as this process has it. */
  world(parts: Pick<World, "store" | "sandbox" | "plugins" | "doorbell">): World {
    const booted = this.time.now - this.chance.between(1, 1_000_000);
    return {
      ...parts,
      doorbell: { ...parts.doorbell, listen: (queue, heard) => parts.doorbell.listen(queue, () => this.deliver(heard)) },
      ...{ log: silent, telemetry: noTelemetry },
      monotonic: () => this.time.now - booted,
      alarm: (delayMs, ring) => this.#alarm(delayMs, ring),
      mint: () => `${this.chance.hex(8)}-${this.chance.hex(4)}-7${this.chance.hex(3)}-8${this.chance.hex(3)}-${this.chance.hex(12)}`,
      seed: () => this.chance.hex(64),
      digest,
      derive: (seed, label) => createHmac("sha256", seed).update(label).digest("hex"),
      unseal: (_, bytes) => Buffer.from(bytes).toString(),
    };
  }
  #alarm(delayMs: number, ring: () => void): () => void {
    let isOff = false;
    const stop = this.time.after(delayMs, () => this.deliver(() => isOff || ring()));
    return () => {
      isOff = true;
      stop();
    };
  }
}

export function digest(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}
