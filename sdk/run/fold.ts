/**
 * `fold(state, event)` is the only way from a log to what it means. It refuses an illegal history by throwing BrokenLog, because going on
 * from one could do work twice. Invariants (codes in fold/broken.ts, tests quote the numbers):
 *
 *  F1  seq counts from 1 without gaps, types are known.   F2  `at` is never before the previous event's.
 *  F3  run_admitted is first, and comes once.             F4  Nothing follows run_succeeded, run_failed or run_cancelled.
 *  F5  run_started comes once; no work before it.         F6  One attempt of a node at a time, numbered 1, 2, 3 …
 *  F7  Attempt n + 1 is scheduled by the event directly after the failure of attempt n, and starts no earlier than it is due.
 *  F8  Only an open attempt ends, and it ends once.       F9  A node has one output.
 *  F10 Resumes count from 1: engine and host together, worker apart.
 *  F11 A group opens once and settles once; succeeded means nothing failed, and the steps named failed or cancelled are so.
 *  F12 A choice selects once, then settles once.
 *  F13 One cancel, deadline or stop at most (a stop follows what it stops for, and only while operations are pending), the deadline at its
 *      time; after it nothing begins: operations only settle. After a failure for good something begins only where a group or a loop goes on
 *      beside it, or where it is said that the run will fail; and nothing of what was told to end.
 *  F14 One outcome, with nothing of the flow open: succeeded only if all that began succeeded, cancelled exactly if a cancel was requested,
 *      what a stop had decided, and of a run that was failing what it failed for first, unless its time was over.
 *  F15 Between the outcome and the terminal event stands only what observes, which has ended by then; both say the same.
 *  F16 An event carries what its type says: every member there, and of its kind.
 *  F17 Only a script that runs calls: numbered 1, 2, 3 … an attempt, and it had seen only what was answered.
 *  F18 Each dispatch has a start of its own: try 1 says what is called, the others count by one until the operation has settled.
 *  F19 A key stands once in an attempt, and for one node. What an earlier attempt achieved, or may have, under it is not performed again:
 *      it is reused, with the same input. What is performed under a key that an earlier run had used says since when, and truly.
 *  F20 A try settles once, while it is the last; what is reused succeeds. Only what can be asked about is doubted, or whose host is out of
 *      reach; and that it was not sent is the first thing that is said of a try.
 *  F21 A step has no outcome while an operation of it is pending; nor, but by a cancel, while one waits for a person or it diverged; and an
 *      attempt that holds an unknown is never retried.
 *  F22 A person resolves only what waits for a person; and that it was not done, only when nothing may be performing it any more.
 *  F23 A dispatch is repeated only as its class allows: pure; keyed, in the window of its key; reattachable, when its provider was asked and
 *      the key is in its window or "not found" is proof; any, after a try that was not sent; else only by a person who said so.
 *  F24 Only a script that runs is parked, while operations of it are pending, or diverges.
 *  F25 A loop starts its iterations in order, no more at a time than it may and none after a failure; each ends once, and it ends with them.
 *  F26 A fork opens once; each branch settles once; its join succeeds with all that it waits for and fails with one of them.
 *  F27 An approval is requested once and ends once: by a person, or by its time-out when that is due.
 *  F28 A hook is requested once; only its actions run, under the same rules as attempts, and it settles when they have.
 *  F29 Outputs, operations and keys are inherited before the start, by a run that resumes another.   F30 Each limit warns once.
 */
import type { RunEvent, RunEvents, RunEventType } from "./event.ts";
import * as approval from "./fold/approval.ts";
import * as attempt from "./fold/attempt.ts";
import * as choice from "./fold/choice.ts";
import { demand } from "./fold/demand.ts";
import * as fork from "./fold/fork.ts";
import * as hook from "./fold/hook.ts";
import * as inherited from "./fold/inherited.ts";
import * as loop from "./fold/loop.ts";
import * as operation from "./fold/operation.ts";
import * as parallel from "./fold/parallel.ts";
import * as resolution from "./fold/resolution.ts";
import * as run from "./fold/run.ts";
import { isShaped } from "./fold/shape.ts";
import * as step from "./fold/step.ts";
import { ledger } from "./ledger.ts";
import { isAction } from "./site.ts";
import type { RunState } from "./state.ts";

/** `state` is that of before, but its head and time are already the event's. A new event without a fold does not compile. */
type Folds = { readonly [K in RunEventType]: (state: RunState, data: RunEvents[K]) => RunState };
const folds: Folds = {
  ...run,
  ...step,
  ...attempt,
  ...operation,
  ...resolution,
  ...parallel,
  ...choice,
  ...fork,
  ...loop,
  ...approval,
  ...hook,
  effect_inherited: inherited.effect_inherited,
  key_inherited: inherited.key_inherited,
};

/** Before the first event. */
export const genesis: RunState = {
  head: 0,
  at: 0,
  admitted: null,
  admittedAt: null,
  startedAt: null,
  deadlineAt: null,
  cancelRequested: false,
  deadlineReached: false,
  outcome: null,
  ended: null,
  stop: null,
  stoppedAt: null,
  steps: ledger(),
  operations: ledger(),
  byKey: ledger(),
  windows: ledger(),
  parallels: ledger(),
  choices: ledger(),
  forks: ledger(),
  loops: ledger(),
  approvals: ledger(),
  hooks: ledger(),
  waiting: [],
  looping: [],
  observing: [],
  outputs: ledger(),
  outputBytes: 0,
  warned: [],
  failing: null,
  open: [],
  lastFailed: null,
};

/** The same for whoever takes a log over, and needs all that it did: `inherit` takes no other state. */
export const remembering: RunState = { ...genesis, remembers: true };

/** The state after one more event. Throws BrokenLog. */
export function fold<K extends RunEventType>(state: RunState, event: RunEvent<K>): RunState {
  const moved = { ...state, head: event.seq, at: event.at };
  demand(moved, "WOML_LOG_SEQUENCE", event.seq === state.head + 1);
  demand(moved, "WOML_LOG_TYPE", Object.hasOwn(folds, event.type));
  demand(moved, "WOML_LOG_DATA", isShaped(event));
  demand(moved, "WOML_LOG_TIME", event.at >= state.at);
  demand(moved, "WOML_LOG_ADMISSION", (event.type === "run_admitted") === (state.admitted === null));
  demand(moved, "WOML_LOG_AFTER_END", state.ended === null);
  demand(
    moved,
    "WOML_LOG_END",
    state.outcome === null ? !isTerminal(event.type) : isTerminal(event.type) || observes(event.type, event.data),
  );
  return folds[event.type](moved, event.data);
}

/** Time linear in the events. Throws BrokenLog. */
export function foldAll(events: Iterable<RunEvent>, from: RunState = genesis): RunState {
  let state = from;
  for (const event of events) state = fold(state, event);
  return state;
}

/** What may follow the outcome before the terminal event. */
function observes(type: RunEventType, data: object): boolean {
  return type === "hook_requested" || type === "hook_settled" || ("node" in data && isAction(String(data.node)));
}

function isTerminal(type: RunEventType): boolean {
  return type === "run_succeeded" || type === "run_failed" || type === "run_cancelled";
}
