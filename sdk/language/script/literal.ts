import type { Frame } from "./walk.ts";
import { isNode, staticKey } from "./walk.ts";

type Node = Frame["node"];

/** What an expression is, where it is written out; null where it is computed when the script runs. */
export function literalOf(node: Node): { readonly value: unknown } | null {
  if (node.type === "Literal") return { value: node["value"] };
  if (node.type === "TemplateLiteral") return templateOf(node);
  const { argument, operator } = node;
  if (node.type !== "UnaryExpression" || operator !== "-" || !isNode(argument)) return null;
  return typeof argument["value"] === "number" ? { value: -argument["value"] } : null;
}

/** A template without expressions is a text. */
function templateOf({ quasis }: Node): { readonly value: unknown } | null {
  const [only, ...more] = listOf(quasis);
  const value = only?.["value"];
  return more.length === 0 && typeof value === "object" && value !== null && "cooked" in value ? { value: value.cooked } : null;
}

/** One property of an object literal; `key` is null where that cannot be told: of a spread, a computed name, an accessor. */
export interface Member {
  readonly key: string | null;
  readonly value: Node;
  readonly node: Node;
}

/** The properties of an object literal, in their order. */
export const membersOf = (object: Node): readonly Member[] =>
  listOf(object["properties"]).map((node) => {
    const { value, key, computed, kind } = node;
    const isPlain = node.type === "Property" && computed !== true && kind === "init";
    return { key: isPlain ? staticKey(key, false) : null, value: isNode(value) ? value : node, node };
  });

export const argumentsOf = (call: Node): readonly Node[] => listOf(call["arguments"]);

const listOf = (value: unknown): readonly Node[] => (Array.isArray(value) ? value.filter(isNode) : []);
