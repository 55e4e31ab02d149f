/**
 * An engine: claim → load → fold → decide → append → perform. The loop only finds runs and hands them to drivers (driver.ts has the
 * invariants of one run); it keeps nothing that the store does not know, so losing a ring, an alarm or the process costs time only:
 *
 *  E1  Runs come from three places, each looked at once a second: claims (nobody's, or a fenced engine's), own runs that are due and not
 *      driven, and requests. A ring has the inbox looked at at once, and the shared one claims too, for that is how runs are handed back.
 *  E2  At most `drivenMax` runs are in memory; at it nothing is claimed or admitted, and cancels still are.
 *  E3  When the lease ends, everything is dropped at once and for good.
 */
import { SHARED } from "@woml/boot";
import { BATCH, CLAIM_MS, DEFAULTS, STEAL_MS, SWEEP_MS } from "./bounds.ts";
import { Clock } from "./clock.ts";
import { codeOf } from "./code-of.ts";
import { definitions } from "./definitions.ts";
import type { Engine, EngineOptions, World } from "./engine.ts";
import { type Faults, openFaults } from "./fault.ts";
import { openGauges, openStuck } from "./figures.ts";
import { Inbox } from "./inbox.ts";
import { openTenure, type Tenure } from "./lease.ts";
import { openLibrary } from "./library.ts";
import { openDispatch } from "./perform/dispatch.ts";
import { plugins } from "./plugins.ts";
import { openQuotas } from "./quotas.ts";
import { Roster } from "./roster.ts";
import { watchDoors } from "./triggers/doors.ts";
import { watchSignals } from "./triggers/signals.ts";
import { watchSlots } from "./triggers/slots.ts";
import { Turns } from "./turns.ts";

interface Parts {
  readonly world: World;
  readonly tenure: Tenure;
  readonly roster: Roster;
  readonly inbox: Inbox;
  readonly faults: Faults;
  readonly turns: Turns;
  /** Called as room.ts says. */
  readonly lanes: { placeFree(): void; noPlace(): void };
  /** A round has passed. */
  readonly stuck: () => void;
  readonly quotas: () => Promise<void>;
}

/** Starts driving runs. Rejects when the store does not give a lease. */
export async function startEngine(world: World, options: EngineOptions = {}): Promise<Engine> {
  const bounds = { ...DEFAULTS, ...options };
  const clock = new Clock(world.monotonic);
  const tenure = await openTenure(world, clock, bounds.leaseMs);
  const accepted = definitions(world);
  const dispatch = openDispatch(world, tenure.alive, bounds);
  const settled = (requests: readonly string[]): void => inbox.settled(requests);
  const { leaseMs, clockBoundMs, parkAfterMs } = bounds;
  const readers = { plugins: plugins(world), library: openLibrary(world) };
  const means = { world, clock, tenure, dispatch, ...readers, leaseMs, clockBoundMs, parkAfterMs };
  const lanes = { placeFree: (): void => undefined, noPlace: (): void => undefined };
  const heard = { placeFree: () => lanes.placeFree(), noPlace: () => lanes.noPlace() };
  const roster = new Roster({ ...means, ...heard, settled, definitions: accepted }, bounds.drivenMax);
  const turns = new Turns(world, tenure.engine);
  const inbox = new Inbox({ world, clock, tenure, definitions: accepted, roster, turns });
  openGauges(world.telemetry, { clock, tenure, roster, inbox });
  const faults = openFaults(world, tenure);
  const watches = [
    watch({ world, tenure, roster, inbox, faults, turns, lanes, stuck: openStuck(world), quotas: openQuotas(means) }),
    watchDoors(world, tenure.alive),
    watchSlots(world, world.triggers, tenure.alive),
    watchSignals(world, world.triggers, tenure.alive),
  ];
  const quiet = (): void => {
    for (const stop of watches) stop();
  };
  // What it drove is nobody's from now on.
  const handBack = (): void => {
    world.doorbell.forget(tenure.engine);
    world.doorbell.ring(SHARED);
  };
  const ended = tenure.ended.then(() => {
    quiet();
    roster.close();
    handBack();
  });
  return {
    id: tenure.engine,
    ended,
    fault: faults.fault,
    now: () => clock.now(),
    stop: async () => {
      quiet();
      faults.stops();
      roster.takeNoMore();
      dispatch.close();
      await settle(world, () => dispatch.inFlight === 0 && !roster.isBusy, bounds.graceMs);
      roster.close();
      await tenure
        .release()
        .catch((error: unknown) => world.log.warn({ engine: tenure.engine, code: codeOf(error) }, "lease not released"));
      handBack();
    },
  };
}

