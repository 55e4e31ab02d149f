import type { InboxRequest } from "@woml/prisma";
import { admissionOf, type Taken, takeOver } from "./admission.ts";
import { openArrival, type Start } from "./arrival.ts";
import { BATCH, FULL_MS, STARTS, SWEEP_MS } from "./bounds.ts";
import type { Clock } from "./clock.ts";
import { decisionOf } from "./decisions.ts";
import type { Definitions, Prepared, Refused } from "./definitions.ts";
import type { World } from "./engine.ts";
import type { Asked } from "./judge.ts";
import type { Tenure } from "./lease.ts";
import { ENDED, nameOf, type Roster } from "./roster.ts";
import type { Turns } from "./turns.ts";

/** How long a read waits for the one before it to be decided; what takes longer is passed over until it is settled. */
const PATIENCE_MS = 100;

interface Parts {
  readonly world: World;
  readonly clock: Clock;
  readonly tenure: Tenure;
  readonly definitions: Definitions;
  readonly roster: Roster;
  readonly turns: Turns;
}

/**
 * Turns requests into commands of runs. A request is consumed by the append that grants it, or answered with a reason; until then it is
 * read again, and passed over here while its run works on it.
 */
export class Inbox {
  readonly #parts: Parts;
  readonly #working = new Set<string>();
  #batch: { readonly left: Set<string>; readonly done: () => void } | null = null;
  #isReading = false;
  #isRung = false;
  /** Starts were left in the inbox for want of room. */
  #isCut = false;
  #age = 0;
  /** Called when starts were left to other engines: after a while it is time to look whether they took them. */
  onLeft = (): void => undefined;
  /** When it looked last at what it has no room for. */
  #agedAt = Number.NEGATIVE_INFINITY;
  /** Rate limits keep starts back, or may do so. */
  #isRated = false;
  #stopAlarm = (): void => undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Reads until nothing is left that this engine may take. A call during a read makes it read once more. */
  async read(): Promise<void> {
    this.#isRung = true;
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#isRung && this.#parts.tenure.alive()) {
        this.#isRung = false;
        const isFull = await this.#readOnce();
        this.#isRung ||= isFull;
      }
      if (this.#isRated && this.#parts.tenure.alive()) await this.#awaitRate();
    } finally {
      this.#isReading = false;
    }
  }
  /** Consumed, answered, or given up for now. */
  settled(requests: readonly string[]): void {
    for (const id of requests) {
      this.#working.delete(id);
      this.#batch?.left.delete(id);
    }
    if (this.#batch?.left.size === 0) this.#batch.done();
  }
  /** How long the oldest request that nobody had taken was waiting at the last look, ms. */
  get age(): number {
    return this.#age;
  }
  /** A lane that seemed to have room had none: somebody was first, or the clock that judges is a little behind. */
  full(): void {
    this.#isRated = true;
    this.#wake(FULL_MS);
  }
  close(): void {
    this.#stopAlarm();
  }
  /** There is room again; answers whether it is time to read. */
  wantsRoom(): boolean {
    const { free, size } = this.#parts.roster;
    return this.#isCut && free >= Math.min(BATCH, size);
  }

  async #readOnce(): Promise<boolean> {
    const { world, tenure, roster, turns } = this.#parts;
    const { free } = roster;
    const limit = free > 0 ? Math.min(STARTS * turns.engines, free * turns.engines) : BATCH;
    const known = new Set(this.#working);
    const rows = await world.store.inbox(tenure.engine, limit, free > 0);
    this.#isCut = free === 0;
    const open = rows.filter(({ id }) => !known.has(id) && !this.#working.has(id));
    // What was settled while this was read may have been read before that: granted, it is not there the next time; given up, it is.
    this.#isRung ||= rows.some(({ id }) => known.has(id) && !this.#working.has(id));
    this.#agesBy(open);
    this.#isRated ||= rows.some(({ isRated }) => isRated);
    const fresh = this.#inTurn(open, free);
    if (fresh.length === 0 || !tenure.alive()) return false;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#batch = { left: new Set(fresh.map(({ id }) => id)), done: resolve };
    for (const { id } of fresh) this.#working.add(id);
    const stop = world.alarm(PATIENCE_MS, resolve);
    try {
      await this.#handOut(fresh);
    } catch (error) {
      this.settled(fresh.map(({ id }) => id));
      throw error;
    }
    await promise;
    stop();
    return rows.length >= limit;
  }

  /** All but the starts that are for others, and those that there is no room for. */
  #inTurn(open: readonly InboxRequest[], free: number): readonly InboxRequest[] {
    const { turns, clock } = this.#parts;
    const { mine, left } = turns.split(open.filter(isStart), clock.now());
    if (left.length > 0) {
      turns.tell(left);
      this.onLeft();
    }
    return [...mine.slice(0, free), ...open.filter((row) => !isStart(row))];
  }

  /** At its bound an engine leaves starts unread: how long they wait is worth one more question a second, for which nothing waits. */
  #agesBy(fresh: readonly InboxRequest[]): void {
    const { world, tenure, clock } = this.#parts;
    const take = (rows: readonly InboxRequest[]): void => {
      const oldest = Math.min(clock.now(), ...rows.map(({ createdAt }) => createdAt));
      this.#age = clock.now() - oldest;
    };
    if (!this.#isCut) take(fresh);
    else if (world.monotonic() - this.#agedAt >= SWEEP_MS) {
      this.#agedAt = world.monotonic();
      world.store.inbox(tenure.engine, 1, true).then(take, () => undefined);
    }
  }

  /** When what a rate limit keeps back may go, it is time to read. */
  async #awaitRate(): Promise<void> {
    const { world, clock } = this.#parts;
    const at = await world.store.opens();
    this.#isRated = at !== null && at > clock.now();
    if (at !== null && this.#isRated) this.#wake(at - clock.now());
  }

  #wake(afterMs: number): void {
    this.#stopAlarm();
    this.#stopAlarm = this.#parts.world.alarm(afterMs, () => void this.read().catch(() => undefined));
  }

  async #handOut(fresh: readonly InboxRequest[]): Promise<void> {
    const { world, clock, definitions, roster } = this.#parts;
    const starts = fresh.filter(isStart);
    const others = Map.groupBy(
      fresh.filter((row) => !isStart(row)),
      nameOf,
    );
    const prepared = await definitions.load(starts.map(({ tenant, body }) => ({ tenant, version: body.version })));
    for (const [index, start] of starts.entries()) {
      const definition = prepared[index] ?? { refused: "the version is not stored" };
      const taken = await takeOver(world.store, start, definition, clock.now());
      admit(world, roster, { start, definition, taken, others: others.get(nameOf(start)) ?? [] });
      others.delete(nameOf(start));
    }
    for (const other of [...others.values()].flat()) this.#pass(other);
  }

  /** A request goes to its run, wherever that is; one whose start is still to come waits for it, unless there is none. */
  #pass(request: InboxRequest): void {
    const { roster } = this.#parts;
    const { status, isStarting } = request;
    if (status !== null && ENDED.has(status)) this.#reply(request, "RUN_ALREADY_TERMINAL");
    else if (status !== null || roster.drives(request)) roster.wake(request, askOf(request));
    else if (isStarting) this.settled([request.id]);
    else this.#reply(request, "RUN_NOT_FOUND");
  }

  #reply({ tenant, id }: InboxRequest, answer: string): void {
    const done = (): void => this.settled([id]);
    this.#parts.world.store.answer([{ tenant, id, answer }]).then(done, done);
  }
}

