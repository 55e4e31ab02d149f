/**
 * What of one run is in flight: scripts in the sandbox, operations at the plugin host. Makes it what is due; everything that comes of it
 * goes back to the driver as commands.
 */
import { operationId, type RunEvent, type RunState } from "@woml/run";
import type { ScriptOutcome } from "@woml/sandbox";
import { CROWD, RESUME_PAUSE_MS } from "../bounds.ts";
import type { Prepared } from "../definitions.ts";
import type { Due } from "../due.ts";
import type { World } from "../engine.ts";
import { type Flight, Flights } from "../flights.ts";
import type { Asked } from "../judge.ts";
import type { Library } from "../library.ts";
import { Conversation } from "./conversation.ts";
import type { Dispatch, Give, Task } from "./dispatch.ts";
import type { Desk, Errand } from "./errand.ts";
import { Errands } from "./errands.ts";
import { makeFrame } from "./frame.ts";
import { Identities } from "./identity.ts";
import { answerOf, recorded } from "./journal.ts";
import { failedReport, lostWithEngine, parkReport } from "./report.ts";
import { callerOf, type Script } from "./script.ts";
import { type Execution, runTrace, traceExecution } from "./traced.ts";

/** What the performances of an engine share. */
export interface Means extends Omit<Desk, "world"> {
  readonly world: World;
  readonly dispatch: Dispatch;
  readonly library: Library;
  readonly parkAfterMs: number;
}
/** The run that is performed. */
export interface Part extends Pick<Errand, "key" | "epoch" | "fenced"> {
  readonly prepared: Prepared;
  readonly state: () => RunState;
  /** Called with what the run is asked; calling that throws where something is so wrong that the run has to be held. */
  readonly heard: (ask: () => Asked) => void;
  /** Something of it has ended, and may have to be told. */
  readonly stirred: () => void;
}

export class Performance {
  readonly #means: Means;
  readonly #part: Part;
  readonly #flights = new Flights();
  readonly #errands: Errands;
  /** Turns that are kept for what is resumed next, by node. */
  readonly #turns = new Map<string, Give>();

