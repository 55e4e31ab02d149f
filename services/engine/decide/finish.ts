/**
 * How runs end. A run that must stop while operations are pending says so first (`stop_decided`); from then on nothing begins, and each
 * step ends when the last of its operations has settled. Unknowns are left as they are.
 */
import type { Json } from "@woml/model";
import { type Failure, isAction, type Outcome, type RunEvents } from "@woml/run";
import type { Draft } from "./draft.ts";
import { outcomeDecided, settleCut } from "./observe.ts";
import { letGo } from "./wait.ts";

type Reason = RunEvents["step_cancelled"]["reason"];
type Stop = RunEvents["stop_decided"];

/** Decides the outcome: nothing of the flow is open, and everything that can be reached has settled. */
export function conclude(draft: Draft, failure: Failure | null): void {
  if (failure !== null) decide(draft, { status: "failed", failure });
  else decide(draft, { status: "succeeded", result: resultOf(draft) });
}

function resultOf({ graph, state }: Draft): Json {
  const node = graph.definition.result;
  const result = state.outputs.get(node);
  if (result === undefined) throw new Error(`the run is complete, but its result ${node} has no output`);
  return result;
}

/** Ends the run whatever goes on in it. One that fails already does so with what it failed for first, but for its time-out. */
export function fail(draft: Draft, failure: Failure, reason: "run_failed" | "timed_out" = "run_failed"): void {
  const first = reason === "timed_out" ? null : draft.state.failing;
  stop(draft, { reason, failure: first ?? failure });
}

export function stop(draft: Draft, decided: Stop): void {
  for (const site of draft.state.open) letGo(draft, site);
  if (draft.state.open.some((site) => isPending(draft, site))) draft.emit({ type: "stop_decided", data: decided });
  windDown(draft, decided);
}

/** Cancels what is open and waits for no operation, and decides the outcome with the last of it. */
export function windDown(draft: Draft, decided: Stop): void {
  for (const site of draft.state.open) if (!isPending(draft, site)) cancel(draft, site, decided.reason);
  if (draft.state.open.length > 0) return;
  settleCut(draft);
  decide(draft, decided.failure === null ? { status: "cancelled" } : { status: "failed", failure: decided.failure });
}

/** Ends a run whose outcome is decided, and with it what still observes it: nobody hears of that any more. */
export function cutShort(draft: Draft): void {
  for (const site of draft.state.open) cancel(draft, site, "cancelled");
  settleCut(draft);
  outcomeDecided(draft);
}

function decide(draft: Draft, outcome: Outcome): void {
  draft.emit({ type: "outcome_decided", data: outcome });
  outcomeDecided(draft);
}

function cancel(draft: Draft, site: string, reason: Reason): void {
  const attempt = draft.state.steps.get(site)?.attempt;
  if (attempt === undefined) return;
  if (!isAction(site)) draft.emit({ type: "step_cancelled", data: { node: site, attempt, reason } });
  else draft.emit({ type: "action_settled", data: { node: site, attempt, status: "cancelled", failure: null, cpuMs: 0, dueAt: null } });
}

function isPending({ state }: Draft, site: string): boolean {
  return (state.steps.get(site)?.pending.length ?? 0) > 0;
}
