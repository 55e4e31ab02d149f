import type { Graph } from "@woml/model";
import { foldAll, type NewEvent, type RunState, stamp } from "@woml/run";
import { DECISION_COMMANDS, DECISION_TEXT } from "./bounds.ts";
import { type Command, decide } from "./decide.ts";

type Unclocked<C> = C extends unknown ? Omit<C, "now"> : never;
/** A command that waits for its run's next decision; the decision gives it its `now`. */
export interface Asked {
  readonly command: Unclocked<Command>;
  /** The request that asks for it: consumed by the append that grants it. */
  readonly request: string | null;
  /** For resume_attempt: how often the attempt had been resumed when it was found lost. A different count means that it is done already. */
  readonly resumed?: number;
  /** Length of what it brings into the log, where that may be much. */
  readonly length?: number;
}
export interface Judgement {
  readonly events: readonly NewEvent[];
  /** What the state will be if the append gives these events the time `now`. */
  readonly after: RunState;
  /** Requests that the events grant. */
  readonly granted: readonly string[];
  /** Requests that found nothing to do any more. */
  readonly unmoved: readonly string[];
}

/** How many of these are judged for one append: as many as together bring in no more than one of them may. */
export function together(asked: readonly Asked[]): number {
  let length = 0;
  const over = asked.findIndex((ask) => {
    length += ask.length ?? 0;
    return length > DECISION_TEXT;
  });
  return Math.min(over < 0 ? asked.length : Math.max(1, over), DECISION_COMMANDS);
}

/** Judges commands one after another, each against what the ones before it decided, for one append. */
export function judge(graph: Graph | null, state: RunState, asked: readonly Asked[], now: number): Judgement {
  const events: NewEvent[] = [];
  const granted: string[] = [];
  const unmoved: string[] = [];
  let after = state;
  for (const ask of asked) {
    const decided = isDone(after, ask) ? [] : decideOne(graph, after, { ...ask.command, now });
    if (ask.request !== null) (decided.length > 0 ? granted : unmoved).push(ask.request);
    after = foldAll(stamp(decided, after.head, now), after);
    events.push(...decided);
  }
  return { events, after, granted, unmoved };
}

function decideOne(graph: Graph | null, state: RunState, command: Command): readonly NewEvent[] {
  if (graph !== null) return decide(graph, state, command);
  if (command.kind === "refuse_run" || command.kind === "cancel_run") return decide(null, state, command);
  throw new Error(`${command.kind} cannot be judged without the definition`);
}

/** Resumes of the current attempt of a node, of every kind. */
export function resumesOf(state: RunState, node: string): number {
  const resumes = state.steps.get(node)?.resumes;
  return resumes ? resumes.host + resumes.worker : 0;
}

function isDone(state: RunState, { command, resumed }: Asked): boolean {
  return command.kind === "resume_attempt" && resumed !== undefined && resumesOf(state, command.node) !== resumed;
}
