import type { Node } from "./definition.ts";
import type { Outline } from "./outline.ts";
import type { Reference } from "./reference.ts";

/** A place that reads outputs: `node` is where it stands; `arm`, for a result of a choice, the arm whose outputs it may read too. */
export interface Reading {
  readonly node: string;
  readonly arm: string | null;
  readonly path: string;
  readonly reference: Reference;
}

/** Every reference of a definition: tests, results, and what scripts say they need. */
export function* readings({ definition, nodePath }: Outline): Generator<Reading> {
  for (const node of definition.nodes) yield* ofNode(node, nodePath(node.id));
}

function* ofNode(node: Node, path: string): Generator<Reading> {
  if (node.kind === "select") {
    for (const [at, { test }] of node.arms.entries()) yield { node: node.id, arm: null, path: `${path}/arms/${at}/test`, reference: test };
  } else if (node.kind === "choice") {
    for (const [at, { arm, value }] of (node.results ?? []).entries()) {
      yield { node: node.id, arm, path: `${path}/results/${at}/value`, reference: value };
    }
  } else if (node.kind === "step") {
    for (const [at, id] of (node.script.needs?.steps ?? []).entries()) {
      yield { node: node.id, arm: null, path: `${path}/script/needs/steps/${at}`, reference: ["steps", id] };
    }
  }
}

/** The node whose output a reference reads; null when it reads the payload, undefined when it is neither. */
export function readNode(reference: Reference): string | null | undefined {
  if (reference[0] === "payload") return null;
  return reference[0] === "steps" ? reference[1] : undefined;
}
