import type { BodyNode, Node } from "@woml/model";
import { childrenNamed, type Element, elementsOf, textOf } from "../tree.ts";
import { labels, required } from "./attribute.ts";
import type { Draft, Ends, LowerFlow } from "./draft.ts";
import { pathIn } from "./path.ts";

/** A loop is one node; its body is a graph of its own, whose outputs nothing outside sees. */
export function lowerForEach(element: Element, draft: Draft, lowerFlow: LowerFlow): Ends {
  const id = required(element, "id");
  const body = draft.inner();
  const mark = draft.outputs.mark();
  if (!lowerFlow(elementsOf(element), body)) throw new Error(`the loop ${id} without items has passed the rules`);
  draft.outputs.back(mark);
  const concurrency = Number(textOf(element, "concurrency") ?? "1");
  const [result] = childrenNamed(element, "result");
  draft.add(
    {
      kind: "for-each",
      id,
      ...labels(element),
      items: pathIn(element, "items"),
      ...(concurrency > 1 && { concurrency }),
      body: { nodes: body.nodes.map(bodyNode), edges: body.edges },
      ...(result && { result: pathIn(result, "value") }),
    },
    element,
  );
  draft.outputs.add(id);
  return { entry: id, exit: id };
}

function bodyNode(node: Node): BodyNode {
  const { kind } = node;
  if (kind === "fork" || kind === "join" || kind === "approval" || kind === "for-each")
    throw new Error(`a ${kind} in a loop has passed the rules`);
  return node;
}
