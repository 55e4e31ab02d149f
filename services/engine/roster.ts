import { traceField } from "@woml/boot";
import type { LoadedRun } from "@woml/prisma";
import type { RunKey } from "@woml/run";
import { PARKED_MAX, POISON_CLAIMS } from "./bounds.ts";
import { codeOf } from "./code-of.ts";
import type { Prepared, Refused } from "./definitions.ts";
import { Driver } from "./driver.ts";
import type { Asked } from "./judge.ts";
import type { Driven, Room } from "./room.ts";

export const ENDED: ReadonlySet<string> = new Set(["succeeded", "failed", "cancelled"]);

/**
 * The runs of this engine: those it drives, those it is about to, and those that only wait and are not in memory (their alarms are
 * bounded; the sweep finds the rest).
 */
export class Roster {
  readonly #room: Room;
  readonly #drivenMax: number;
  /** Called when a run has been let go of. */
  onFree = (): void => undefined;
  readonly #drivers = new Map<string, Driver>();
  readonly #claimed = new Set<Driver>();
  readonly #loading = new Map<string, Asked[]>();
  readonly #parked = new Map<string, () => void>();
  #isClosing = false;
  #isClosed = false;

  constructor(room: Omit<Room, "left">, drivenMax: number) {
    this.#room = { ...room, left: (driver, wakeAt) => this.#left(driver, wakeAt) };
    this.#drivenMax = drivenMax;
  }

  /** How many more runs may be claimed or admitted. */
  get free(): number {
    return this.#isClosing ? 0 : Math.max(0, this.#drivenMax - this.size);
  }
  get size(): number {
    return this.#drivers.size + this.#loading.size;
  }
  get isBusy(): boolean {
    return this.#loading.size > 0 || [...this.#drivers.values()].some((driver) => driver.isBusy);
  }
  drives(key: RunKey): boolean {
    return this.#drivers.has(nameOf(key)) || this.#loading.has(nameOf(key));
  }