/** Admits a run, or refuses it where its definition may not run; what came before its start is decided right after it. */
function admit(
  world: World,
  roster: Roster,
  asked: {
    readonly start: Start;
    readonly definition: Prepared | Refused;
    readonly taken: Taken;
    readonly others: readonly InboxRequest[];
  },
): void {
  const { start, definition, taken, others } = asked;
  const { tenant, run, body } = start;
  const { workflow, version, labels } = body;
  const arrival = openArrival(world.telemetry, start);
  const command = admissionOf(body, taken, { definition, seed: () => world.seed(), trace: arrival.trace });
  const prepared = "refused" in definition ? null : definition;
  roster.admit({ tenant, run, epoch: 1, prepared, admission: { workflow, version, labels }, arrival, held: null }, [
    { command, request: start.id },
    ...others.flatMap(askOf),
  ]);
}

function askOf(request: InboxRequest): readonly Asked[] {
  const { id, body, createdAt } = request;
  if (body.kind === "start") return [];
  if (body.kind === "child_settled") return [{ command: { kind: "report_child", child: body.child, ended: null }, request: id }];
  if (body.kind === "cancel") return [{ command: { kind: "cancel_run", request: id }, request: id }];
  if (body.kind === "resolve_approval") return decisionOf(request);
  const { kind: _, ...said } = body;
  return [{ command: { kind: "resolve_outcome", ...said, request: id, askedAt: createdAt }, request: id }];
}

function isStart(request: InboxRequest): request is Start {
  return request.body.kind === "start";
}
