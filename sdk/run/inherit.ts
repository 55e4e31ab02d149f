/**
 * What a run that resumes another takes over from its log. Invariants:
 *
 *  I1 A run is resumed from a first-level item of its root flow which it had reached: all that stands before it has completed, and is not run again.
 *  I2 What an operation of a step had achieved, or may have, is taken over by whoever takes its keys from the same run, whatever step it is of: a later run
 *     of the chain may begin with an earlier one.
 *  I3 Nothing is run again of which nobody knows what it did.
 *  I4 A run that was to resume another, and was refused, took nothing over: who resumed it would not know what was done before.
 *  I5 Where nothing was done under a key that was dispatched, it is taken over since when its provider may know the key, by as many runs as follow.
 */
import type { Graph, Json } from "@woml/model";
import { canonical, utf8Bytes } from "@woml/model/laws";
import type { RunEvents } from "./event.ts";
import type { RunId } from "./id.ts";
import { indexAt, isAction, nodeAt } from "./site.ts";
import { type OperationState, operationId, type RunState } from "./state.ts";
import { dispatchedFrom } from "./window.ts";

/** Bytes of outputs and operations that a run can take over, as JSON, and how many operations. */
export const INHERITED = { bytes: 33_554_432, operations: 20_000 } as const;

export interface Inheritance {
  /** The node with which the new run begins. */
  readonly from: string;
  readonly outputs: readonly RunEvents["output_inherited"][];
  readonly operations: readonly RunEvents["effect_inherited"][];
  readonly keys: readonly RunEvents["key_inherited"][];
}
/** Why a run cannot be resumed so. */
export const RESUME_FAULTS = [
  "WOML_RUN_NOT_ENDED",
  "WOML_RESUME_FROM_INVALID",
  "WOML_RESUME_NOT_REACHED",
  "WOML_RESUME_EFFECT_UNKNOWN",
  "WOML_RESUME_TOO_LARGE",
] as const;
type ResumeFault = (typeof RESUME_FAULTS)[number];
export interface ResumeRefused {
  readonly fault: ResumeFault;
  readonly message: string;
  /** operationIds that it is about. */
  readonly operations?: readonly string[];
}
interface Wanted {
  readonly run: RunId;
  /** A node's id: a step, or either end of a group, choice, fork or approval. */
  readonly from: string;
}

/** What a run of the same definition begins with that resumes `run`, whose whole log `state` is, folded from `remembering`. */
export function inherit(graph: Graph, state: RunState, { run, from: named }: Wanted): Inheritance | ResumeRefused {
  whole(state);
  if (state.ended === null) return { fault: "WOML_RUN_NOT_ENDED", message: "the run has not ended: a run that goes on is not resumed" };
  if (state.admitted?.resumed !== undefined && state.startedAt === null)
    return {
      fault: "WOML_RESUME_NOT_REACHED",
      message: "the run took nothing over and began nothing: resume the one that it was to resume",
    };
  const from = openingOf(graph, named);
  if (from === null)
    return { fault: "WOML_RESUME_FROM_INVALID", message: `${named} is no step or group that stands by itself in the run's main flow` };
  if (!graph.incoming(from).every((edge) => hasPassed(graph, state, edge.from))) {
    return { fault: "WOML_RESUME_NOT_REACHED", message: `the run had not come to ${named}: something before it had not completed` };
  }
  const unknown = unknownIn(graph, state, from);
  if (unknown.length > 0) {
    const message = `nobody knows what ${unknown.join(", ")} did, so that it cannot be run again`;
    return { fault: "WOML_RESUME_EFFECT_UNKNOWN", message, operations: unknown };
  }
  const outputs = graph.visible(from).flatMap((node) => outputOf(graph, state, node));
  const operations = operationsOf(state, run);
  return withinBounds({ from, outputs, operations, keys: keysOf(state, new Set(operations.map(({ key }) => key))) });
}

