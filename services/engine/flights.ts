import type { RunState } from "@woml/run";
import { type Asked, resumesOf } from "./judge.ts";
import type { Answer } from "./perform/journal.ts";

/** An attempt as due names it. */
export interface Due {
  readonly node: string;
  readonly attempt: number;
}
/** What a script that has ended asks of the run: held back until all its calls are in the log and their operations have settled. */
export interface Ending {
  readonly calls: number;
  readonly ask: () => Asked;
}
/** One execution of an attempt: a resumed attempt flies again. */
export interface Flight extends Due {
  /** How often the attempt had been resumed. */
  readonly resumed: number;
  /** True once its outcome is among the run's commands; it stays listed until the log has moved past it, else it would be sent twice. */
  landed: boolean;
  /** It has a turn to come before anything of it can be said. */
  isQueued: boolean;
  ending: Ending | null;
  /** `traceparent` of its execution while that lasts. */
  trace: string | null;
  takeBack: () => void;
  /** Gives its script an answer, if it is in the sandbox. */
  tell: (answer: Answer) => void;
  retell: () => void;
}

/** What of one run is in the sandbox, by node. */
export class Flights {
  readonly #byNode = new Map<string, Flight>();

  get size(): number {
    return this.#byNode.size;
  }
  [Symbol.iterator](): Iterator<Flight> {
    return this.#byNode.values();
  }
  of(node: string): Flight | undefined {
    return this.#byNode.get(node);
  }
  /** Listed, though it may have landed: the log has not moved past it. */
  lists(flight: Flight): boolean {
    return this.#byNode.get(flight.node) === flight;
  }
  /** Still the one that counts? An outcome of any other is not heard. */
  has(flight: Flight): boolean {
    return this.lists(flight) && !flight.landed;
  }
  /** Makes what flies what is due: takes back what is not due any more, and answers what has yet to be sent. */
  reconcile(state: RunState, due: readonly Due[]): readonly Flight[] {
    const wanted = new Map(due.map((one) => [one.node, one]));
    for (const flight of this.#byNode.values()) {
      const still = wanted.get(flight.node);
      if (still?.attempt !== flight.attempt || resumesOf(state, flight.node) !== flight.resumed) this.#drop(flight);
    }
    const missing = due.filter((one) => !this.#byNode.has(one.node)).map((one) => takeOff(state, one));
    for (const flight of missing) this.#byNode.set(flight.node, flight);
    return missing;
  }
  clear(): void {
    for (const flight of this.#byNode.values()) this.#drop(flight);
  }
  #drop(flight: Flight): void {
    this.#byNode.delete(flight.node);
    if (!flight.landed) flight.takeBack();
  }
}

function takeOff(state: RunState, { node, attempt }: Due): Flight {
  const nothing = (): void => undefined;
  const sent = { landed: false, isQueued: false, ending: null, trace: null, takeBack: nothing, tell: nothing, retell: nothing };
  return { node, attempt, resumed: resumesOf(state, node), ...sent };
}
