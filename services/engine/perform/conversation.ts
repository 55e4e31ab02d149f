/**
 * What one execution of a script says and is told. Nothing that a worker says is believed beyond its shape. Invariants:
 *
 *  V1 Calls are of what was offered and come numbered 1, 2, 3 …; they are asked of the run in that order, and what ends the script behind
 *     them.
 *  V2 A call has seen only answers that were given and timers that had not fired yet, each once.
 *  V3 A call that is recorded must be the recorded one at the recorded point; nothing is asked of the run for it.
 *  V4 An answer is given once, and only when the log holds it.
 */
import { operationId, type RunState, type TenantId } from "@woml/run";
import type { Listener, ScriptCall, ScriptOutcome } from "@woml/sandbox";
import { CALLS, CALLS_OPEN, STORE_RETRY_MS } from "../bounds.ts";
import type { CallOperation } from "../decide/command.ts";
import type { World } from "../engine.ts";
import type { Ending, Flight } from "../flights.ts";
import type { Asked } from "../judge.ts";
import type { Plugins } from "../plugins.ts";
import { asked, difference, momentOf } from "./call.ts";
import type { Identities, Identity } from "./identity.ts";
import { type Answer, answersOf, operationsOf, recorded } from "./journal.ts";
import { askOf, divergeReport, violation } from "./report.ts";

export interface Parties {
  readonly world: Pick<World, "sandbox" | "alarm">;
  readonly plugins: Plugins;
  readonly tenant: TenantId;
  readonly flight: Flight;
  readonly identities: Identities;
  readonly state: () => RunState;
  readonly wanted: () => boolean;
  /** A command, while the script goes on. */
  readonly say: (asked: Asked) => void;
  /** It is over, and this is what it asks; held back until what it called has settled, or at once. */
  readonly end: (ending: Ending) => void;
  readonly land: (ask: () => Asked) => void;
}

export class Conversation {
  readonly listener: Listener = { call: (call) => this.#heard(call) };
  readonly #with: Parties;
  readonly #invocation: string;
  readonly #recorded: number;
  readonly #told = new Set<number>();
  readonly #seen = new Set<string>();
  #calls = 0;
  #isLive = false;
  #isOver = false;
  /** Something was called or told after its journal was given. */
  #hasMoved = false;
  #line: Promise<void> = Promise.resolve();

  constructor(parties: Parties, invocation: string) {
    this.#with = parties;
    this.#invocation = invocation;
    this.#recorded = recorded(parties.state(), parties.flight.node, parties.flight.attempt);
  }

  /** Everything that the log holds for it: when the invocation has just left, and when the log was read again. */
  retell(): void {
    const { flight, state } = this.#with;
    for (const answer of answersOf(operationsOf(state(), flight.node, flight.attempt))) this.#give(answer);
    this.#isLive = true;
  }
  tell(answer: Answer): void {
    if (this.#isLive) this.#give(answer);
  }
  /** Called once, with how the invocation ended. */
  over(outcome: ScriptOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#next(async () => this.#conclude(outcome));
  }

  #give(answer: Answer): void {
    if (this.#isOver || this.#told.has(answer.call)) return;
    this.#told.add(answer.call);
    this.#hasMoved ||= this.#isLive;
    this.#with.world.sandbox.answer(this.#invocation, answer);
  }

  #heard(call: ScriptCall): void {
    if (this.#isOver) return;
    this.#calls += 1;
    const wrong = this.#wrong(call);
    if (wrong === null) this.#accept(call);
    else this.#break(wrong);
  }

  #accept(call: ScriptCall): void {
    for (const one of call.seen) this.#seen.add(momentOf(one));
    if (call.call > this.#recorded) this.#hasMoved = true;
    const identity = this.#with.identities.next(call);
    this.#next(() => this.#take(call, identity));
  }

  /** V1, V2. */
  #wrong(said: ScriptCall): string | null {
    const { call, seen } = said;
    if (call !== this.#calls) return `call ${call} came where ${this.#calls} was due`;
    if (!this.#with.identities.offers(said)) return `call ${call} is of something that was not offered`;
    if (call > CALLS) return `there are more than ${CALLS} calls`;
    if (this.#calls - this.#told.size > CALLS_OPEN) return `more than ${CALLS_OPEN} calls are open`;
    const fresh = new Set(seen.map(momentOf));
    const isGiven = seen.every((one) => !("answer" in one) || this.#told.has(one.answer));
    const isNew = fresh.size === seen.length && this.#seen.isDisjointFrom(fresh);
    return isGiven && isNew ? null : `call ${call} has seen what it was not given`;
  }

  async #take(call: ScriptCall, identity: Identity): Promise<void> {
    const { flight, state, say, wanted } = this.#with;
    const { node, attempt } = flight;
    if (call.call <= this.#recorded) {
      const found = difference(state().operations.get(operationId(node, attempt, call.call)), { identity, seen: call.seen });
      if (found !== null && wanted()) this.#depart(`at call ${call.call} ${found}`);
      return;
    }
    const wants = await this.#asked(identity);
    if (wants === null) return;
    const command = { kind: "call_operation", node, attempt, call: call.call, key: identity.key, seen: call.seen, asked: wants } as const;
    say({ command, request: null, length: call.input.length });
  }

  /** null: not wanted any more. */
  async #asked(identity: Identity): Promise<CallOperation["asked"] | null> {
    const { plugins, tenant, world, wanted } = this.#with;
    while (wanted()) {
      const answer = await asked(plugins, tenant, identity).catch(() => null);
      if (answer !== null) return wanted() ? answer : null;
      await new Promise<void>((resolve) => void world.alarm(STORE_RETRY_MS, resolve));
    }
    return null;
  }

  #conclude(outcome: ScriptOutcome): void {
    const { flight, land, end } = this.#with;
    const calls = this.#calls;
    const ask = askOf(flight, outcome, { calls, recorded: this.#recorded, hasMoved: this.#hasMoved || calls > this.#told.size });
    if (ask.isFinal) end({ calls, ask: ask.of });
    else land(ask.of);
  }

  #break(what: string): void {
    this.#isOver = true;
    this.#with.world.sandbox.cancel(this.#invocation);
    const { flight, end } = this.#with;
    // The call that broke the rules is not one.
    const calls = this.#calls - 1;
    this.#next(async () => end({ calls, ask: () => violation(flight, what) }));
  }

  #depart(what: string): void {
    this.#isOver = true;
    this.#with.world.sandbox.cancel(this.#invocation);
    this.#with.land(() => divergeReport(this.#with.flight, what));
  }

  /** One after another; what throws is a bug or a broken log, and holds the run. */
  #next(act: () => Promise<void>): void {
    const { land } = this.#with;
    this.#line = this.#line.then(act).catch((error: unknown) =>
      land(() => {
        throw error;
      }),
    );
  }
}