/** A key under which nothing was done counts as an operation. */
function withinBounds(taken: Inheritance): Inheritance | ResumeRefused {
  const { outputs, operations, keys } = taken;
  const bytes = [outputs, operations, ...(keys.length === 0 ? [] : [keys])].reduce((sum, list) => sum + utf8Bytes(JSON.stringify(list)), 0);
  const count = operations.length + keys.length;
  if (bytes <= INHERITED.bytes && count <= INHERITED.operations) return taken;
  const message = `it would take over ${count} operations and ${bytes} bytes, more than ${INHERITED.operations} or ${INHERITED.bytes}`;
  return { fault: "WOML_RESUME_TOO_LARGE", message };
}

/** Whether a node stands before `from`: in a run resumed there it has completed. */
export const standsBefore = (graph: Graph, from: string, node: string): boolean => before(graph, from).has(node);

/** operationIds of effects that a run with another payload would have once more, because their steps run again; an inherited one's id is that of the run that performed it. */
export function repeated(graph: Graph, state: RunState, from: string): readonly string[] {
  whole(state);
  const again = afterwards(graph, from);
  const found = [...state.operations.entries()].filter(
    ([, one]) => isAchieved(one) && one.reused === null && runsAgain(graph, again, one.node),
  );
  return [...new Set(found.map(([id, one]) => one.inherited?.performed ?? id))].sort();
}

/** Keys of what failed and was asked for in one breath with a success, before it. Whatever the script was told in between may be why it went on with that. */
export function besideOf(state: RunState, success: OperationState): readonly string[] {
  if (success.inherited !== undefined) return success.inherited.beside;
  const keys: string[] = [];
  let one: OperationState | undefined = success;
  while (one !== undefined && one.seen.length === 0) {
    one = state.operations.get(operationId(success.node, success.attempt, one.call - 1));
    if (one?.status === "failed") keys.push(one.key);
  }
  return keys;
}

/** An approval whose decision a run takes over that begins at `from`; null: none. */
export function inheritsApproval(graph: Graph, from: string): string | null {
  return [...before(graph, from)].sort().find((id) => graph.node(id).kind === "approval") ?? null;
}

function whole({ remembers }: RunState): void {
  if (!remembers) throw new Error("what is taken over is read from a state that has forgotten nothing");
}

const known = new WeakMap<Graph, Map<string, ReadonlySet<string>>>();

function before(graph: Graph, from: string): ReadonlySet<string> {
  const kept = known.get(graph) ?? new Map<string, ReadonlySet<string>>();
  known.set(graph, kept);
  const nodes = kept.get(from) ?? reach(from, (id) => graph.incoming(id).map((edge) => edge.from));
  kept.set(from, nodes);
  return nodes;
}

function reach(from: string, next: (id: string) => readonly string[]): Set<string> {
  const found = new Set<string>();
  const open = [from];
  for (const id of open)
    for (const other of next(id))
      if (!found.has(other)) {
        found.add(other);
        open.push(other);
      }
  return found;
}

/** With `from` itself, and what stands in groups behind it. */
const afterwards = (graph: Graph, from: string): ReadonlySet<string> =>
  reach(from, (id) => graph.outgoing(id).map((edge) => edge.to)).add(from);

/** I1: what is neither before nor behind it can only stand in branches that no join waits for. */
function openingOf(graph: Graph, named: string): string | null {
  if (!graph.has(named)) return null;
  const { kind } = graph.node(named);
  const from = kind === "parallel" || kind === "choice" || kind === "join" ? graph.openerOf(named) : named;
  if (graph.armOf(from) !== null || graph.parallelOf(from) !== null) return null;
  const [earlier, later] = [before(graph, from), afterwards(graph, from)];
  const isAside = ({ id }: { readonly id: string }): boolean => !earlier.has(id) && !later.has(id);
  return graph.definition.nodes.every((node) => !isAside(node) || graph.armOf(node.id) !== null) ? from : null;
}

