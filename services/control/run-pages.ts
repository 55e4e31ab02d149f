// What a run consists of, page by page. Of a log of any length only what a page shows is read: first where its items begin, then all that
// happened to these.
import type { EventFilter } from "@woml/prisma";
import {
  type FlowViews,
  flowViews,
  type OperationView,
  operationId,
  operationViews,
  type RunEvent,
  type RunEventType,
  type StepView,
  stepViews,
  unresolved,
} from "@woml/run";
import type { Asking } from "./asking.ts";
import type { List } from "./cursor.ts";
import { nodeIdOf } from "./ids.ts";
import { type Connection, connection, type PageArguments, pageAsk } from "./page.ts";
import type { RunSource } from "./run-source.ts";

/** A list of a run. `first` begins its items, `all` is what happens to them. */
interface Kind<V> {
  readonly list: List;
  readonly first: readonly RunEventType[];
  readonly all: readonly RunEventType[];
  /** What the events of an item are about, by the one that begins it. */
  readonly about: (data: Data) => readonly string[];
  /** The items among the events that were read for a page. */
  readonly views: (events: readonly RunEvent[]) => readonly V[];
  readonly idOf: (data: Data) => string;
}
/** What the first event of an item may have of these. */
interface Data {
  readonly node: string;
  readonly hook: string;
  readonly attempt: number;
  readonly call: number;
  readonly actions: readonly string[];
}

const flow = <K extends keyof FlowViews>(part: K): ((events: readonly RunEvent[]) => FlowViews[K]) => {
  return (events) => flowViews(events)[part];
};
const atNode = { about: ({ node }: Data) => [node], idOf: ({ node }: Data) => node };
const ofCall = ({ node, attempt, call }: Data): string => operationId(node, attempt, call);

export const STEPS: Kind<StepView> = {
  ...{ list: "step", first: ["output_inherited", "step_started"], ...atNode, views: stepViews },
  all: ["output_inherited", "step_started", "step_retry_scheduled", "step_succeeded", "step_failed", "step_cancelled"],
};
export const OPERATIONS: Kind<OperationView> = {
  ...{ list: "operation", first: ["operation_started", "operation_refused"], views: operationViews },
  ...{ about: (data) => [ofCall(data)], idOf: ofCall },
  all: ["operation_started", "operation_refused", "operation_doubted", "operation_settled", "outcome_resolved"],
};
export const CHOICES: Kind<FlowViews["choices"][number]> = {
  ...{ list: "choice", first: ["choice_selected"], ...atNode, views: flow("choices") },
  all: ["choice_selected", "choice_settled"],
};
export const GROUPS: Kind<FlowViews["groups"][number]> = {
  ...{ list: "group", first: ["parallel_opened"], ...atNode, views: flow("groups") },
  all: ["parallel_opened", "parallel_failing", "parallel_settled", "outcome_decided"],
};
export const HOOKS: Kind<FlowViews["hooks"][number]> = {
  ...{ list: "hook", first: ["hook_requested"], views: flow("hooks") },
  ...{ about: ({ hook, actions }) => [hook, ...actions], idOf: ({ hook }) => hook },
  all: ["hook_requested", "action_started", "action_settled", "hook_settled"],
};

/** What only shows when something begins, and could be large. */
const WITHOUT = ["called", "seen", "failure", "result", "output"];

export interface StepsArguments extends PageArguments {
  readonly iterationOf?: string | null;
}

export async function pageOf<V extends { readonly id: string }>(
  kind: Kind<V>,
  { id: run, head }: RunSource,
  { iterationOf, ...args }: StepsArguments,
  { reads }: Asking,
): Promise<Connection<V>> {
  const { first, after } = pageAsk(kind.list, args);
  const inside = iterationOf === null || iterationOf === undefined ? null : nodeIdOf(iterationOf);
  if (head === 0) return connection(kind.list, { items: [], hasNext: false }, String);
  const nodes = inside === null ? {} : { nodes: await bodyOf({ reads }, run, inside) };
  const wanted: EventFilter = { types: kind.first, isFirst: true, without: WITHOUT, ...nodes };
  const found = await reads.some({ run, after: Number(after ?? 0), limit: first + 1, only: wanted });
  const begun = found.slice(0, first).map(({ seq, data }) => ({ seq, data: data as unknown as Data }));
  const [start] = begun;
  const about = begun.flatMap(({ data }) => kind.about(data));
  const all = start ? await reads.some({ run, after: start.seq - 1, limit: null, only: { types: kind.all, about } }) : [];
  const views = new Map(kind.views(all).map((view) => [view.id, view]));
  const items = begun.flatMap(({ seq, data }) => {
    const view = views.get(kind.idOf(data));
    return view === undefined ? [] : [{ seq, view }];
  });
  const page = connection(kind.list, { items, hasNext: found.length > first }, ({ seq }) => String(seq));
  return { ...page, edges: page.edges.map(({ cursor, node }) => ({ cursor, node: node.view })) };
}

async function bodyOf({ reads }: Pick<Asking, "reads">, run: RunSource["id"], loop: string): Promise<readonly string[]> {
  const [opened] = await reads.some({ run, after: 0, limit: 1, only: { types: ["loop_opened"], about: [loop] } });
  return opened?.type === "loop_opened" ? opened.data.nodes : [];
}

/** Of calls that settled as unknown at some time, those that nobody has resolved. */
export async function unresolvedOf({ id: run, head }: RunSource, { reads }: Asking): Promise<readonly string[]> {
  const only: EventFilter = { types: ["operation_settled"], isFirst: true, without: ["outcome"] };
  const settled = head === 0 ? [] : await reads.some({ run, after: 0, limit: null, only });
  const about = [...new Set(settled.map(({ data }) => ofCall(data as unknown as Data)))];
  return about.length === 0
    ? []
    : unresolved(operationViews(await reads.some({ run, after: 0, limit: null, only: { types: OPERATIONS.all, about } })));
}

/** Each is one event; there is nothing more to read about it. */
export async function warningsOf({ id: run, head }: RunSource, args: PageArguments, { reads }: Asking): Promise<Connection<Warned>> {
  const { first, after } = pageAsk("warning", args);
  const only: EventFilter = { types: ["action_settled", "limit_warned"], isFirst: true, without: ["result"] };
  const found = head === 0 ? [] : await reads.some({ run, after: Number(after ?? 0), limit: first + 1, only });
  const items = found.slice(0, first).flatMap((event) => flowViews([event]).warnings.map((warning) => ({ ...warning, seq: event.seq })));
  return connection("warning", { items, hasNext: found.length > first }, ({ seq }) => String(seq));
}
type Warned = FlowViews["warnings"][number] & { readonly seq: number };

/** As many as the definition has: no pages. Results of iterations are left out. */
const WHOLE = {
  forks: ["fork_opened", "branch_settled", "join_settled", "outcome_decided"],
  loops: ["loop_opened", "iteration_started", "iteration_settled", "iterations_skipped", "loop_settled", "outcome_decided"],
  approvals: ["approval_requested", "approval_resolved", "approval_failed", "outcome_decided"],
} as const;

export async function wholeOf<K extends keyof typeof WHOLE>(
  part: K,
  { id: run, head }: RunSource,
  { reads }: Asking,
): Promise<FlowViews[K]> {
  const only: EventFilter = { types: WHOLE[part], without: part === "loops" ? ["result"] : [] };
  return flowViews(head === 0 ? [] : await reads.some({ run, after: 0, limit: null, only }))[part];
}
