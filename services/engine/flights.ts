import type { RunState } from "@woml/run";
import { resumesOf } from "./judge.ts";

/** An attempt as due names it. */
export interface Due {
  readonly node: string;
  readonly attempt: number;
}
/** One execution of an attempt: a resumed attempt flies again under a higher count. */
export interface Flight extends Due {
  readonly resumed: number;
  /** True once its outcome is among the run's commands; it stays listed until the log has moved past it, else it would be sent twice. */
  landed: boolean;
  takeBack: () => void;
}

/** What of one run is in flight, by node. */
export class Flights {
  readonly #byNode = new Map<string, Flight>();

  get size(): number {
    return this.#byNode.size;
  }
  /** Still the one that counts? An outcome of any other is not heard. */
  has(flight: Flight): boolean {
    return this.#byNode.get(flight.node) === flight && !flight.landed;
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
  /** Lists what is open in the log of a run that somebody else drove: nothing of it flies here, and nothing of it is sent as it stands. */
  adopt(state: RunState, due: readonly Due[]): readonly Flight[] {
    const lost = this.reconcile(state, due);
    for (const flight of lost) flight.landed = true;
    return lost;
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
  return { node, attempt, resumed: resumesOf(state, node), landed: false, takeBack: () => undefined };
}
