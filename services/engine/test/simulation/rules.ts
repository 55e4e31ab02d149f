import type { Graph } from "@woml/model";
import { hookOf, indexAt, isAction, nodeAt, type RunEvent, siteIn } from "@woml/run";
import { routes } from "./routes.ts";

/** Sees one event of a log after another, and says what is wrong with one. The rules are those of the language in their plainest form. */
type Rule = (event: RunEvent) => string | null;

const RULES: readonly ((graph: Graph) => Rule)[] = [loops, forks, groups, approvals, hooks, outcomes, routes];

/** What a log says that no run of its definition may do, whatever befell it. */
export function ruleFaults(graph: Graph, events: readonly RunEvent[]): readonly string[] {
  return RULES.map((rule) => rule(graph)).flatMap((rule) =>
    events.flatMap((event) => {
      const fault = rule(event);
      return fault === null ? [] : [`event ${event.seq}: ${fault}`];
    }),
  );
}

interface Loop {
  readonly total: number;
  readonly concurrency: number;
  readonly active: Set<number>;
  next: number;
  hasFailed: boolean;
}

function loops(): Rule {
  const open = new Map<string, Loop>();
  return ({ type, data }) => {
    if (type === "loop_opened") {
      const { node, total, concurrency } = data;
      open.set(node, { total, concurrency, active: new Set(), next: 0, hasFailed: false });
      return null;
    }
    if (type !== "iteration_started" && type !== "iteration_settled" && type !== "loop_settled") return null;
    const loop = open.get(data.node);
    if (loop === undefined) return `${data.node} is no open loop`;
    if (type === "loop_settled") {
      open.delete(data.node);
      if (loop.active.size > 0) return `${data.node} settles while iterations go on`;
      return data.status === "succeeded" && (loop.hasFailed || loop.next < loop.total) ? `${data.node} has not done all` : null;
    }
    if (type === "iteration_started") return started(loop, data);
    loop.hasFailed ||= data.status === "failed";
    return loop.active.delete(data.index) ? null : `iteration ${data.index} settles and does not go on`;
  };
}

function started(loop: Loop, { node, index }: { readonly node: string; readonly index: number }): string | null {
  const { active, next, total, concurrency, hasFailed } = loop;
  loop.active.add(index);
  loop.next = index + 1;
  if (hasFailed) return `iteration ${index} of ${node} starts after one has failed`;
  if (index !== next || index >= total) return `iteration ${index} of ${node} starts out of turn`;
  return active.size > concurrency ? `${active.size} iterations of ${node} at once` : null;
}

function forks(): Rule {
  const open = new Map<string, { readonly joined: readonly string[]; readonly settled: Map<string, string> }>();
  return ({ type, data }) => {
    if (type === "fork_opened") open.set(data.node, { joined: data.joined, settled: new Map() });
    if (type !== "branch_settled" && type !== "join_settled") return null;
    const fork = open.get(data.node);
    if (fork === undefined) return `${data.node} is no open fork`;
    if (type === "branch_settled") {
      const before = fork.settled.has(data.branch);
      fork.settled.set(data.branch, data.status);
      return before ? `branch ${data.branch} settles twice` : null;
    }
    const standing = fork.joined.map((branch) => fork.settled.get(branch));
    if (data.status === "succeeded" && standing.some((status) => status !== "succeeded"))
      return `${data.node} is passed before its branches are through`;
    return data.status === "failed" && !standing.includes("failed") ? `${data.node} fails without a branch` : null;
  };
}

/** Children of a group that have begun and not ended, by the site of the group. */
function groups(graph: Graph): Rule {
  const busy = new Map<string, Set<string>>();
  const most = new Map<string, number>();
  const groupOf = groupsIn(graph, most);
  return ({ type, data }) => {
    if (type === "parallel_settled") return (busy.get(data.node)?.size ?? 0) > 0 ? `${data.node} settles while children go on` : null;
    if (!("node" in data) || isAction(data.node)) return null;
    const group = groupOf.get(nodeAt(data.node));
    if (group === undefined) return null;
    const site = siteIn(group, indexAt(data.node));
    const children = busy.get(site) ?? new Set();
    busy.set(site, children);
    if (type === "step_succeeded" || type === "step_cancelled" || type === "step_failed") children.delete(data.node);
    if (type === "step_started" || type === "step_retry_scheduled") children.add(data.node);
    return children.size > (most.get(group) ?? Number.POSITIVE_INFINITY) ? `${children.size} children of ${site} at once` : null;
  };
}

/** By child, its group; `most` is filled with how many of a group may go on at once. */
function groupsIn(graph: Graph, most: Map<string, number>): ReadonlyMap<string, string> {
  const groupOf = new Map<string, string>();
  const { nodes } = graph.definition;
  for (const flow of [graph, ...nodes.flatMap(({ id, kind }) => (kind === "for-each" ? graph.body(id) : []))])
    for (const node of flow === graph ? nodes : bodyOf(graph, flow)) {
      if (node.kind !== "parallel") continue;
      for (const child of flow.children(node.id)) groupOf.set(child, node.id);
      if (node.concurrency !== undefined) most.set(node.id, node.concurrency);
    }
  return groupOf;
}

