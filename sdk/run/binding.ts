/** What a script is given beside its context: the props of what is reusable, what its hook is told of, and what a notice says. Pure. */
import type { Graph, Json, Reference } from "@woml/model";
import { actionSite, indexAt, isAction, nodeAt } from "./site.ts";
import type { HookState, RunState } from "./state.ts";
import type { Task } from "./task.ts";
import { lookUp, walk } from "./value.ts";

type Members = { readonly [name: string]: Json };

interface Iteration {
  readonly index: number;
  readonly loop: string | null;
}

/** The hook that an action belongs to; undefined for a step. */
export function hookFrom(state: RunState, site: string): HookState | undefined {
  const hook = actionSite(site)?.hook;
  return hook === undefined ? undefined : state.hooks.get(hook);
}

/** The iteration in which a task stands: of the step that it is, or is about; null outside loops. */
export function iterationOf(graph: Graph, { site, subject }: Pick<Task, "site" | "subject">): Iteration | null {
  const step = isAction(site) ? subject : site;
  const index = step === null || isAction(step) ? null : indexAt(step);
  return step === null || index === null ? null : { index, loop: graph.loopOf(nodeAt(step)) };
}

/** What a reference means to a task. What observes reads outputs as they were when it was asked for. */
export function valueFor(graph: Graph, state: RunState, task: Pick<Task, "site" | "subject">, reference: Reference): Json | undefined {
  const { index, loop } = iterationOf(graph, task) ?? { index: null, loop: null };
  const outputs = hookFrom(state, task.site)?.outputs ?? state.outputs;
  return lookUp(graph, { ...state, outputs }, { reference, index, loop });
}

/** By name; `handle` answers the handle of a secret. `missing`: a reference that is not there. */
export function propsFor(
  graph: Graph,
  state: RunState,
  task: Task,
  handle: (secret: string) => string,
): { readonly props: Members } | { readonly missing: Reference } {
  const props: [string, Json][] = [];
  for (const { name, value } of task.reusable?.props ?? []) {
    if (value.kind !== "reference") {
      props.push([name, value.kind === "literal" ? value.text : handle(value.name)]);
      continue;
    }
    const found = valueFor(graph, state, task, value.path);
    if (found === undefined) return { missing: value.path };
    props.push([name, found]);
  }
  return { props: Object.fromEntries(props) };
}

const RUN_HAS_ENDED: ReadonlySet<string> = new Set(["run_success", "run_failure", "run_cancel", "run_complete"]);
const OWN = { use_success: "success", use_error: "failure", use_complete: "complete" } as const;

/**
 * `{event, workflow: {id, outcome?}, step?: {id, outcome?, attempts}, failure?: {code, message}}`. An outcome is `succeeded`, `failed` or
 * `cancelled`, and there once it is decided. The own lifecycle of what is reusable is told `step_success` and so on; that of a provider
 * `notice_success`.
 */
export function lifecycleFor(graph: Graph, state: RunState, { site, event, subject }: Pick<Task, "site" | "event" | "subject">): Members {
  const hook = hookFrom(state, site);
  const outcome = event !== null && RUN_HAS_ENDED.has(event) ? state.outcome : null;
  const about = subject === null || isAction(subject) || event === "notice" ? null : subject;
  const failure = hook?.failure ?? (outcome?.status === "failed" ? outcome.failure : null);
  const ended = event === "step_start" ? {} : { outcome: hook?.failure ? "failed" : "succeeded" };
  return {
    event: told(event ?? "", subject),
    workflow: { id: graph.definition.workflow.id, ...(outcome === null ? {} : { outcome: outcome.status }) },
    ...(about === null ? {} : { step: { id: nodeAt(about), ...ended, attempts: hook?.attempts ?? 0 } }),
    ...(failure === null ? {} : { failure: { code: failure.code, message: failure.message } }),
  };
}

function told(event: string, subject: string | null): string {
  const own = Object.hasOwn(OWN, event) ? OWN[event as keyof typeof OWN] : undefined;
  return own === undefined ? event : `${subject !== null && isAction(subject) ? "notice" : "step"}_${own}`;
}

/** The text of a hook's notice. `wrong`: the place of a value that is not there, or is no text, number or boolean. */
export function messageFor(graph: Graph, state: RunState, task: Task): { readonly message: string } | { readonly wrong: Reference } {
  let message = "";
  for (const part of task.notice?.message ?? []) {
    const value = part.kind === "text" ? part.text : pieceFor(graph, state, task, part.path);
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
      return { wrong: part.kind === "text" ? [] : part.path };
    message += String(value);
  }
  return { message };
}

function pieceFor(graph: Graph, state: RunState, task: Task, path: Reference): Json | undefined {
  const [root, ...names] = path;
  if (root !== "lifecycle") return valueFor(graph, state, task, path);
  return walk(lifecycleFor(graph, state, task), names);
}
