import type { Node } from "acorn";

/** A node on the way down: `key` is the property of `up` that holds it. */
export interface Frame {
  readonly node: Node & { readonly [key: string]: unknown };
  readonly key: string;
  readonly up: Frame | null;
}

/** Every node below `statements`, each with the way to it. Keeps its own stack: scripts may be nested deeply. Order means nothing. */
export function* frames(statements: readonly Node[]): Generator<Frame> {
  const waiting: Frame[] = statements.map((node) => ({ node: node as Frame["node"], key: "body", up: null }));
  for (let frame = waiting.pop(); frame; frame = waiting.pop()) {
    yield frame;
    for (const key in frame.node) {
      const value = frame.node[key];
      if (Array.isArray(value)) for (const item of value) push(waiting, item, key, frame);
      else push(waiting, value, key, frame);
    }
  }
}

function push(waiting: Frame[], value: unknown, key: string, up: Frame): void {
  if (isNode(value)) waiting.push({ node: value, key, up });
}

export const isNode = (value: unknown): value is Frame["node"] =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

/** The name of a property that is written out: `a.name`, `a["name"]`, `{ name: … }`; null when it is computed. */
export function staticKey(key: unknown, isComputed: unknown): string | null {
  if (!isNode(key)) return null;
  if (key.type === "Identifier" && isComputed !== true) return String(key["name"]);
  if (key.type === "Literal" && typeof key["value"] === "string") return key["value"];
  return null;
}