function bodyOf(graph: Graph, body: Graph) {
  return graph.definition.nodes.flatMap((node) => (node.kind === "for-each" && graph.body(node.id) === body ? node.body.nodes : []));
}

function approvals(): Rule {
  const waiting = new Map<string, number | null>();
  const over = new Set<string>();
  return ({ type, data, at }) => {
    if (type === "approval_requested") {
      const isAgain = waiting.has(data.node) || over.has(data.node);
      waiting.set(data.node, data.deadlineAt);
      return isAgain ? `${data.node} is asked for twice` : null;
    }
    if (type !== "approval_resolved" && type !== "approval_failed") return null;
    const deadlineAt = waiting.get(data.node);
    if (deadlineAt === undefined) return `${data.node} is decided and does not wait`;
    waiting.delete(data.node);
    over.add(data.node);
    const isTimeout = type === "approval_resolved" ? data.source === "timeout" : data.reason === "timeout";
    return isTimeout && (deadlineAt === null || at < deadlineAt) ? `${data.node} times out before its time` : null;
  };
}

/** What observes comes when it is asked to: behind its step or in front of it, one action after the other, and before the end. */
function hooks(graph: Graph): Rule {
  const open = new Map<string, Set<string>>();
  const settled = new Set<string>();
  const ended = new Map<string, string>();
  const before = (graph.definition.lifecycle ?? []).find(({ on }) => on === "step_start");
  return ({ type, data }) => {
    if (type === "step_succeeded" || type === "step_failed") ended.set(data.node, type);
    if (type === "step_started" && data.attempt === 1 && before && (before.steps?.includes(nodeAt(data.node)) ?? true))
      return settled.has(`@step_start/${data.node}`) ? null : `${data.node} begins before its hook has settled`;
    if (type === "hook_requested") {
      const isAgain = open.has(data.hook) || settled.has(data.hook);
      open.set(data.hook, new Set(data.actions));
      if (isAgain) return `${data.hook} is requested twice`;
      return isTimely(data.hook, ended) ? null : `${data.hook} is requested too early`;
    }
    if (type === "hook_settled") {
      settled.add(data.hook);
      return open.delete(data.hook) ? null : `${data.hook} settles and is not open`;
    }
    const isEnd = type === "run_succeeded" || type === "run_failed" || type === "run_cancelled";
    return isEnd && open.size > 0 ? `the run ends before ${[...open.keys()]}` : null;
  };
}

/** The event that a step must have come to. */
const BEHIND: Readonly<Record<string, string>> = {
  ...{ use_success: "step_succeeded", step_success: "step_succeeded", use_error: "step_failed", step_failure: "step_failed" },
};

function isTimely(hook: string, ended: ReadonlyMap<string, string>): boolean {
  const { event, subject } = hookOf(hook);
  const wanted = BEHIND[event];
  if (subject === null || isAction(subject)) return true;
  if (event === "step_complete" || event === "use_complete") return ended.has(subject);
  return event === "step_start" ? !ended.has(subject) : wanted === undefined || ended.get(subject) === wanted;
}

/** Unless somebody or its time stopped it, a run is decided when all of its flow has come to an end, and as that says. */
function outcomes(): Rule {
  const open = new Set<string>();
  let hasFailed = false;
  let isStopped = false;
  let isDecided = false;
  return (event) => {
    const { type, data } = event;
    if (type === "cancel_requested" || type === "deadline_reached" || type === "stop_decided") isStopped = true;
    if (isDecided && BUSINESS.has(type)) return `${type} after the outcome`;
    for (const name of opens(event)) open.add(name);
    for (const name of closes(event)) open.delete(name);
    hasFailed ||= type === "main_failed" || ("status" in data && data.status === "failed" && SCOPES.has(type));
    if (type !== "outcome_decided") return null;
    isDecided = true;
    if (!isStopped && open.size > 0) return `the outcome is decided while ${[...open]} go on`;
    return data.status === "succeeded" && (hasFailed || isStopped) ? "it succeeds though it has failed" : null;
  };
}

const SCOPES: ReadonlySet<string> = new Set(["branch_settled", "join_settled", "loop_settled", "parallel_settled", "iteration_settled"]);
const BUSINESS: ReadonlySet<string> = new Set([
  ...SCOPES,
  ...["step_started", "step_succeeded", "step_failed", "fork_opened", "loop_opened", "iteration_started", "parallel_opened"],
  ...["choice_selected", "choice_settled", "approval_requested", "approval_resolved", "approval_failed"],
]);

function opens({ type, data }: RunEvent): readonly string[] {
  if (type === "step_started" || type === "step_retry_scheduled") return isAction(data.node) ? [] : [data.node];
  if (type === "fork_opened") return data.branches.map((branch) => `${data.node} ${branch}`);
  return type === "loop_opened" || type === "approval_requested" ? [data.node] : [];
}

function closes({ type, data }: RunEvent): readonly string[] {
  if (type === "branch_settled") return [`${data.node} ${data.branch}`];
  const isClosing = ["step_succeeded", "step_failed", "step_cancelled", "loop_settled", "approval_resolved", "approval_failed"];
  return "node" in data && isClosing.includes(type) ? [data.node] : [];
}