/** Of the end of a first-level item. */
function hasPassed(graph: Graph, state: RunState, id: string): boolean {
  const resumed = state.admitted?.resumed;
  if (resumed !== undefined && standsBefore(graph, resumed.from, id)) return true;
  const node = graph.node(id);
  if (node.kind === "step") return state.steps.get(id)?.status === "succeeded";
  if (node.kind === "parallel") return state.parallels.get(id)?.status === "succeeded";
  if (node.kind === "choice") return state.choices.get(id)?.settled === true;
  if (node.kind === "for-each") return state.loops.get(id)?.status === "succeeded";
  return node.kind === "join" && state.forks.get(id)?.join === "succeeded";
}

function outputOf(graph: Graph, { outputs }: RunState, node: string): readonly RunEvents["output_inherited"][] {
  const output = outputs.get(node);
  return output === undefined ? [] : [{ node, output, ...(graph.node(node).kind === "step" && { isStep: true }) }];
}

/** I3. */
function unknownIn(graph: Graph, state: RunState, from: string): readonly string[] {
  const again = afterwards(graph, from);
  return [...state.operations.entries()]
    .filter(([, { status, node }]) => status === "unknown" && !isAction(node) && runsAgain(graph, again, node))
    .map(([id, one]) => one.inherited?.performed ?? id)
    .sort();
}

function runsAgain(graph: Graph, again: ReadonlySet<string>, site: string): boolean {
  const id = nodeAt(site);
  return again.has(indexAt(site) === null ? id : (graph.loopOf(id) ?? id));
}

/** What observes is of its own run: a new one tells anew that it began, failed or waits for a decision. */
function isAchieved({ status, called, node }: OperationState): boolean {
  return status === "succeeded" && called !== null && called.effect.class !== "pure" && !isAction(node);
}

/** I2: one for each key, as it was first performed; in the order of their steps, attempts and calls. */
function operationsOf(state: RunState, run: RunId): readonly RunEvents["effect_inherited"][] {
  const known = [...state.operations.entries()].flatMap(([, one]) => (isAchieved(one) || isUnknown(one) ? [one] : []));
  const counts = new Map<string, number>();
  return [...Map.groupBy(known.toSorted(byPlace), ({ key }) => key).values()].flatMap((all) => {
    const [first] = all;
    if (first?.called == null) return [];
    const { node, key, called } = first;
    const nth = (counts.get(node) ?? 0) + 1;
    counts.set(node, nth);
    const beside = besideOf(state, first).filter((one) => all.every((other) => besideOf(state, other).includes(one)));
    const { run: by, performed } = first.inherited ?? { run, performed: operationId(node, first.attempt, first.call) };
    return [{ node, nth, key, run: by, performed, called, outcome: outcomeOf(first), beside }];
  });
}

/** I5. What stands in `known` is not dispatched any more. In the order of their keys. */
function keysOf({ operations, windows }: RunState, known: ReadonlySet<string>): readonly RunEvents["key_inherited"][] {
  const found = new Map([...windows.entries()].map(([key, window]) => [key, { ...window, key }]));
  for (const [, one] of operations.entries()) {
    const from = isAction(one.node) ? null : dispatchedFrom(one);
    const before = found.get(one.key)?.windowFrom ?? Number.POSITIVE_INFINITY;
    if (from !== null && from < before) found.set(one.key, { node: one.node, key: one.key, windowFrom: from });
  }
  return [...found.values()].filter(({ key }) => !known.has(key)).sort((a, b) => (a.key < b.key ? -1 : 1));
}

function isUnknown({ status, called, node }: OperationState): boolean {
  return status === "unknown" && called?.effect.class !== "pure" && !isAction(node);
}

function byPlace(a: OperationState, b: OperationState): number {
  if (a.node !== b.node) return a.node < b.node ? -1 : 1;
  return a.attempt - b.attempt || a.call - b.call;
}

function outcomeOf({ status, result, failure, told }: OperationState): RunEvents["effect_inherited"]["outcome"] {
  if (status === "unknown" && failure !== null) return { status, failure, told };
  return { status: "succeeded", result: result ?? null };
}

/** Whether a payload says the same as another. */
export const samePayload = (left: Json, right: Json): boolean => canonical(left) === canonical(right);
