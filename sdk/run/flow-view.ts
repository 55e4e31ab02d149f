import type { Json } from "@woml/model";
import type { Failure, RunEvent, RunEvents, RunEventType } from "./event.ts";
import { isShaped } from "./fold/shape.ts";
import { type Hooks, type HookView, hooking, type WarningView } from "./hook-view.ts";
import { indexAt, nodeAt } from "./site.ts";
import { iso } from "./time.ts";

/** Where something of the flow stands: `id` is its site, `iteration` counts from 0 and is null outside loops. */
export interface Placed {
  readonly id: string;
  readonly node: string;
  readonly iteration: number | null;
}
export interface ChoiceView extends Placed {
  readonly status: "selected" | "settled";
  readonly arm: string;
  /** Null also where the choice has no results. */
  readonly output: Json;
  readonly selectedAt: string;
  readonly settledAt: string | null;
}
/** `failed` and `cancelled` are sites of its steps; known once it has settled. */
export interface GroupView extends Placed {
  readonly status: "open" | "failing" | "succeeded" | "failed" | "cancelled";
  readonly onError: "fail-fast" | "wait-all";
  readonly failed: readonly string[];
  readonly cancelled: readonly string[];
  readonly openedAt: string;
  readonly settledAt: string | null;
}
export interface BranchView {
  readonly id: string;
  /** The join waits for it. */
  readonly joined: boolean;
  readonly status: "open" | "succeeded" | "failed" | "cancelled";
  readonly failure: Failure | null;
  readonly settledAt: string | null;
}
/** `status` and `settledAt` are those of its join, `blocking` the branch that this failed with. */
export interface ForkView {
  readonly id: string;
  readonly status: "pending" | "succeeded" | "failed" | "cancelled";
  readonly blocking: string | null;
  readonly branches: readonly BranchView[];
  readonly openedAt: string;
  readonly settledAt: string | null;
}
/** Counts of iterations: `total` is what they and those not yet begun add up to. `failure` is the first one's. */
export interface LoopView {
  readonly id: string;
  readonly status: "open" | "succeeded" | "failed" | "cancelled";
  readonly total: number;
  readonly concurrency: number;
  readonly active: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failure: Failure | null;
  readonly openedAt: string;
  readonly settledAt: string | null;
}
/** `by` is the id of a key, or `token`; null for the time-out. `reason`: why it ended without a decision. */
export interface ApprovalView {
  readonly id: string;
  readonly status: "waiting" | "approved" | "rejected" | "failed" | "cancelled";
  readonly requestedAt: string;
  readonly deadlineAt: string | null;
  readonly onTimeout: "fail" | "reject" | null;
  readonly decision: "approved" | "rejected" | null;
  readonly source: "human" | "timeout" | null;
  readonly by: string | null;
  readonly decidedAt: string | null;
  readonly reason: "timeout" | "undelivered" | null;
}
/** What of a run is more than its steps, each in the order of its beginning. */
export interface FlowViews {
  readonly choices: readonly ChoiceView[];
  readonly groups: readonly GroupView[];
  readonly forks: readonly ForkView[];
  readonly loops: readonly LoopView[];
  readonly approvals: readonly ApprovalView[];
  readonly hooks: readonly HookView[];
  readonly warnings: readonly WarningView[];
}

/**
 * From events alone, also from some of them: of each view those of its own, and outcome_decided, which cancels what is open. Needs no legal
 * log: what belongs to nothing is passed over.
 */
export function flowViews(events: readonly RunEvent[]): FlowViews {
  const views: Views = {
    ...{ choices: new Map(), groups: new Map(), forks: new Map(), loops: new Map(), approvals: new Map() },
    ...{ hooks: new Map(), warnings: [] },
  };
  for (const event of events.filter(isShaped)) tell(views, event);
  const { choices, groups, forks, loops, approvals, hooks, warnings } = views;
  return {
    ...{ choices: [...choices.values()], groups: [...groups.values()], forks: [...forks.values()], loops: [...loops.values()] },
    ...{ approvals: [...approvals.values()], hooks: [...hooks.values()], warnings },
  };
}

/** Of a site; of what is no site its text alone. */
export function placed(site: string): Placed {
  const index = indexAt(site);
  return { id: site, node: nodeAt(site), iteration: Number.isSafeInteger(index) ? index : null };
}

interface Views extends Hooks {
  readonly choices: Map<string, ChoiceView>;
  readonly groups: Map<string, GroupView>;
  readonly forks: Map<string, ForkView>;
  readonly loops: Map<string, LoopView>;
  readonly approvals: Map<string, ApprovalView>;
}
type Tellings = { readonly [K in RunEventType]?: (views: Views, data: RunEvents[K], at: string) => void };

