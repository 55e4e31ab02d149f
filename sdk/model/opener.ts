import { APPROVAL_ARMS, armsOf } from "./arms.ts";
import type { Node } from "./definition.ts";
import type { Links } from "./order.ts";

/** The id of the node that ends what `node` opens; null when it opens nothing. */
export function endOf(node: Node | undefined): string | null {
  switch (node?.kind) {
    case "select":
    case "switch":
    case "approval":
      return node.choice;
    case "fork":
      return node.join;
    case "open":
      return node.parallel;
    default:
      return null;
  }
}

/** The arms by which a choice's opener is left, the last one last; null for what opens no choice. */
export function armsFrom(node: Node): readonly string[] | null {
  if (node.kind === "select" || node.kind === "switch") return armsOf(node);
  return node.kind === "approval" ? APPROVAL_ARMS : null;
}

/** By id of the node that ends a choice, a parallel or a fork: the one that opens it. */
export function openers(links: Links): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const node of links.nodes.values()) {
    const end = endOf(node);
    if (end !== null) found.set(end, node.id);
  }
  return found;
}
