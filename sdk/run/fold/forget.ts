import { actionSite, hookAt, hookOf, indexAt, isAction, nodeAt } from "../site.ts";
import { operationId, type RunState } from "../state.ts";

/** What observes a step, or an action of a hook about one. */
const ABOUT = ["step_start", "step_success", "step_failure", "step_complete", "use_success", "use_error", "use_complete"];

/** Without what an iteration that has settled no longer needs: its sites, and what has observed them and has settled. */
export function forgotten(state: RunState, sites: readonly string[]): RunState {
  return without(state, sites, settledAbout(state, sites));
}

/** A hook that settled behind the iteration that it is about is needed by nobody either. */
export function forgottenHook(state: RunState, hook: string): RunState {
  const site = siteOf(hook);
  if (site === null || !isOver(state, site)) return state;
  const { actions = [] } = state.hooks.get(hook) ?? {};
  return without(state, [], [hook, ...settledAbout(state, actions)]);
}

function without(state: RunState, sites: readonly string[], hooks: readonly string[]): RunState {
  const all = [...sites, ...hooks.flatMap((hook) => state.hooks.get(hook)?.actions ?? [])];
  const outer = {
    ...state,
    ...{ steps: state.steps.without(all), outputs: state.outputs.without(sites), choices: state.choices.without(sites) },
    ...{ parallels: state.parallels.without(sites), hooks: state.hooks.without(hooks) },
  };
  if (state.remembers) return outer;
  const ids = all.flatMap((site) =>
    (state.steps.get(site)?.calls ?? []).flatMap((count, at) =>
      Array.from({ length: count }, (_, call) => operationId(site, at + 1, call + 1)),
    ),
  );
  const keys = ids.flatMap((id) => state.operations.get(id)?.key ?? []);
  return { ...outer, operations: state.operations.without(ids), byKey: state.byKey.without(keys) };
}

function settledAbout(state: RunState, sites: readonly string[]): readonly string[] {
  if (state.hooks.size === 0) return [];
  return sites.flatMap((site) =>
    ABOUT.flatMap((event) => {
      const hook = hookAt(event, site);
      const found = state.hooks.get(hook);
      return found?.status === "settled" ? [hook, ...settledAbout(state, found.actions)] : [];
    }),
  );
}

/** The site of the node that a hook is about in the end: also where it is about an action of a hook about that. */
function siteOf(hook: string): string | null {
  let { subject } = hookOf(hook);
  while (subject !== null && isAction(subject)) subject = actionSite(subject)?.subject ?? null;
  return subject;
}

function isOver(state: RunState, site: string): boolean {
  const [node, index] = [nodeAt(site), indexAt(site)];
  if (index === null) return false;
  for (const [, loop] of state.loops.entries()) if (loop.nodes.includes(node)) return index < loop.next && !loop.active.includes(index);
  return false;
}
