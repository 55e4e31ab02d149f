import type { OpenNode, ParallelNode } from "@woml/model";
import type { Draft } from "./draft.ts";

export function openGroup(draft: Draft, node: OpenNode): void {
  draft.emit({ type: "parallel_opened", data: { node: node.parallel } });
}

export function settleGroup(draft: Draft, node: ParallelNode): void {
  draft.emit({ type: "parallel_settled", data: { node: node.id, status: "succeeded", failed: [], cancelled: [] } });
}
