/**
 * `decide(graph, state, command)` judges a command against what the log says and answers the events that follow, or none. Pure: time, ids
 * and chance come with the command. Invariants (tests quote the numbers):
 *
 *  D1 A stale command (attempt not open, run ended or not admitted, admitted twice) answers []: the same command may be judged again after
 *     a lost answer.
 *  D2 The outcome of a step comes before the start of what depends on it, in the same answer.
 *  D3 A step starts only when every edge into it is resolved, and once per attempt number.
 *  D4 A run that ends says so last: the outcome is decided in the answer to the last of its flow, and the one terminal event ends the answer to
 *     the last of what observes that. A cancel or its time-out first ends what is open, where operations are pending in the answer to the last
 *     of them.
 *  D5 Past the deadline only the deadline is decided, and then what operations come to.
 *  D6 Only what a script threw, or a retryable failure that it passed on, is retried, at most maxAttempts times in all, and never an attempt
 *     that holds an unknown.
 *  D7 Lost attempts are resumed at most RESUMES times, then fail.
 *  D8 The order of nodes and edges in a definition changes nothing.
 *  D9 The answer folds: an event that the log would refuse is never given.
 *  D10–D15 and D21 stand in decide/recovery.ts, D16–D18 in decide/call.ts, D19 and D20 in decide/resolve.ts, D22 and
 *  D23 in decide/flow.ts, D24–D26 in decide/observe.ts, D27–D29 in decide/action.ts, D31–D33 in decide/limits.ts.
 */
import type { Graph } from "@woml/model";
import type { NewEvent, RunState } from "@woml/run";
import { admitRun, refuseRun } from "./decide/admit.ts";
import { divergeAttempt, parkAttempt, reportAttempt, resumeAttempt } from "./decide/attempt.ts";
import { callOperation } from "./decide/call.ts";
import { cancelRun } from "./decide/cancel.ts";
import { reportChild } from "./decide/child.ts";
import type { Command, GraphlessCommand } from "./decide/command.ts";
import { resolveApproval } from "./decide/decision.ts";
import { Draft } from "./decide/draft.ts";
import { keepWithin } from "./decide/history.ts";
import { reportOperation } from "./decide/operation.ts";
import { resolveOutcome } from "./decide/resolve.ts";
import { fireTimers, reachDeadline } from "./decide/timer.ts";

export type { CallOperation, Command, GraphlessCommand, Said } from "./decide/command.ts";

/** The graph may be missing only where the definition could not be read: to refuse a run, or to cancel one. */
export function decide(graph: Graph | null, state: RunState, command: GraphlessCommand): readonly NewEvent[];
export function decide(graph: Graph, state: RunState, command: Command): readonly NewEvent[];
export function decide(graph: Graph | null, state: RunState, command: Command): readonly NewEvent[] {
  const draft = new Draft(graph, state);
  judge(draft, command);
  return draft.events;
}

function judge(draft: Draft, command: Command): void {
  draft.tick(command.now);
  const { admitted, ended } = draft.state;
  const isAdmission = command.kind === "admit_run" || command.kind === "refuse_run";
  if (ended !== null || isAdmission !== (admitted === null)) return;
  reachDeadline(draft);
  if (draft.state.ended === null) answer(draft, command);
  keepWithin(draft);
}

function answer(draft: Draft, command: Command): void {
  switch (command.kind) {
    case "admit_run":
      admitRun(draft, command);
      break;
    case "refuse_run":
      refuseRun(draft, command);
      break;
    case "report_attempt":
      reportAttempt(draft, command);
      break;
    case "resume_attempt":
      resumeAttempt(draft, command);
      break;
    case "call_operation":
      callOperation(draft, command);
      break;
    case "report_operation":
      reportOperation(draft, command);
      break;
    case "report_child":
      reportChild(draft, command);
      break;
    case "park_attempt":
      parkAttempt(draft, command);
      break;
    case "diverge_attempt":
      divergeAttempt(draft, command);
      break;
    case "resolve_outcome":
      resolveOutcome(draft, command);
      break;
    case "resolve_approval":
      resolveApproval(draft, command);
      break;
    case "fire_timers":
      fireTimers(draft);
      break;
    case "cancel_run":
      cancelRun(draft, command);
      break;
    default:
      command satisfies never;
  }
}
