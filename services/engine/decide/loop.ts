/** Loops: iterations are started in order, so many at a time; none after one has failed. */
import { type ForEachNode, RUN_LIMITS } from "@woml/model";
import type { Failure } from "@woml/run";
import { notAvailable, spell } from "./choice.ts";
import type { Draft } from "./draft.ts";
import { overflow } from "./limits.ts";
import { type Spot, valueAt } from "./spot.ts";

/** Elements that a loop may have. */
export const ITEMS: number = RUN_LIMITS.items;

/** Answers why its flow fails, if it does. */
export function openLoop(draft: Draft, spot: Spot, node: ForEachNode): Failure | null {
  const items = valueAt(draft, spot, node.items);
  if (items === undefined) return notAvailable(node.id, node.items);
  if (!Array.isArray(items)) return refused(node, "WOML_FOR_EACH_NOT_AN_ARRAY", `${spell(node.items)} is no array.`);
  const total = items.length;
  if (total > ITEMS)
    return refused(node, "WOML_FOR_EACH_LIMIT_EXCEEDED", `${spell(node.items)} has ${total} elements, more than ${ITEMS}.`);
  const { concurrency = 1, body, result } = node;
  const nodes = body.nodes.map(({ id }) => id);
  draft.emit({ type: "loop_opened", data: { node: node.id, total, concurrency, collects: result !== undefined, nodes } });
  if (total === 0) draft.emit({ type: "loop_settled", data: { node: node.id, status: "succeeded", failed: 0 } });
  return null;
}

/** Starts the next iteration, if there is one and it may; answers its number. */
export function startIteration(draft: Draft, loop: string): number | null {
  const state = draft.state.loops.get(loop);
  if (state?.status !== "open" || state.failed > 0 || state.next >= state.total) return null;
  if (state.active.length >= state.concurrency) return null;
  const index = state.next;
  draft.emit({ type: "iteration_started", data: { node: loop, index } });
  return index;
}

/** `inner` is any spot of the iteration that has succeeded. Answers why it fails all the same, if it does. */
export function succeedIteration(draft: Draft, inner: Spot, node: ForEachNode): Failure | null {
  const index = inner.index ?? 0;
  const result = node.result === undefined ? undefined : valueAt(draft, inner, node.result);
  if (node.result !== undefined && result === undefined) return notAvailable(node.id, node.result);
  const over = result === undefined ? null : overflow(draft, node.id, result);
  if (over !== null) return over;
  const data = { node: node.id, index, status: "succeeded", failure: null, ...(result === undefined ? {} : { result }) } as const;
  draft.emit({ type: "iteration_settled", data });
  return null;
}

export function failIteration(draft: Draft, loop: string, index: number, failure: Failure): void {
  draft.emit({ type: "iteration_settled", data: { node: loop, index, status: "failed", failure } });
  const state = draft.state.loops.get(loop);
  const count = (state?.total ?? 0) - (state?.next ?? 0);
  if (state !== undefined && count > 0) draft.emit({ type: "iterations_skipped", data: { node: loop, from: state.next, count } });
}

/** Settles a loop whose iterations have all ended. Answers how; null: it goes on. */
export function settleLoop(draft: Draft, loop: string): "succeeded" | Failure | null {
  const state = draft.state.loops.get(loop);
  if (state?.status !== "open" || state.active.length > 0 || state.next < state.total) return null;
  const { failed, failure, total } = state;
  draft.emit({ type: "loop_settled", data: { node: loop, status: failed === 0 ? "succeeded" : "failed", failed } });
  if (failure === null) return "succeeded";
  const message = `${failed} of ${total} iterations failed; the first one: ${failure.message}`;
  return { code: "WOML_FOR_EACH_ITERATION_FAILED", kind: "for_each_iteration_failed", message, step: loop, cause: failure };
}

function refused({ id }: ForEachNode, code: string, message: string): Failure {
  return { code, kind: "for_each_items_refused", message, step: id };
}
