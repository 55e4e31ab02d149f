/**
 * What becomes of actions of hooks and of notices, and what follows when a hook has settled. Invariants (D24–D26 stand in observe.ts):
 *
 *  D27 A hook settles once, in the answer to the last of its actions; an action that has failed is counted and changes nothing.
 *  D28 A notice is tried again only where its failure is known and may be cured, at most as often as there are delays; that of an approval
 *      only while that waits.
 *  D29 An approval that waits fails when none of its notices was delivered.
 */
import type { Json } from "@woml/model";
import { actionSite, type Failure, type HookState, hookAt, hookOf, NOTICE_DELAYS_MS, noticeAt } from "@woml/run";
import type { Draft } from "./draft.ts";
import { enter, failAt, run } from "./flow.ts";
import { isExhausted } from "./limits.ts";
import { beginAction, noticeEnded, outcomeObserved } from "./observe.ts";
import { groupOf } from "./parallel.ts";
import { spotAt } from "./spot.ts";

/** What became of one attempt of an action. */
export type ActionOutcome = {
  readonly node: string;
  readonly attempt: number;
  readonly cpuMs: number;
} & ({ readonly output: Json } | { readonly failure: Failure });

/** `mayRetry`: the failure is known, and another attempt may cure it. */
export function settleAction(draft: Draft, ended: ActionOutcome, mayRetry = false): void {
  const { node, attempt, cpuMs } = ended;
  const isNotice = noticeAt(draft.graph, node) !== null;
  const told = isNotice && "output" in ended ? delivered(node, ended.output) : ended;
  const failure = "failure" in told ? told.failure : null;
  const isAgain = isNotice && mayRetry && isWanted(draft, node) && !isExhausted(draft.state);
  const delayMs = isAgain ? NOTICE_DELAYS_MS[attempt - 1] : undefined;
  const result = isNotice && "output" in told ? { result: told.output } : {};
  const status = failure === null ? "succeeded" : "failed";
  const dueAt = failure === null || delayMs === undefined ? null : draft.at + delayMs;
  draft.emit({ type: "action_settled", data: { node, attempt, status, ...result, failure, cpuMs, dueAt } });
  if (dueAt !== null) return;
  if (isNotice && draft.state.stop === null) noticeEnded(draft, node, status);
  hookMoved(draft, actionSite(node)?.hook ?? "");
}

/** An approval has ended: nobody is told of it any more, but whoever is being told just now. */
export function withdraw(draft: Draft, approval: string): void {
  const hook = hookAt("notice", approval);
  for (const node of draft.state.hooks.get(hook)?.actions ?? []) {
    const { status, attempt = 1 } = draft.state.steps.get(node) ?? {};
    if (status !== "backoff") continue;
    draft.emit({ type: "action_settled", data: { node, attempt, status: "cancelled", failure: null, cpuMs: 0, dueAt: null } });
  }
  hookMoved(draft, hook);
}

/** What it tells of waits still. */
function isWanted(draft: Draft, node: string): boolean {
  const { event, subject } = actionSite(node) ?? {};
  return event !== "notice" || draft.state.approvals.get(subject ?? "")?.status === "waiting";
}

/** Nobody is asked: it has failed, once its operations have settled. */
export function divergeAction(draft: Draft, diverged: { readonly node: string; readonly attempt: number; readonly detail: string }): void {
  const { node, attempt, detail } = diverged;
  const message = `Run again, the script did not do what is recorded: ${detail}.`;
  if (draft.state.steps.get(node)?.pending.length) draft.emit({ type: "attempt_parked", data: { node, attempt } });
  else settleAction(draft, { node, attempt, cpuMs: 0, failure: { code: "WOML_REPLAY_DIVERGED", kind: "diverged", message, step: node } });
}

function hookMoved(draft: Draft, hook: string): void {
  const state = draft.state.hooks.get(hook);
  if (state?.status !== "open" || state.actions.some((action) => draft.isOpen(action))) return;
  const next = isExhausted(draft.state) ? undefined : state.actions.find((action) => !draft.state.steps.has(action));
  if (next !== undefined) beginAction(draft, next);
  else {
    draft.emit({ type: "hook_settled", data: { hook, failed: state.failed } });
    hookSettled(draft, hook, state);
    outcomeObserved(draft);
  }
}

function hookSettled(draft: Draft, hook: string, state: HookState): void {
  const { event, subject } = hookOf(hook);
  if (event === "run_start") {
    if (!draft.isOver) enter(draft);
  } else if (event === "step_start") startHeldBack(draft, subject ?? "");
  else if (event === "notice") noticesSettled(draft, subject ?? "", state);
  else startNext(draft, event, subject);
}

/** The step begins now, unless its group has failed in the meantime. */
function startHeldBack(draft: Draft, site: string): void {
  if (draft.isOver) return;
  const group = groupOf(draft, spotAt(draft, site));
  const isWanted = group === null || draft.state.parallels.get(group.site)?.status === "open";
  if (isWanted && !isExhausted(draft.state)) draft.emit({ type: "step_started", data: { node: site, attempt: 1 } });
  else run(draft, []);
}

/** Hooks about one thing, in the order in which they begin. */
const ORDER: readonly string[] = [
  ...["use_success", "use_error", "use_complete", "step_success", "step_failure", "step_complete"],
  ...["run_success", "run_failure", "run_cancel", "run_complete"],
];

function startNext(draft: Draft, event: string, subject: string | null): void {
  const after = ORDER.slice(ORDER.indexOf(event) + 1).map((one) => draft.state.hooks.get(hookAt(one, subject)));
  const first = after.find((hook) => hook?.status === "open")?.actions[0];
  if (first !== undefined) beginAction(draft, first);
}

function noticesSettled(draft: Draft, approval: string, { failed, actions }: HookState): void {
  if (draft.isOver || failed < actions.length || draft.state.approvals.get(approval)?.status !== "waiting") return;
  draft.emit({ type: "approval_failed", data: { node: approval, reason: "undelivered" } });
  failAt(draft, approval, undelivered(approval, actions.length));
}

/** A provider says under which id it sent the message: nothing else of its answer is kept. */
function delivered(step: string, output: Json): { readonly output: Json } | { readonly failure: Failure } {
  const isObject = typeof output === "object" && output !== null && !Array.isArray(output);
  const messageId = isObject ? (output as { readonly [key: string]: Json })["messageId"] : undefined;
  if (typeof messageId === "string" && messageId.length > 0 && messageId.length <= MESSAGE_ID_CHARACTERS) return { output: { messageId } };
  const message = `A provider returns { messageId }, a text of 1 to ${MESSAGE_ID_CHARACTERS} characters.`;
  return { failure: { code: "WOML_NOTIFICATION_RESPONSE_INVALID", kind: "notification_response_invalid", message, step } };
}

const MESSAGE_ID_CHARACTERS = 512;

function undelivered(step: string, count: number): Failure {
  const message = `Nobody could be told of the approval: ${count === 1 ? "its notice" : `all of its ${count} notices`} failed.`;
  return { code: "WOML_NOTIFICATION_DELIVERY_FAILED", kind: "notification_undelivered", message, step };
}
