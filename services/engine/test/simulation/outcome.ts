import type { Graph } from "@woml/model";
import { fold, genesis, hookOf, type RunEvent, type RunState } from "@woml/run";
import type { Tally } from "./tally.ts";

/** Constructs, and what each must be seen to come to. */
export const CONSTRUCTS = [
  ...["group that waits for all", "switch", "choose", "choose without id", "fork", "loop", "approval"],
  ...["hook of the run", "hook of a step", "own hook", "notices"],
] as const;
type Construct = (typeof CONSTRUCTS)[number];
export const OUTCOMES = ["succeeded", "failed", "cancelled", "lost in it"] as const;

/** Counts what each construct of a run came to, and what came in between. */
export function countOutcomes(graph: Graph, events: readonly RunEvent[], tally: Tally): void {
  const openers = openersOf(graph);
  let state: RunState = genesis;
  for (const event of events) {
    const before = state;
    state = fold(state, event);
    const met = metBy(event);
    if (met !== null) for (const construct of openIn(before, openers)) tally.hit(`${construct}: ${met}`);
    for (const point of endedBy(event, before, openers)) tally.hit(point);
  }
}

function metBy({ type, data }: RunEvent): (typeof OUTCOMES)[number] | null {
  if (type === "attempt_resumed" && data.lost !== null) return "lost in it";
  if (type === "cancel_requested") return "cancelled";
  return type === "outcome_decided" && data.status === "failed" ? "failed" : null;
}

/** Kinds of choices by their id. */
function openersOf({ definition }: Graph): ReadonlyMap<string, Construct> {
  const nodes = definition.nodes.flatMap((node) => (node.kind === "for-each" ? [...node.body.nodes] : [node]));
  const bare = new Set(nodes.flatMap((node) => (node.kind === "choice" && node.results === undefined ? node.id : [])));
  return new Map(
    nodes.flatMap((node): readonly (readonly [string, Construct])[] => {
      if (node.kind === "switch") return [[node.choice, "switch"]];
      return node.kind === "select" ? [[node.choice, bare.has(node.choice) ? "choose without id" : "choose"]] : [];
    }),
  );
}

function choiceAt(site: string, openers: ReadonlyMap<string, Construct>): readonly Construct[] {
  const construct = openers.get(site.split("#")[0] ?? "");
  return construct === undefined ? [] : [construct];
}

function openIn(state: RunState, openers: ReadonlyMap<string, Construct>): ReadonlySet<Construct> {
  const open = new Set<Construct>(state.observing.map(constructOf));
  for (const [, { status, waitsForAll }] of state.parallels.entries())
    if (waitsForAll && status === "open") open.add("group that waits for all");
  for (const [site, { settled }] of state.choices.entries()) if (!settled) for (const one of choiceAt(site, openers)) open.add(one);
  for (const [, { branches }] of state.forks.entries())
    for (const [, status] of branches.entries()) if (status === "open") open.add("fork");
  if (state.looping.length > 0) open.add("loop");
  if (state.waiting.length > 0) open.add("approval");
  return open;
}

function endedBy({ type, data }: RunEvent, before: RunState, openers: ReadonlyMap<string, Construct>): readonly string[] {
  if (type === "parallel_settled") return before.parallels.get(data.node)?.waitsForAll ? [`group that waits for all: ${data.status}`] : [];
  if (type === "choice_settled") return choiceAt(data.node, openers).map((construct) => `${construct}: succeeded`);
  if (type === "join_settled") return [`fork: ${data.status}`];
  if (type === "loop_settled") return [`loop: ${data.status}`];
  if (type === "approval_failed") return ["approval: failed", `approval: ${data.reason}`];
  if (type === "approval_resolved") return ["approval: succeeded", `approval: ${data.decision} by ${data.source}`];
  if (type === "hook_settled") return [`${constructOf(data.hook)}: ${data.failed > 0 ? "failed" : "succeeded"}`];
  if (type === "branch_settled" && data.status === "failed") {
    const isJoined = before.forks.get(data.node)?.joined.includes(data.branch) === true;
    return [isJoined ? "branch that is waited for failed" : "branch that nobody waits for failed"];
  }
  return [];
}

function constructOf(hook: string): Construct {
  const { event } = hookOf(hook);
  if (event === "notice") return "notices";
  if (event.startsWith("use_")) return "own hook";
  return event.startsWith("step_") ? "hook of a step" : "hook of the run";
}
