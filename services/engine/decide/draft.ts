import type { Graph } from "@woml/model";
import { type Failure, fold, type NewEvent, type RunState } from "@woml/run";

/**
 * The answer to a command while it is being written: each event is folded at once, so that what follows is judged by what was just said,
 * and an answer that the log would refuse is never given (fold throws).
 */
export class Draft {
  readonly events: NewEvent[] = [];
  /** What the main route has failed for in this answer. */
  mainFailure: Failure | null = null;
  #graph: Graph | null;
  #state: RunState;
  #at: number;

  constructor(graph: Graph | null, state: RunState) {
    this.#graph = graph;
    this.#state = state;
    this.#at = state.at;
  }
  get state(): RunState {
    return this.#state;
  }
  /** The earliest time that these events can get. */
  get at(): number {
    return this.#at;
  }
  get graph(): Graph {
    if (this.#graph === null) throw new Error("this command cannot be judged without the definition");
    return this.#graph;
  }
  get isGraphless(): boolean {
    return this.#graph === null;
  }
  /** Nothing of the flow begins any more: the run stops, or its outcome is decided. */
  get isOver(): boolean {
    return this.#state.stop !== null || this.#state.outcome !== null;
  }
  /** A step or action is running, or waits for its next attempt. */
  isOpen(site: string): boolean {
    const status = this.#state.steps.get(site)?.status;
    return status === "running" || status === "backoff";
  }
  tick(now: number): void {
    this.#at = Math.max(this.#at, now);
  }
  emit(event: NewEvent): void {
    this.#state = fold(this.#state, { ...event, seq: this.#state.head + 1, at: this.#at });
    this.events.push(event);
  }
}
