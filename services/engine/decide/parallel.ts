import type { OpenNode, ParallelNode } from "@woml/model";
import type { Draft } from "./draft.ts";
import { cancelStep } from "./finish.ts";

export function openGroup(draft: Draft, node: OpenNode): void {
  draft.emit({ type: "parallel_opened", data: { node: node.parallel } });
}

export function settleGroup(draft: Draft, node: ParallelNode): void {
  draft.emit({ type: "parallel_settled", data: { node: node.id, status: "succeeded", failed: [], cancelled: [] } });
}

/** Fail-fast: one child has failed for good, its siblings end with it. */
export function failGroup(draft: Draft, parallel: string, child: string): void {
  const open = new Set(draft.state.open);
  const cancelled = draft.graph.children(parallel).filter((id) => open.has(id));
  for (const id of cancelled) cancelStep(draft, id, "fail_fast");
  draft.emit({ type: "parallel_settled", data: { node: parallel, status: "failed", failed: [child], cancelled } });
}
