import type { Graph } from "@woml/model";
import type { Announcement, Own } from "@woml/prisma";
import { foldAll, type NewEvent, type RunId, type RunState, stamp } from "@woml/run";
import { DECISION_COMMANDS, DECISION_TEXT } from "./bounds.ts";
import { announcementsOf, quotaReachedBy } from "./builtin/announce.ts";
import { isOwnCall } from "./builtin/draw.ts";
import { ownOf, tellsOf } from "./builtin/own.ts";
import { type Command, decide } from "./decide.ts";

type Unclocked<C> = C extends unknown ? Omit<C, "now"> : never;
/** A command that waits for its run's next decision; the decision gives it its `now`. */
export interface Asked {
  readonly command: Unclocked<Command>;
  /** The request that asks for it: consumed by the append that grants it. */
  readonly request: string | null;
  /** Of what an execution came to: how often its attempt had been resumed then. A different count means that this is done already. */
  readonly resumed?: number;
  /** Of what a script asks while it goes on: false once its execution is not the one that counts. Such a command is not judged any more. */
  readonly isWanted?: () => boolean;
  /** Length of what it brings into the log, where that may be much. */
  readonly length?: number;
}
export interface Judgement {
  readonly events: readonly NewEvent[];
  /** What the state will be if the append gives these events the time `now`. */
  readonly after: RunState;
  /** Requests that the events grant. */
  readonly granted: readonly string[];
  /** Requests that found nothing to do any more, with what they are answered. */
  readonly unmoved: readonly { readonly id: string; readonly answer: string }[];
  /** What the append changes besides; null: nothing. */
  readonly own: Own | null;
}

/**
 * How many of these are judged for one append: as many as together bring in no more than one of them may, and of calls of the platform's own one,
 * for each is judged by what the one before it has left.
 */
export function together(asked: readonly Asked[]): number {
  let [length, own] = [0, 0];
  const over = asked.findIndex((ask) => {
    length += ask.length ?? 0;
    if (isOwnCall(ask)) own += 1;
    return length > DECISION_TEXT || own > 1;
  });
  return Math.min(over < 0 ? asked.length : Math.max(1, over), DECISION_COMMANDS);
}

/** Of whom it is judged, and when. */
interface Moment {
  readonly now: number;
  readonly run: RunId;
}

/** Judges commands one after another, each against what the ones before it decided, for one append. */
export function judge(graph: Graph | null, state: RunState, asked: readonly Asked[], { now, run }: Moment): Judgement {
  const events: NewEvent[] = [];
  const granted: string[] = [];
  const unmoved: { id: string; answer: string }[] = [];
  let after = state;
  const signals: Announcement[] = [];
  let own: Own = {};
  for (const ask of asked) {
    const decided = isDone(after, ask) ? [] : decideOne(graph, after, { ...ask.command, now });
    if (ask.request !== null && decided.length > 0) granted.push(ask.request);
    else if (ask.request !== null) unmoved.push({ id: ask.request, answer: answerTo(after, ask.command) });
    own = { ...own, ...ownOf(run, after, ask, decided) };
    after = foldAll(stamp(decided, after.head, now), after);
    events.push(...decided);
    signals.push(...quotaReachedBy(after, ask, decided, now));
  }
  signals.push(...announcementsOf(run, after, events));
  own = { ...own, ...tellsOf(after, state), ...(signals.length > 0 ? { signals } : {}) };
  return { events, after, granted, unmoved, own: Object.keys(own).length > 0 ? own : null };
}

export function requestsOf(asked: readonly Asked[]): readonly string[] {
  return asked.flatMap(({ request }) => request ?? []);
}

/** Why nothing followed from a request. */
function answerTo({ ended }: RunState, { kind }: Unclocked<Command>): string {
  if (ended !== null) return "RUN_ALREADY_TERMINAL";
  if (kind === "resolve_approval") return "APPROVAL_NOT_WAITING";
  if (kind === "report_child") return "CHILD_NOT_AWAITED";
  return kind === "resolve_outcome" ? "RESOLUTION_STALE" : "RUN_ALREADY_TERMINAL";
}

function decideOne(graph: Graph | null, state: RunState, command: Command): readonly NewEvent[] {
  if (graph !== null) return decide(graph, state, command);
  if (command.kind === "refuse_run" || command.kind === "cancel_run") return decide(null, state, command);
  throw new Error(`${command.kind} cannot be judged without the definition`);
}

/** Resumes of the current attempt of a node, for whatever reason. */
export function resumesOf(state: RunState, node: string): number {
  return state.steps.get(node)?.resumed ?? 0;
}

function isDone(state: RunState, { command, resumed }: Asked): boolean {
  return resumed !== undefined && "node" in command && resumesOf(state, command.node) !== resumed;
}