  /** Claimed runs that have not moved since only because they wait; `vouched` once that is stored. */
  waiting(limit: number): readonly Driver[] {
    return [...this.#claimed].filter((driver) => driver.isWaiting).slice(0, limit);
  }
  vouched(drivers: readonly Driver[]): void {
    for (const driver of drivers) this.#claimed.delete(driver);
  }

  /** A run that has no row yet. */
  admit(run: Driven, asked: readonly Asked[]): void {
    if (this.drives(run)) {
      run.arrival?.over(null);
      this.#settle(asked);
    } else this.#enlist(new Driver(this.#room, run, null)).give(asked);
  }

  /** Gives a run of ours what it is asked, loading it if need be; a held one is taken for it. */
  wake(key: RunKey, asked: readonly Asked[] = []): void {
    const name = nameOf(key);
    const driver = this.#drivers.get(name);
    const queue = this.#loading.get(name);
    if (driver) driver.give(asked);
    else if (queue) queue.push(...asked);
    else this.#load(key, [...asked]);
  }

  /** Takes up runs that were just claimed. */
  async adopt(runs: readonly LoadedRun[]): Promise<void> {
    const prepared = await this.#room.definitions.load(runs);
    if (this.#isClosed) return;
    runs.forEach((loaded, index) => {
      const definition = prepared[index];
      if (loaded.claims >= POISON_CLAIMS) this.#hold(loaded, `claimed ${loaded.claims} times without moving`);
      else if (definition !== undefined && !this.drives(loaded)) this.#take(loaded, definition, []);
    });
  }

  /** From now on there is no room for further runs; those here go on. */
  takeNoMore(): void {
    this.#isClosing = true;
  }
  close(): void {
    this.#isClosing = true;
    this.#isClosed = true;
    for (const stop of this.#parked.values()) stop();
    this.#parked.clear();
    for (const driver of this.#drivers.values()) driver.drop();
  }

  #load(key: RunKey, asked: Asked[]): void {
    const name = nameOf(key);
    this.#unpark(name);
    this.#loading.set(name, asked);
    void this.#fetch(key, asked)
      .catch((error: unknown) => {
        this.#room.world.log.warn({ tenant: key.tenant, run: key.run, code: codeOf(error) }, "run not loaded");
        return null;
      })
      .then((found) => {
        this.#loading.delete(name);
        if (found === null || this.#isClosed || !this.#room.tenure.alive()) this.#settle(asked);
        else this.#take(found.loaded, found.definition, asked);
      });
  }

  async #fetch(key: RunKey, asked: readonly Asked[]): Promise<{ loaded: LoadedRun; definition: Prepared | Refused } | null> {
    const { store } = this.#room.world;
    const found = await store.load(key);
    // Nobody's: it is held, or stands in line. What this engine has been given out of the line is its own, though the answer that said so was lost.
    const isGiven = found?.owner === this.#room.tenure.engine;
    const isOut = found !== null && (found.held !== null || (found.isLined && !isGiven));
    const loaded = isOut && asked.length > 0 ? await store.claimHeld(this.#room.tenure.engine, key) : found;
    if (loaded === null || (isOut && asked.length === 0)) return null;
    const [definition] = await this.#room.definitions.load([loaded]);
    return definition === undefined ? null : { loaded, definition };
  }

  #take(loaded: LoadedRun, definition: Prepared | Refused, asked: readonly Asked[]): void {
    const { tenant, run, epoch, held, owner } = loaded;
    const prepared = "refused" in definition ? null : definition;
    if (owner !== this.#room.tenure.engine && !ENDED.has(loaded.status)) this.#settle(asked);
    else if ("refused" in definition && held === null && !asked.some(isCancel)) {
      // Whatever else it is asked is answered once it is held.
      this.#settle(asked);
      if (!ENDED.has(loaded.status)) this.#hold(loaded, `WOML_DEFINITION_HASH_MISMATCH: ${definition.refused}`);
    } else {
      const driver = this.#enlist(new Driver(this.#room, { tenant, run, epoch, held, prepared, admission: null }, loaded));
      if (loaded.claims > 0) this.#claimed.add(driver);
      driver.resume(loaded, asked);
    }
  }

  #settle(asked: readonly Asked[]): void {
    this.#room.settled(asked.flatMap(({ request }) => request ?? []));
  }

  #enlist(driver: Driver): Driver {
    this.#drivers.set(nameOf(driver.run), driver);
    return driver;
  }

  #hold({ tenant, run, epoch, events: [first] }: LoadedRun, reason: string): void {
    const { world, tenure } = this.#room;
    const trace = first?.type === "run_admitted" ? traceField(first.data.trace) : {};
    world.log.error({ tenant, run, ...trace, reason }, "run held");
    world.store.hold({ tenant, run }, { engine: tenure.engine, epoch }, reason).catch(() => false);
  }

  #left(driver: Driver, wakeAt: number | null): void {
    this.#claimed.delete(driver);
    const name = nameOf(driver.run);
    if (this.#drivers.get(name) === driver) this.#drivers.delete(name);
    this.onFree();
    if (wakeAt === null || this.#isClosed || this.#parked.size >= PARKED_MAX) return;
    this.#park({ tenant: driver.run.tenant, run: driver.run.run }, wakeAt);
  }

  #park(key: RunKey, wakeAt: number): void {
    const { world, clock } = this.#room;
    const name = nameOf(key);
    const ring = (): void => {
      this.#parked.delete(name);
      if (clock.now() < wakeAt) this.#park(key, wakeAt);
      else if (this.free > 0) this.wake(key);
    };
    this.#parked.set(name, world.alarm(Math.max(0, wakeAt - clock.now()), ring));
  }

  #unpark(name: string): void {
    this.#parked.get(name)?.();
    this.#parked.delete(name);
  }
}

function isCancel({ command }: Asked): boolean {
  return command.kind === "cancel_run";
}

export function nameOf({ tenant, run }: RunKey): string {
  return `${tenant} ${run}`;
}