/** Looks for work at every ring and once a second, until told to stop. */
function watch(parts: Parts): () => void {
  const { world, tenure, roster, inbox, faults } = parts;
  let isOn = true;
  let stop = (): void => undefined;
  let claimedAt = Number.NEGATIVE_INFINITY;
  let isClaiming = false;
  const complain = (what: string) => (error: unknown) => world.log.warn({ engine: tenure.engine, code: codeOf(error) }, what);
  const look = async (what: Look): Promise<void> => {
    if (isOn && tenure.alive()) await LOOKS[what](parts).then(faults.beat, complain(`${what} failed`));
  };
  const claim = async (): Promise<void> => {
    if (isClaiming) return;
    isClaiming = true;
    claimedAt = world.monotonic();
    await look("claim");
    isClaiming = false;
  };
  const read = (): void => {
    if (isOn && tenure.alive()) inbox.read().catch(complain("inbox not read"));
  };
  roster.onFree = () => {
    if (inbox.wantsRoom()) read();
  };
  Object.assign(parts.lanes, turnstile(parts, { read, claim: () => void claim(), sinceClaim: () => world.monotonic() - claimedAt }));
  let later: (() => void) | null = null;
  inbox.onLeft = () => {
    later ??= world.alarm(STEAL_MS, () => {
      later = null;
      read();
    });
  };
  const shared = (): void => {
    read();
    if (world.monotonic() - claimedAt >= CLAIM_MS) void claim();
  };
  const deaf = [world.doorbell.listen(SHARED, shared), world.doorbell.listen(tenure.engine, read)];
  const round = async (): Promise<void> => {
    await look("fence");
    await claim();
    if (isOn && tenure.alive()) await world.store.countLanes().catch(complain("lanes not counted"));
    if (isOn && tenure.alive()) await parts.quotas().catch(complain("what is used not counted"));
    if (isOn && tenure.alive()) await vouch(parts).catch(complain("vouch failed"));
    await look("due");
    if (isOn && tenure.alive()) parts.stuck();
    // Not waited for: while requests keep coming a read goes on, and claims and timers must not wait for it.
    read();
    if (isOn && tenure.alive()) stop = world.alarm(SWEEP_MS, () => void round());
  };
  void round();
  return () => {
    isOn = false;
    stop();
    later?.();
    inbox.close();
    for (const one of deaf) one();
  };
}

interface Ways {
  readonly read: () => void;
  readonly claim: () => void;
  readonly sinceClaim: () => number;
}

/** A place that is free is for whoever stands in line to go on, and then for who is new. That somebody stands there is known of runs of this engine. */
function turnstile({ world, inbox }: Parts, { read, claim, sinceClaim }: Ways): Parts["lanes"] {
  let isLined = false;
  let isPlanned = false;
  const look = (): void => {
    isPlanned = false;
    isLined = false;
    claim();
  };
  return {
    placeFree: () => {
      read();
      if (isPlanned) return;
      isPlanned = true;
      world.alarm(isLined ? 0 : Math.max(0, CLAIM_MS - sinceClaim()), look);
    },
    noPlace: () => {
      isLined = true;
      inbox.full();
    },
  };
}

type Look = "fence" | "claim" | "due";

/** E1. */
const LOOKS: { readonly [what in Look]: (parts: Parts) => Promise<void> } = {
  fence: async ({ world, tenure, turns }) => {
    const fenced = await world.store.fence(tenure.engine);
    if (fenced.length > 0) world.log.info({ engine: tenure.engine, fenced }, "engines fenced");
    for (const dead of fenced) world.doorbell.forget(dead);
    turns.know(await world.store.peers());
  },
  claim: async ({ world, tenure, roster }) => {
    for (let full = true; full && roster.free > 0 && tenure.alive(); ) {
      const limit = Math.min(BATCH, roster.free);
      const claimed = await world.store.claim(tenure.engine, limit);
      if (claimed.length > 0) await roster.adopt(claimed);
      full = claimed.length === limit;
    }
  },
  due: async ({ world, tenure, roster }) => {
    // Driven runs are due as well while their scripts run, so that many are asked for besides.
    const own = await world.store.due(tenure.engine, roster.size + BATCH);
    for (const key of own) if (roster.free > 0 && !roster.drives(key)) roster.wake(key);
  },
};

/** Else what waits here would be taken for what no engine survives. Seldom anything does, so that this says nothing of the store. */
async function vouch({ world, tenure, roster }: Parts): Promise<void> {
  const waiting = roster.waiting(BATCH);
  if (waiting.length === 0) return;
  const runs = waiting.map(({ run }) => run);
  await world.store.vouch(tenure.engine, runs);
  roster.vouched(waiting);
}

/** Waits until `isQuiet`, but no longer than `limitMs`. */
async function settle(world: World, isQuiet: () => boolean, limitMs: number): Promise<void> {
  const until = world.monotonic() + limitMs;
  while (!isQuiet() && world.monotonic() < until) await new Promise<void>((resolve) => void world.alarm(10, resolve));
}