function tell<K extends RunEventType>(views: Views, { type, data, at }: RunEvent<K>): void {
  tellings[type]?.(views, data, iso(at));
}

const tellings: Tellings = {
  ...hooking,
  choice_selected: ({ choices }, { node, arm }, at) =>
    add(choices, node, { ...placed(node), status: "selected", arm, output: null, selectedAt: at, settledAt: null }),
  choice_settled: ({ choices }, { node, output = null }, at) => change(choices, node, { status: "settled", output, settledAt: at }),
  parallel_opened: ({ groups }, { node, onError }, at) =>
    add(groups, node, {
      ...placed(node),
      status: "open",
      onError: onError ?? "fail-fast",
      failed: [],
      cancelled: [],
      openedAt: at,
      settledAt: null,
    }),
  parallel_failing: ({ groups }, { node }) => change(groups, node, { status: "failing" }),
  parallel_settled: ({ groups }, { node, status, failed, cancelled }, at) =>
    change(groups, node, { status, failed, cancelled, settledAt: at }),
  fork_opened: ({ forks }, { node, branches, joined }, at) => {
    const open = branches.map((id): BranchView => ({ id, joined: joined.includes(id), status: "open", failure: null, settledAt: null }));
    add(forks, node, { id: node, status: "pending", blocking: null, branches: open, openedAt: at, settledAt: null });
  },
  branch_settled: ({ forks }, { node, branch, status, failure }, settledAt) => {
    const branches = forks.get(node)?.branches ?? [];
    change(forks, node, { branches: branches.map((one) => (one.id === branch ? { ...one, status, failure, settledAt } : one)) });
  },
  join_settled: ({ forks }, { node, status, blocking }, at) => change(forks, node, { status, blocking, settledAt: at }),
  loop_opened: ({ loops }, { node, total, concurrency }, at) => {
    const counts = { total, concurrency, active: 0, succeeded: 0, failed: 0, skipped: 0 };
    add(loops, node, { id: node, status: "open", ...counts, failure: null, openedAt: at, settledAt: null });
  },
  iteration_started: ({ loops }, { node }) => change(loops, node, ({ active }) => ({ active: active + 1 })),
  iteration_settled: ({ loops }, { node, status, failure }) =>
    change(loops, node, (loop) => ({ active: loop.active - 1, [status]: loop[status] + 1, failure: loop.failure ?? failure })),
  iterations_skipped: ({ loops }, { node, count }) => change(loops, node, { skipped: count }),
  loop_settled: ({ loops }, { node, status }, at) => change(loops, node, { status, settledAt: at }),
  approval_requested: ({ approvals }, { node, deadlineAt, onTimeout }, requestedAt) => {
    const until = deadlineAt === null ? { deadlineAt, onTimeout: null } : { deadlineAt: iso(deadlineAt), onTimeout };
    const nothing = { decision: null, source: null, by: null, decidedAt: null, reason: null };
    add(approvals, node, { id: node, status: "waiting", requestedAt, ...until, ...nothing });
  },
  approval_resolved: ({ approvals }, { node, decision, source, by }, at) =>
    change(approvals, node, { status: decision, decision, source, by, decidedAt: at }),
  approval_failed: ({ approvals }, { node, reason }) => change(approvals, node, { status: "failed", reason }),
  outcome_decided: ({ groups, forks, loops, approvals }, _, settledAt) => {
    const over = { status: "cancelled", settledAt } as const;
    for (const { id, status } of groups.values()) if (status === "open" || status === "failing") change(groups, id, over);
    for (const { id, status } of loops.values()) if (status === "open") change(loops, id, { ...over, active: 0 });
    for (const { id, status } of approvals.values()) if (status === "waiting") change(approvals, id, { status: "cancelled" });
    for (const { id, status, branches } of forks.values()) {
      const ended = branches.map((one) => (one.status === "open" ? { ...one, ...over } : one));
      change(forks, id, status === "pending" ? { ...over, branches: ended } : { branches: ended });
    }
  },
};

/** The first word counts. */
function add<V>(views: Map<string, V>, id: string, view: V): void {
  if (!views.has(id)) views.set(id, view);
}

function change<V>(views: Map<string, V>, id: string, fields: Partial<V> | ((view: V) => Partial<V>)): void {
  const view = views.get(id);
  if (view !== undefined) views.set(id, { ...view, ...(typeof fields === "function" ? fields(view) : fields) });
}
