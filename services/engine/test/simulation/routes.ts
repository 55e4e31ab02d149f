import type { Graph, Json, Node, Reference } from "@woml/model";
import { indexAt, nodeAt, type RunEvent, siteIn } from "@woml/run";

/** Of each choice the arm that its values name, told from the outputs before it; and no output of one that has no results. */
export function routes(graph: Graph): (event: RunEvent) => string | null {
  const nodes = graph.definition.nodes.flatMap((node): readonly Node[] => (node.kind === "for-each" ? [node, ...node.body.nodes] : [node]));
  const withResults = new Set(nodes.flatMap((node) => (node.kind === "choice" && node.results !== undefined ? node.id : [])));
  const openers = new Map(nodes.flatMap((node) => ("choice" in node ? [[node.choice, node] as const] : [])));
  const values = new Map<string, Json>();
  const decisions = new Map<string, string>();
  return ({ type, data }) => {
    if (type === "run_admitted") values.set("", data.payload);
    if (type === "step_succeeded") values.set(data.node, data.output);
    if (type === "approval_resolved") decisions.set(data.node, data.decision);
    if (type === "choice_settled") {
      if (data.output !== undefined) values.set(data.node, data.output);
      return withResults.has(nodeAt(data.node)) === (data.output !== undefined) ? null : `${data.node} has an output, or none`;
    }
    if (type !== "choice_selected") return null;
    const opened = openers.get(nodeAt(data.node));
    const index = indexAt(data.node);
    const read = ([root, ...path]: Reference): Json | undefined => {
      if (root === "payload") return at(values.get(""), path);
      const [id = "", ...rest] = path;
      return at(values.get(siteIn(id, index)) ?? values.get(id), rest);
    };
    const arm = opened === undefined ? null : armOf(opened, read, decisions);
    return arm === UNSEEN || arm === data.arm ? null : `${data.node} takes ${data.arm}, and not ${arm}`;
  };
}

/** It looks at what is not followed here: the output of a loop or an approval, or an item. */
const UNSEEN = Symbol("unseen");

function armOf(
  node: Node,
  read: (of: Reference) => Json | undefined,
  decisions: ReadonlyMap<string, string>,
): string | null | typeof UNSEEN {
  if (node.kind === "approval") return decisions.get(node.id) ?? null;
  if (node.kind === "switch") {
    const value = read(node.value);
    if (value === undefined) return UNSEEN;
    return typeof value !== "string" ? null : (node.arms.find(({ equals }) => equals === value)?.arm ?? node.otherwise);
  }
  if (node.kind !== "select") return null;
  for (const { arm, test } of node.arms) {
    const value = read(test);
    if (value === undefined) return UNSEEN;
    if (typeof value !== "boolean") return null;
    if (value) return arm;
  }
  return node.otherwise;
}

function at(start: Json | undefined, path: readonly string[]): Json | undefined {
  let value = start;
  for (const name of path) {
    const members = typeof value === "object" && value !== null && !Array.isArray(value) ? (value as { readonly [key: string]: Json }) : {};
    value = Object.hasOwn(members, name) ? members[name] : undefined;
  }
  return value;
}
