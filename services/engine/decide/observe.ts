/** What observes a run: hooks of its lifecycle, and of what is reusable. Nothing that they do changes what they observe. */
import type { Json } from "@woml/model";
import { type Failure, hookAt } from "@woml/run";
import type { Draft } from "./draft.ts";

/** A step has begun, or waits for a hook that comes before it. */
export function hasBegun({ state }: Draft, site: string): boolean {
  return state.steps.has(site) || state.hooks.has(hookAt("step_start", site));
}

/** Begins a step, behind its hook if there is one. */
export function beginStep(draft: Draft, site: string): void {
  draft.emit({ type: "step_started", data: { node: site, attempt: 1 } });
}

/** Notices of an approval, all at once. */
export function requestNotices(_draft: Draft, _approval: string, _count: number): void {}

/** Hooks of the outcome, then the terminal event. */
export function outcomeDecided(draft: Draft): void {
  terminate(draft);
}

function terminate(draft: Draft): void {
  const { outcome } = draft.state;
  if (outcome?.status === "succeeded") draft.emit({ type: "run_succeeded", data: { result: outcome.result } });
  else if (outcome?.status === "failed") draft.emit({ type: "run_failed", data: { failure: outcome.failure } });
  else if (outcome?.status === "cancelled") draft.emit({ type: "run_cancelled", data: {} });
}

/** A step has ended for good: what observes that is asked to. */
export function stepEnded(_draft: Draft, _site: string, _status: "succeeded" | "failed"): void {}

/** What became of one attempt of an action. */
export type ActionOutcome = {
  readonly node: string;
  readonly attempt: number;
  readonly cpuMs: number;
} & ({ readonly output: Json } | { readonly failure: Failure });

export function settleAction(_draft: Draft, _ended: ActionOutcome): void {}

/** Nobody is asked: it has failed. */
export function divergeAction(
  _draft: Draft,
  _diverged: { readonly node: string; readonly attempt: number; readonly detail: string },
): void {}