  /** `since`: the run's head when this engine took it up; what was started later was started here. */
  constructor(means: Means, part: Part, since: number) {
    this.#means = means;
    this.#part = part;
    const trace = (node: string): string | null => this.#flights.of(node)?.trace ?? runTrace(part.state());
    this.#errands = new Errands(means, part, { since, trace });
  }
  /** Scripts and operations in flight. */
  get size(): number {
    return this.#flights.size + this.#errands.size;
  }
  /** Nothing of it moves, because its scripts wait for their turns and its operations for hosts and leases. */
  get isWaiting(): boolean {
    return this.size > 0 && this.#errands.areWaiting && [...this.#flights].every(({ isQueued }) => isQueued);
  }
  /**
   * Attempts open in the log of a run that somebody else drove: nothing of them is here, and nothing is sent as it stands. That they are resumed
   * is said when their script can go: what only waits while engines come and go is not held against them (L4).
   */
  adopt(due: Due): void {
    for (const flight of this.#flights.reconcile(this.#part.state(), due.run)) this.#await(flight);
  }
  reconcile(due: Due): void {
    for (const flight of this.#flights.reconcile(this.#part.state(), due.run)) this.#send(flight);
    for (const [node, give] of this.#turns) {
      if (this.#flights.of(node) !== undefined) continue;
      this.#turns.delete(node);
      give(null);
    }
    this.#errands.reconcile(due.operations);
  }
  /** What has just been stored: scripts are told what was said to them. */
  tell(events: readonly RunEvent[]): void {
    const state = this.#part.state();
    for (const { data, seq } of events) {
      if (!("call" in data) || data.call === null) continue;
      const operation = state.operations.get(operationId(data.node, data.attempt, data.call));
      const answer = operation?.answered?.seq === seq ? answerOf(operation) : null;
      if (answer !== null) this.#flights.of(data.node)?.tell(answer);
    }
  }
  /** After a reload: everything that has an answer, in case it was not told yet. */
  retell(): void {
    for (const flight of this.#flights) flight.retell();
  }
  /** Outcomes of scripts whose operations have settled. One whose operations are only asked about from time to time waits without them. */
  endings(): readonly Asked[] {
    const state = this.#part.state();
    return [...this.#flights].flatMap((flight): Asked[] => {
      const { ending, node, attempt } = flight;
      const pending = state.steps.get(node)?.pending ?? [];
      if (ending === null || flight.landed || recorded(state, node, attempt) < ending.calls) return [];
      const isHeldBack = pending.some((call) => this.#errands.carries(operationId(node, attempt, call)));
      if (isHeldBack) return [];
      flight.landed = true;
      return [pending.length === 0 ? ending.ask() : parkReport(flight)];
    });
  }
  clear(): void {
    this.#flights.clear();
    this.#errands.clear();
    for (const give of this.#turns.values()) give(null);
    this.#turns.clear();
  }

  #await(flight: Flight): void {
    const { tenant } = this.#part.key;
    flight.isQueued = true;
    const taken = (give: Give): void => {
      flight.isQueued = false;
      if (!this.#flights.has(flight)) {
        give(null);
        return;
      }
      this.#turns.set(flight.node, give);
      flight.landed = true;
      this.#part.heard(() => lostWithEngine(flight));
    };
    flight.takeBack = this.#means.dispatch.turn({ tenant, pauseMs: pauseMs(this.#part.state(), flight.node, 1), taken });
  }

  #send(flight: Flight): void {
    const { key, prepared, state, heard } = this.#part;
    const { node, attempt } = flight;
    const land = (ask: () => Asked): void => {
      if (!this.#flights.has(flight)) return;
      flight.landed = true;
      heard(ask);
    };
    const script = (): Script => ({ key, prepared, state: state(), node, attempt });
    let conversation: Conversation | null = null;
    let execution: Execution | null = null;
    const over = (outcome: Parameters<Execution["over"]>[0]): void => {
      execution?.over(outcome);
      [execution, flight.trace] = [null, null];
    };
    const task: Task = {
      tenant: key.tenant,
      pauseMs: pauseMs(state(), node, 0),
      frame: () =>
        makeFrame({
          ...{ means: { ...this.#means, parkAfterMs: this.#parkAfterMs() }, script, isWanted: () => this.#flights.has(flight) },
          failed: (failure) => land(() => failedReport(flight, failure)),
          refused: (error) =>
            land(() => {
              throw error;
            }),
        }),
      converse: (invocation) => {
        // One that left before has come back: the sandbox had no room for it.
        over("overloaded");
        execution = traceExecution(this.#means.world, key, state(), flight);
        flight.trace = execution.trace;
        const talk = this.#conversation(flight, invocation, land);
        conversation = talk;
        Object.assign(flight, { tell: talk.tell.bind(talk), retell: talk.retell.bind(talk) });
        return { listener: talk.listener, begun: () => talk.retell() };
      },
      heard: (outcome) => {
        over(outcome.outcome);
        conversation?.over(placed(prepared, outcome));
      },
    };
    const kept = this.#turns.get(node);
    this.#turns.delete(node);
    const takeBack = kept === undefined ? this.#means.dispatch.send(task) : kept(task);
    flight.takeBack = () => {
      over("let_go");
      takeBack();
    };
  }

  /** Where others of the tenant wait, a script that only waits makes room for them. */
  #parkAfterMs(): number {
    const { dispatch, parkAfterMs } = this.#means;
    return dispatch.ofTenant(this.#part.key.tenant) >= CROWD.invocations ? Math.min(CROWD.parkAfterMs, parkAfterMs) : parkAfterMs;
  }

  #conversation(flight: Flight, invocation: string, land: (ask: () => Asked) => void): Conversation {
    const { key, prepared, state, heard, stirred } = this.#part;
    const caller = callerOf(this.#means.world, { key, prepared, state: state(), node: flight.node, attempt: flight.attempt });
    const isWanted = (): boolean => this.#flights.lists(flight);
    return new Conversation(
      {
        world: this.#means.world,
        plugins: this.#means.plugins,
        tenant: key.tenant,
        flight,
        identities: new Identities(this.#means.world, caller),
        state,
        wanted: () => this.#flights.has(flight),
        say: (asked) => heard(() => ({ ...asked, isWanted })),
        land,
        end: (ending) => {
          flight.ending = ending;
          stirred();
        },
      },
      invocation,
    );
  }
}

/** What a script came to, for an author: in the files that he wrote. */
function placed(prepared: Prepared, outcome: ScriptOutcome): ScriptOutcome {
  const { failure } = outcome;
  return failure === undefined ? outcome : { ...outcome, failure: { ...failure, stack: prepared.placed(failure.stack) } };
}

/** The k-th resume for something lost waits longer than the one before, so that a supervisor can come back. `more`: of those yet to be stored. */
function pauseMs(state: RunState, node: string, more: number): number {
  const { host, worker } = state.steps.get(node)?.resumes ?? { host: 0, worker: 0 };
  return RESUME_PAUSE_MS * (2 ** Math.max(0, host + worker + more - 1) - 1);
}
