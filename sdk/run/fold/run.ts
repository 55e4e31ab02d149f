import type { Json } from "@woml/model";
import type { Failure, Outcome, RunEvents } from "../event.ts";
import { isAction } from "../site.ts";
import type { RunState } from "../state.ts";
import { demand, isGoing } from "./demand.ts";
import { withOutput } from "./output.ts";

export function run_admitted(state: RunState, data: RunEvents["run_admitted"]): RunState {
  return { ...state, admitted: data, admittedAt: state.at };
}

export function run_started(state: RunState, data: RunEvents["run_started"]): RunState {
  demand(state, "WOML_LOG_START", state.startedAt === null);
  return { ...state, startedAt: state.at, deadlineAt: data.deadlineAt };
}

/** Before the run starts. */
export function output_inherited(state: RunState, { node, output }: RunEvents["output_inherited"]): RunState {
  demand(state, "WOML_LOG_INHERITED", state.startedAt === null && state.admitted?.resumed !== undefined);
  return withOutput(state, node, output);
}

export function limit_warned(state: RunState, { limit }: RunEvents["limit_warned"]): RunState {
  demand(state, "WOML_LOG_LIMIT", !state.warned.includes(limit));
  return { ...state, warned: [...state.warned, limit] };
}

export function cancel_requested(state: RunState): RunState {
  demand(state, "WOML_LOG_STOP", isGoing(state) && state.outcome === null);
  return { ...state, cancelRequested: true };
}

export function deadline_reached(state: RunState, data: RunEvents["deadline_reached"]): RunState {
  demand(
    state,
    "WOML_LOG_STOP",
    isGoing(state) && state.outcome === null && data.deadlineAt === state.deadlineAt && state.at >= data.deadlineAt,
  );
  return { ...state, deadlineReached: true };
}

export function stop_decided(state: RunState, data: RunEvents["stop_decided"]): RunState {
  const { cancelRequested, deadlineReached } = state;
  demand(state, "WOML_LOG_STOP", state.stop === null && state.open.some((node) => state.steps.get(node)?.pending.length));
  demand(state, "WOML_LOG_STOP", cancelRequested === (data.reason === "cancelled") && deadlineReached === (data.reason === "timed_out"));
  demand(state, "WOML_LOG_STOP", cancelRequested === (data.failure === null));
  return { ...state, stop: data, stoppedAt: state.at };
}

export function outcome_decided(state: RunState, outcome: Outcome): RunState {
  demand(
    state,
    "WOML_LOG_OUTCOME",
    state.outcome === null && state.open.every(isAction) && allowed(state, outcome) && keepsStop(state, outcome),
  );
  return { ...state, outcome, stop: null, waiting: [], looping: [] };
}

export function run_succeeded(state: RunState, data: RunEvents["run_succeeded"]): RunState {
  demandObserved(state);
  demand(state, "WOML_LOG_END", state.outcome?.status === "succeeded" && same(state.outcome.result, data.result));
  return { ...state, ended: "succeeded" };
}

export function run_failed(state: RunState, data: RunEvents["run_failed"]): RunState {
  demandObserved(state);
  demand(state, "WOML_LOG_END", state.outcome?.status === "failed" && same(state.outcome.failure, data.failure));
  return { ...state, ended: "failed" };
}

export function run_cancelled(state: RunState): RunState {
  demandObserved(state);
  demand(state, "WOML_LOG_END", state.outcome?.status === "cancelled");
  return { ...state, ended: "cancelled" };
}

function allowed(state: RunState, outcome: Outcome): boolean {
  switch (outcome.status) {
    case "cancelled":
      return state.cancelRequested;
    case "failed":
      return !state.cancelRequested && keepsFailing(state, outcome.failure);
    case "succeeded":
      return state.startedAt !== null && isGoing(state) && allSucceeded(state);
    default:
      return outcome satisfies never;
  }
}

/** F15: what observes has come to its end. */
function demandObserved(state: RunState): void {
  demand(state, "WOML_LOG_END", state.observing.length === 0 && state.open.length === 0);
}

/** A run that was failing does so with what it failed for first, unless its time is over. */
function keepsFailing({ failing, stop, deadlineReached }: RunState, failure: Failure): boolean {
  return failing === null || stop !== null || deadlineReached || same(failing, failure);
}

/** A run that was stopping ends as was decided. */
function keepsStop({ stop }: RunState, outcome: Outcome): boolean {
  if (stop === null) return true;
  return stop.failure === null ? outcome.status === "cancelled" : outcome.status === "failed" && same(outcome.failure, stop.failure);
}

/** Looks at every node, once in the life of a run. */
function allSucceeded(state: RunState): boolean {
  if (state.failing !== null || state.waiting.length > 0 || state.looping.length > 0) return false;
  for (const [site, step] of state.steps.entries()) if (step.status !== "succeeded" && !isAction(site)) return false;
  for (const [, { join, branches }] of state.forks.entries())
    if (join !== "succeeded" || [...branches.entries()].some(([, status]) => status !== "succeeded")) return false;
  for (const [, group] of state.parallels.entries()) if (group.status !== "succeeded") return false;
  for (const [, choice] of state.choices.entries()) if (!choice.settled) return false;
  return true;
}

/** Stored JSON keeps the order of its members, so the texts of equal values are equal. */
function same(left: Json | object, right: Json | object): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}
