/**
 * One run in the hands of this engine: decide → append → fold → perform. Invariants:
 *
 *  L1  One decision at a time: commands that arrive while an append is in flight are decided together next.
 *  L2  A frame is sent only for an attempt that is open in a state folded from stored events: after its append has returned.
 *  L3  An append answered by null is not known: the run is loaded again and the same commands are decided on what it says. Not ours any
 *      more: it is dropped and its invocations are cancelled.
 *  L4  An attempt found open at load was lost with an engine: attempt_resumed is stored before a frame of it is sent, and no earlier than its
 *      turn has come.
 *  L5  An attempt flies once. It stays listed until the log has moved past it, so that a reload in between does not repeat it.
 *  L6  Nothing is decided after the lease has ended by our clock.
 *  L7  What throws in fold or decide, and a log that its row does not belong to, holds this run and nothing else.
 *  L8  What a script came to is asked of the run only when every call it made is in the log and its operations have settled; what an
 *      execution asked that is not the one that counts any more is not judged.
 *  L9  Nobody is said to have not decided in time before every decision that was stored in time has been judged.
 *  L10 A run for which there is no place is let go of. Nothing of it is in flight then, or it would hold one: what it was asked lies in the inbox, and
 *      what was due is due when it is taken up again.
 */
import { traceField } from "@woml/boot";
import type { LoadedRun, Moved } from "@woml/prisma";
import { foldAll, genesis, type RunState, stamp } from "@woml/run";
import { OUTDONE_MAX, STORE_RETRY_MS } from "./bounds.ts";
import { awaited } from "./builtin/draw.ts";
import { drawFor } from "./decisions.ts";
import { due } from "./due.ts";
import { measure } from "./figures.ts";
import { hosted } from "./hosted.ts";
import { type Asked, type Judgement, judge, requestsOf, together } from "./judge.ts";
import { Performance } from "./perform/perform.ts";
import { rejected } from "./perform/report.ts";
import { runTrace } from "./perform/traced.ts";
import type { Driven, Room } from "./room.ts";
import { standing, waitsForPerson } from "./standing.ts";
import { submit } from "./submit.ts";

export class Driver {
  readonly run: Driven;
  readonly #room: Room;
  /** null: nothing of it can run here, because it cannot be read. */
  readonly #performance: Performance | null;
  #state: RunState = genesis;
  #asked: Asked[] = [];
  #judging: readonly Asked[] = [];
  /** So many commands are judged alone, to find the one that the store refuses. */
  #careful = 0;
  /** Appends that others were ahead of. */
  #outdone = 0;
  /** The head at which timers were fired last: firing again there would go on for ever. */
  #firedAt: number | null = null;
  #isBusy = false;
  #isGone = false;
  /** Whether the run is still ours has to be looked up. */
  #isDoubted = false;
  /** Taken to be cancelled, and nothing else; the append that does it frees it. */
  #isHeld: boolean;
  #stopAlarm = (): void => undefined;

