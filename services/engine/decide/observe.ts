/**
 * What observes a run: hooks of its lifecycle and of what is reusable, and notices of approvals. Nothing that they do changes an output, a
 * route or the outcome; a hook that comes before the run or a step holds that back until it has settled, and no longer. Invariants
 * (action.ts goes on with them):
 *
 *  D24 Nothing of the flow begins before its run_start hook has settled, and no step before its step_start hook has.
 *  D25 What observes the same thing is asked for at once, and begins one after the other: the own lifecycle of what is reusable, then the
 *      hooks of the event, then those of either end. What a script of them sees is as it was when they were asked for.
 *  D26 Hooks of the outcome are asked for when nothing else observes, and the terminal event comes when nothing does any more.
 */
import type { Graph, Hook } from "@woml/model";
import { actionAt, actionsOf, hookAt, hookFor, nodeAt, type OwnEvent, ownScripts } from "@woml/run";
import type { Draft } from "./draft.ts";
import { isExhausted } from "./limits.ts";

/** A step has begun, or waits for a hook that comes before it. */
export function hasBegun({ state }: Draft, site: string): boolean {
  return state.steps.has(site) || state.hooks.has(hookAt("step_start", site));
}

/** Asks for the hook that comes before the run (`step` null) or a step; answers whether there is one. */
export function holdBack(draft: Draft, step: string | null): boolean {
  return request(draft, ofLifecycle(draft.graph, step === null ? "run_start" : "step_start", step));
}

/** Begins a step, behind its hook if there is one. */
export function beginStep(draft: Draft, site: string): void {
  if (!holdBack(draft, site)) draft.emit({ type: "step_started", data: { node: site, attempt: 1 } });
}

/** Notices of an approval, all at once. */
export function requestNotices(draft: Draft, approval: string, count: number): void {
  const hook = hookAt("notice", approval);
  const actions = Array.from({ length: count }, (_, at) => actionAt(hook, String(at + 1)));
  draft.emit({ type: "hook_requested", data: { hook, actions } });
  for (const action of actions) beginAction(draft, action);
}

/** A step has ended for good. */
export function stepEnded(draft: Draft, site: string, status: "succeeded" | "failed"): void {
  const { graph } = draft;
  const hook = status === "succeeded" ? "step_success" : "step_failure";
  request(draft, [...ofReusable(graph, site, status), ...ofLifecycle(graph, hook, site), ...ofLifecycle(graph, "step_complete", site)]);
}

/** So has a notice: nobody but its own lifecycle observes it. */
export function noticeEnded(draft: Draft, site: string, status: "succeeded" | "failed"): void {
  request(draft, ofReusable(draft.graph, site, status));
}

/** The outcome is decided. A run that never began, or whose definition cannot be read, is observed by nothing. */
export function outcomeDecided(draft: Draft): void {
  if (draft.isGraphless || draft.state.startedAt === null) terminate(draft);
  else outcomeObserved(draft);
}

/** D26: goes on with the end of the run, once nothing observes it. */
export function outcomeObserved(draft: Draft): void {
  const { observing, hooks, outcome, ended } = draft.state;
  if (observing.length > 0 || outcome === null || ended !== null) return;
  const event = ({ succeeded: "run_success", failed: "run_failure", cancelled: "run_cancel" } as const)[outcome.status];
  const asked = [...ofLifecycle(draft.graph, event, null), ...ofLifecycle(draft.graph, "run_complete", null)];
  const isOver = asked.every(({ hook }) => hooks.has(hook)) || isExhausted(draft.state);
  if (isOver || !request(draft, asked)) terminate(draft);
}

/** Hooks of which nothing goes on any more, because the run ends: what of them has not begun never does. */
export function settleCut(draft: Draft): void {
  for (const hook of draft.state.observing) {
    const { actions = [], failed = 0 } = draft.state.hooks.get(hook) ?? {};
    if (!actions.some((action) => draft.isOpen(action))) draft.emit({ type: "hook_settled", data: { hook, failed } });
  }
}

export function beginAction(draft: Draft, site: string): void {
  draft.emit({ type: "action_started", data: { node: site, attempt: 1 } });
}

interface Asked {
  readonly hook: string;
  /** Numbers of its actions, in order. */
  readonly actions: readonly string[];
}

/** Asks for them, and begins the first. Answers whether there is one. */
function request(draft: Draft, asked: readonly Asked[]): boolean {
  for (const { hook, actions } of asked) {
    draft.emit({ type: "hook_requested", data: { hook, actions: actions.map((action) => actionAt(hook, action)) } });
  }
  const [first] = asked;
  if (first?.actions[0] !== undefined) beginAction(draft, actionAt(first.hook, first.actions[0]));
  return first !== undefined;
}

function ofLifecycle(graph: Graph, event: Hook["on"], subject: string | null): readonly Asked[] {
  const hook = hookFor(graph, event);
  if (hook === undefined) return [];
  if (subject !== null && hook.steps?.includes(nodeAt(subject)) === false) return [];
  return [{ hook: hookAt(event, subject), actions: actionsOf(hook) }];
}

function ofReusable(graph: Graph, subject: string, status: "succeeded" | "failed"): readonly Asked[] {
  const events: readonly OwnEvent[] = [status === "succeeded" ? "use_success" : "use_error", "use_complete"];
  return events.flatMap((event) => {
    const count = ownScripts(graph, subject, event).length;
    return count === 0 ? [] : { hook: hookAt(event, subject), actions: Array.from({ length: count }, (_, at) => String(at + 1)) };
  });
}

function terminate(draft: Draft): void {
  const { outcome } = draft.state;
  if (outcome?.status === "succeeded") draft.emit({ type: "run_succeeded", data: { result: outcome.result } });
  else if (outcome?.status === "failed") draft.emit({ type: "run_failed", data: { failure: outcome.failure } });
  else if (outcome?.status === "cancelled") draft.emit({ type: "run_cancelled", data: {} });
}
