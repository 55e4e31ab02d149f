import type { RunEvents } from "../event.ts";
import { ledger } from "../ledger.ts";
import { actionSite, hookOf } from "../site.ts";
import type { HookState, RunState } from "../state.ts";
import { demand, demandWork } from "./demand.ts";
import { forgottenHook } from "./forget.ts";
import { begun, closed, ending, FRESH, opened } from "./step.ts";

export function hook_requested(state: RunState, { hook, actions }: RunEvents["hook_requested"]): RunState {
  demandWork(state, hook);
  demand(state, "WOML_LOG_HOOK", !state.hooks.has(hook) && actions.length > 0);
  const about = state.steps.get(hookOf(hook).subject ?? "");
  const { attempt: attempts = 0, failure = null } = about ?? {};
  const requested: HookState = { status: "open", actions, failed: 0, outputs: state.outputs, attempts, failure };
  return { ...state, hooks: state.hooks.with(hook, requested), observing: [...state.observing, hook] };
}

/** Only an action of a hook that is open; again only when it is due. */
export function action_started(state: RunState, { node, attempt }: RunEvents["action_started"]): RunState {
  demandWork(state, node);
  const hook = state.hooks.get(actionSite(node)?.hook ?? "");
  demand(state, "WOML_LOG_HOOK", hook?.status === "open" && hook.actions.includes(node));
  return begun(state, node, attempt);
}

export function action_settled(state: RunState, data: RunEvents["action_settled"]): RunState {
  const { node, attempt, status, failure, dueAt } = data;
  demand(state, "WOML_LOG_HOOK", (failure !== null) === (status === "failed") && (dueAt === null || status === "failed"));
  const step = status === "cancelled" ? unsettled(state, node, attempt) : ending(state, node, attempt);
  if (dueAt !== null) {
    const { calls } = step;
    return opened(state, node, { ...FRESH, status: "backoff", attempt: attempt + 1, dueAt, since: state.at, calls, failure });
  }
  const done = closed(state, node, { ...step, status, dueAt: null, since: state.at, failure });
  return status === "succeeded" ? done : counted(done, actionSite(node)?.hook ?? "");
}

/** No script of it looks at outputs any more. */
const NOTHING: HookState["outputs"] = ledger();

export function hook_settled(state: RunState, { hook, failed }: RunEvents["hook_settled"]): RunState {
  const found = state.hooks.get(hook);
  demand(state, "WOML_LOG_HOOK", found?.status === "open" && failed === found.failed);
  demand(state, "WOML_LOG_HOOK", !found.actions.some((action) => state.open.includes(action)));
  const hooks = state.hooks.with(hook, { ...found, status: "settled", outputs: NOTHING });
  return forgottenHook({ ...state, hooks, observing: state.observing.filter((one) => one !== hook) }, hook);
}

/** Waiting for a person is nothing that an action does: what is cancelled may hold anything but what is pending. */
function unsettled(state: RunState, node: string, attempt: number) {
  const step = state.steps.get(node);
  const isOpen = step?.status === "running" || step?.status === "backoff";
  demand(state, "WOML_LOG_ATTEMPT_END", step !== undefined && isOpen && step.attempt === attempt);
  demand(state, "WOML_LOG_PENDING", step.pending.length === 0);
  return step;
}

function counted(state: RunState, hook: string): RunState {
  const found = state.hooks.get(hook);
  return found ? { ...state, hooks: state.hooks.with(hook, { ...found, failed: found.failed + 1 }) } : state;
}
