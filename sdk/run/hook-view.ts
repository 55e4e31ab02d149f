import type { Failure, RunEvents } from "./event.ts";
import { actionSite, hookOf } from "./site.ts";
import { iso } from "./time.ts";

/** One action of a hook. `attempts` counts its tries, 0 before the first; `dueAt` is when it is tried again. */
export interface ActionView {
  /** Its site, such as `@step_success/charge/1`. */
  readonly id: string;
  readonly status: "waiting" | "running" | "backoff" | "succeeded" | "failed" | "cancelled";
  readonly attempts: number;
  readonly failure: Failure | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly dueAt: string | null;
}
/** What observes: a hook of the lifecycle, the own one of something reusable, or the notices of an approval. */
export interface HookView {
  /** `@run_start`, `@step_success/charge`, `@notice/approve` … */
  readonly id: string;
  readonly event: string;
  /** The site of what it is about; null for the run. */
  readonly subject: string | null;
  readonly status: "open" | "settled";
  readonly failed: number;
  readonly actions: readonly ActionView[];
  readonly requestedAt: string;
  readonly settledAt: string | null;
}
/** What went wrong, or soon will, and changed nothing. `action` is the site of an action that failed; null for what is about the run. */
export interface WarningView {
  readonly code: string;
  readonly message: string;
  readonly at: string;
  readonly action: string | null;
  readonly event: string | null;
  readonly subject: string | null;
}
export interface Hooks {
  readonly hooks: Map<string, HookView>;
  readonly warnings: WarningView[];
}

/** Told in the order of the log; what belongs to no hook is passed over. */
export const hooking = {
  hook_requested: ({ hooks }: Hooks, { hook, actions }: RunEvents["hook_requested"], requestedAt: string): void => {
    if (hooks.has(hook)) return;
    const fresh = { status: "waiting", attempts: 0, failure: null, startedAt: null, endedAt: null, dueAt: null } as const;
    const waiting = actions.map((id): ActionView => ({ id, ...fresh }));
    hooks.set(hook, { id: hook, ...hookOf(hook), status: "open", failed: 0, actions: waiting, requestedAt, settledAt: null });
  },
  action_started: ({ hooks }: Hooks, { node, attempt }: RunEvents["action_started"], at: string): void =>
    act(hooks, node, ({ startedAt }) => ({ status: "running", attempts: attempt, startedAt: startedAt ?? at, dueAt: null })),
  action_settled: ({ hooks, warnings }: Hooks, { node, status, failure, dueAt }: RunEvents["action_settled"], at: string): void => {
    const isAgain = dueAt !== null;
    act(hooks, node, () => (isAgain ? { status: "backoff", failure, dueAt: iso(dueAt) } : { status, failure, endedAt: at }));
    if (isAgain) return;
    const { event = null, subject = null } = actionSite(node) ?? {};
    if (failure !== null) warnings.push({ code: failure.code, message: failure.message, at, action: node, event, subject });
  },
  hook_settled: ({ hooks }: Hooks, { hook, failed }: RunEvents["hook_settled"], settledAt: string): void => {
    const view = hooks.get(hook);
    if (view) hooks.set(hook, { ...view, status: "settled", failed, settledAt });
  },
  limit_warned: ({ warnings }: Hooks, { limit, used, most }: RunEvents["limit_warned"], at: string): void => {
    const message = `The run has ${used} of the ${most} ${limit === "events" ? "events" : "bytes of outputs"} that it may have.`;
    warnings.push({ code: "WOML_RUN_LIMIT_NEAR", message, at, action: null, event: null, subject: null });
  },
};

function act(hooks: Map<string, HookView>, site: string, change: (action: ActionView) => Partial<ActionView>): void {
  const view = hooks.get(actionSite(site)?.hook ?? "");
  if (!view) return;
  const actions = view.actions.map((action) => (action.id === site ? { ...action, ...change(action) } : action));
  hooks.set(view.id, { ...view, actions });
}