  /** `loaded`: what there is of its log, null for a run that is not admitted yet. */
  constructor(room: Room, run: Driven, loaded: LoadedRun | null) {
    this.run = run;
    this.#room = room;
    const { prepared, epoch } = run;
    this.#isHeld = run.held !== null;
    const part = {
      ...{ key: run, epoch, state: () => this.#state },
      fenced: () =>
        void this.#go(() => {
          this.#isDoubted = true;
        }),
      heard: (ask: () => Asked) => void this.#go(() => this.#asked.push(ask())),
      stirred: () => void this.#go(() => undefined),
    };
    this.#performance = prepared === null ? null : new Performance(room, { ...part, prepared }, loaded?.events.length ?? 0);
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }
  /** It only waits: for its turn, for a host, for a lease to end. */
  get isWaiting(): boolean {
    return !this.#isBusy && (this.#performance?.isWaiting ?? false);
  }

  /** Takes up a run that has a log: what was in flight elsewhere is lost. */
  resume(loaded: LoadedRun, asked: readonly Asked[]): void {
    void this.#go(() => {
      this.#take(asked);
      this.#state = standing(loaded, this.#room.clock.now());
      if (this.#isHeld) return;
      this.#performance?.adopt(due(this.#state, this.#now()));
      this.#asked.push(...awaited(this.#state));
    });
  }

  give(asked: readonly Asked[]): void {
    void this.#go(() => this.#take(asked));
  }

  /** Lets go of the run at once; what it has in flight is taken back, what it was asked stays in the inbox. */
  drop(wakeAt: number | null = null): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#stopAlarm();
    this.#performance?.clear();
    this.#room.settled(requestsOf(this.#unanswered()));
    this.run.arrival?.over(this.#state.admittedAt);
    this.#room.left(this, wakeAt);
  }

  async #go(first: () => void): Promise<void> {
    try {
      first();
      if (this.#isBusy || this.#isGone) return;
      this.#isBusy = true;
      // What is said while it rests is heard before it stops listening: nothing is waited for in between.
      for (;;) {
        if (this.#isDoubted && !this.#isGone) await this.#look();
        else if (this.#isAsked() || this.#rest()) await this.#turn();
        else break;
      }
      this.#isBusy = false;
    } catch (error) {
      this.#isBusy = true;
      await this.#hold(error instanceof Error ? error.message : String(error));
    }
  }

  #take(asked: readonly Asked[]): void {
    const isTaken = ({ command }: Asked): boolean => !this.#isHeld || command.kind === "cancel_run";
    this.#asked.push(...asked.filter(isTaken));
    this.#answer(requestsOf(asked.filter((ask) => !isTaken(ask))).map((id) => ({ id, answer: "RUN_HELD" })));
  }

  #isAsked(): boolean {
    this.#asked = this.#asked.filter(({ isWanted }) => isWanted?.() !== false);
    return this.#asked.length > 0 && !this.#isGone;
  }

  async #turn(): Promise<void> {
    if (!this.#room.tenure.alive()) return this.drop();
    const taken = this.#asked.splice(0, this.#careful > 0 ? 1 : together(this.#asked));
    this.#judging = taken;
    const drawing = drawFor(this.#room, { run: this.run, state: this.#state, now: this.#now() }, taken);
    const drawn = drawing === null ? taken : await drawing;
    if (this.#isGone) return;
    if (drawn === null) return this.#again(taken, true);
    const asked = drawn.map((ask) => hosted(this.#room.world.plugins, this.run.tenant, this.#state, ask));
    this.#careful = Math.max(0, this.#careful - 1);
    this.#judging = asked;
    const now = this.#now();
    // A cancelled run that is held again would be held for ever: its second cancel ends it without waiting for its operations.
    const isStuck = this.#isHeld && this.#state.stop !== null;
    const judged = judge(isStuck ? null : (this.run.prepared?.graph ?? null), this.#state, asked, { now, run: this.run.run });
    const moved = judged.events.length === 0 ? undefined : await submit(this.#room, this.run, { before: this.#state, judged, now });
    if (this.#isGone) return;
    if (moved === "refused") this.#refused(asked);
    else if (moved === "no_room") this.drop();
    else if (moved === "outdated") await this.#again(taken, ++this.#outdone % OUTDONE_MAX === 0);
    else if (moved === null) await this.#reload(asked);
    else this.#advance(judged, moved);
    this.#judging = [];
  }

  /** Judged again on what the store says then; who is outdone again and again takes a rest. */
  async #again(asked: readonly Asked[], rests: boolean): Promise<void> {
    this.#asked.unshift(...asked);
    this.#judging = [];
    if (rests) await this.#pause();
  }

  #advance(judged: Judgement, moved: Moved | undefined): void {
    const events = moved === undefined ? [] : stamp(judged.events, this.#state.head, moved.at);
    measure(this.#room.world, { who: this.#who(), before: this.#state }, events);
    this.#state = foldAll(events, this.#state);
    this.run.arrival?.over(this.#state.admittedAt);
    if (events.length > 0) this.#isHeld = false;
    this.#room.settled(judged.granted);
    this.#answer(judged.unmoved);
    // With nothing more to judge it rests next, and flies then.
    if (this.#asked.length > 0) this.#fly(this.#now());
    this.#performance?.tell(events);
  }

  async #reload(asked: readonly Asked[]): Promise<void> {
    const loaded = await this.#room.world.store.load(this.run).catch(() => undefined);
    if (this.#isGone) return;
    this.#asked.unshift(...asked);
    const isUnmoved = loaded ? loaded.events.length === this.#state.head : this.#state.head === 0;
    if (loaded === undefined || isUnmoved) await this.#pause();
    if (loaded === undefined || (loaded === null && isUnmoved)) return;
    if (loaded === null || !this.#isOurs(loaded)) return this.drop();
    if (loaded.events.length < this.#state.head) throw new Error("store_changed: the stored log is shorter than what was acknowledged");
    this.#state = standing(loaded, this.#room.clock.now());
    this.#fly(this.#now());
    this.#performance?.retell();
  }

  /** A plugin host knows a higher epoch of this run: somebody else may drive it. */
  #look(): Promise<void> {
    this.#isDoubted = false;
    return this.#reload([]);
  }

  #isOurs({ owner, epoch, held }: LoadedRun): boolean {
    return owner === this.#room.tenure.engine && epoch === this.run.epoch && (held === null || this.#isHeld);
  }

  /** The store refuses exactly what we gave it, and would again: find the command at fault, and say less. */
  #refused(asked: readonly Asked[]): void {
    const [first] = asked;
    const less = first === undefined ? null : rejected(first);
    if (asked.length > 1) {
      this.#careful = asked.length;
      this.#asked.unshift(...asked);
    } else if (less !== null) this.#asked.unshift(less);
    else throw new Error("the store refuses what this run would say next");
  }

  /** Makes what is in flight what is due, and answers when to look again. */
  #fly(now: number): number | null {
    const wanted = due(this.#state, now);
    if (this.#isGone || this.#isHeld) return null;
    this.#performance?.reconcile(wanted);
    this.#asked.push(...(this.#performance?.endings() ?? []));
    return wanted.nextAt;
  }

  /** Nothing is asked just now: leave the run, or wait for what is in flight or due next. Answers whether something is to be judged already. */
  #rest(): boolean {
    this.#stopAlarm();
    if (this.#isGone) return false;
    if (this.#state.ended !== null || this.#state.head === 0) this.drop();
    else if (this.#isHeld) throw new Error(this.run.held ?? "held");
    else {
      const now = this.#now();
      const nextAt = this.#fly(now);
      return this.#isAsked() || this.#await(nextAt, now);
    }
    return false;
  }

  #await(nextAt: number | null, now: number): boolean {
    if (nextAt !== null && nextAt <= now) return this.#fire();
    if ((this.#performance?.size ?? 0) === 0) {
      if (nextAt === null && !waitsForPerson(this.#state)) throw new Error("nothing moves this run");
      this.drop(nextAt);
    } else if (nextAt !== null) {
      this.#stopAlarm = this.#room.world.alarm(nextAt - now, () => void this.#go(() => undefined));
    }
    return false;
  }

  #fire(): true {
    if (this.#firedAt === this.#state.head) throw new Error("a timer is due, and nothing follows from it");
    this.#firedAt = this.#state.head;
    this.#asked.push({ command: { kind: "fire_timers" }, request: null });
    return true;
  }

  async #hold(reason: string): Promise<void> {
    if (this.#isGone) return;
    const { world, tenure } = this.#room;
    world.log.error({ ...this.#who(), reason }, "run held");
    // What cannot be held, because it is not admitted or held already, would come back from the inbox for ever.
    const isNew = this.run.admission !== null && this.#state.head === 0;
    const answer = isNew ? "RUN_NOT_ADMISSIBLE" : "RUN_HELD";
    if (isNew || this.#isHeld) this.#answer(requestsOf(this.#unanswered()).map((id) => ({ id, answer })));
    await world.store.hold(this.run, { engine: tenure.engine, epoch: this.run.epoch }, reason).catch(() => false);
    this.drop();
  }

  #answer(requests: Judgement["unmoved"]): void {
    if (requests.length === 0) return;
    const { tenant } = this.run;
    const done = (): void => this.#room.settled(requests.map(({ id }) => id));
    this.#room.world.store.answer(requests.map((one) => ({ tenant, ...one }))).then(done, done);
  }

  #unanswered(): readonly Asked[] {
    return [...this.#judging, ...this.#asked];
  }
  /** PostgreSQL's time, and never before the run's last event. */
  #now(): number {
    return Math.max(this.#room.clock.now(), this.#state.at);
  }
  #pause(): Promise<void> {
    return new Promise((resolve) => void this.#room.world.alarm(STORE_RETRY_MS, resolve));
  }
  /** In a line of the log. */
  #who(): object {
    return { tenant: this.run.tenant, run: this.run.run, ...traceField(runTrace(this.#state) ?? this.run.arrival?.trace) };
  }
}
