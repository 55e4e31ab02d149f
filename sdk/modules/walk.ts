import type { Node } from "acorn";

/** A node whose properties are looked at by name. */
export type Shape = Node & { readonly [key: string]: unknown };

export const isNode = (value: unknown): value is Shape =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

export interface Place {
  readonly node: Shape;
  /** Whether it stands in the body of a function, and not at the top of the module. */
  readonly inFunction: boolean;
}

/** Every node below `statements`. Keeps its own stack: sources may be nested deeply. Order means nothing. */
export function* places(statements: readonly Node[]): Generator<Place> {
  const waiting: Place[] = statements.map((node) => ({ node: node as Shape, inFunction: false }));
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    yield place;
    const inFunction = place.inFunction || /Function/.test(place.node.type);
    for (const key in place.node) {
      const value = place.node[key];
      for (const item of Array.isArray(value) ? value : [value]) if (isNode(item)) waiting.push({ node: item, inFunction });
    }
  }
}

/** The names that a pattern binds: of `{ a: [b], ...c }` b and c. */
export function* bound(pattern: unknown): Generator<string> {
  const waiting: unknown[] = [pattern];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (!isNode(next)) continue;
    if (next.type === "Identifier") yield String(next["name"]);
    else if (next.type === "ObjectPattern") waiting.push(...listOf(next["properties"]));
    else if (next.type === "ArrayPattern") waiting.push(...listOf(next["elements"]));
    else if (next.type === "Property") waiting.push(next["value"]);
    else if (next.type === "RestElement") waiting.push(next["argument"]);
    else if (next.type === "AssignmentPattern") waiting.push(next["left"]);
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
