import type { Graph, Node } from "@woml/model";
import { actionSite, hookOf, indexAt, isAction, nodeAt, type RunEvent, siteIn } from "@woml/run";
import type { Site } from "./known.ts";

type Log = readonly RunEvent[];

/** What must have come before the frame of a step or an action, and the log does not show as done. */
export function missing({ run, node }: Site, log: Log): readonly string[] {
  return isAction(node) ? missingOfAction(node, log) : missingOfStep(run.graph, node, log);
}

/** Into a step lead only edges that must all be live. What is first in a body waits for its iteration. */
function missingOfStep(graph: Graph, site: string, log: Log): readonly string[] {
  const [id, index] = [nodeAt(site), indexAt(site)];
  const loop = index === null ? null : graph.loopOf(id);
  const flow = loop === null ? graph : graph.body(loop);
  const standing = loop === null ? takenOver(graph, log) : NOTHING;
  const before = flow.incoming(id).flatMap(({ from, arm }) => {
    return standing.has(from) || log.some((event) => finishes(event, flow.node(from), { arm, index })) ? [] : [from];
  });
  const isStarted =
    loop === null || log.some(({ type, data }) => type === "iteration_started" && data.node === loop && data.index === index);
  return isStarted ? before : [...before, `iteration ${index} of ${loop}`];
}

const NOTHING: ReadonlySet<string> = new Set();

/** Of a resumed run, all that leads to the node that it begins with. */
function takenOver(graph: Graph, [first]: Log): ReadonlySet<string> {
  if (first?.type !== "run_admitted" || first.data.resumed === undefined) return NOTHING;
  const open = [first.data.resumed.from];
  const found = new Set<string>();
  for (const id of open)
    for (const { from } of graph.incoming(id))
      if (!found.has(from)) {
        found.add(from);
        open.push(from);
      }
  return found;
}

/** Its hook is asked for; notices all at once, actions one after the other. */
function missingOfAction(site: string, log: Log): readonly string[] {
  const hook = actionSite(site)?.hook ?? "";
  const requested = log.find((event) => event.type === "hook_requested" && event.data.hook === hook);
  if (requested?.type !== "hook_requested" || !requested.data.actions.includes(site)) return [hook];
  if (hookOf(hook).event === "notice") return [];
  const before = requested.data.actions.slice(0, requested.data.actions.indexOf(site));
  return before.filter((one) => !log.some(({ type, data }) => type === "action_settled" && data.node === one && data.dueAt === null));
}

interface Leading {
  readonly arm: string | undefined;
  readonly index: number | null;
}

function finishes({ type, data }: RunEvent, from: Node, { arm, index }: Leading): boolean {
  const at = (id: string): boolean => "node" in data && data.node === siteIn(id, index);
  switch (from.kind) {
    case "step":
      return type === "step_succeeded" && at(from.id);
    case "open":
      return type === "parallel_opened" && at(from.parallel);
    case "parallel":
      return type === "parallel_settled" && at(from.id) && data.status === "succeeded";
    case "select":
    case "switch":
    case "approval":
      return type === "choice_selected" && at(from.choice) && data.arm === arm;
    case "choice":
      return type === "choice_settled" && at(from.id);
    case "fork":
      return type === "fork_opened" && at(from.join);
    case "join":
      return type === "join_settled" && at(from.id) && data.status === "succeeded";
    case "for-each":
      return type === "loop_settled" && at(from.id) && data.status === "succeeded";
    default:
      return from satisfies never;
  }
}
