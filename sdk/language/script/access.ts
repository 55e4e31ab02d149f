import type { Range } from "../source.ts";
import { isWritten, type Mention, type Names } from "./names.ts";
import { type Frame, isNode } from "./walk.ts";

/** Why a name is used in a way of which nobody could tell what it reaches: written to, found by a computed name, or used as a value. */
export type Misuse = "write" | "dynamic" | "value";

/** One use of `services` or `secrets`: the names that follow it as they are written, and the node in which they stand. */
export interface Access {
  readonly path: readonly string[];
  readonly node: Frame["node"];
  readonly misuse: Misuse | null;
}
/** What a script reaches through the names it is given. */
export interface Accesses {
  /** `services.<alias>.<operation>(…)`. */
  readonly services: readonly Access[];
  /** `secrets.<NAME>`. */
  readonly secrets: readonly Access[];
  /** Wherever `fetch` is read: it may be called by another name later. */
  readonly fetches: readonly Frame["node"][];
}

export function accessesOf({ mentions }: Names): Accesses {
  const of = (name: string): readonly Mention[] => mentions.filter((mention) => mention.name === name);
  return {
    services: of("services").map((mention) => access(mention, 2, isCalled)),
    secrets: of("secrets").map((mention) => access(mention, 1, () => true)),
    fetches: of("fetch")
      .filter(({ writes }) => !writes)
      .map(({ frame }) => frame.node),
  };
}

/** Follows `depth` members upwards from a mention; `isUsed` judges what is done with the last one. */
function access(mention: Mention, depth: number, isUsed: (frame: Frame) => boolean): Access {
  const path: string[] = [];
  let { frame } = mention;
  const found = (misuse: Misuse | null): Access => ({ path, node: frame.node, misuse });
  if (mention.writes) return found("write");
  while (path.length < depth) {
    const member = frame.key === "object" && frame.up?.node.type === "MemberExpression" ? frame.up : null;
    if (!member) return found("value");
    frame = member;
    const name = writtenName(member.node);
    if (name === null) return found("dynamic");
    path.push(name);
    if (isWritten(member)) return found("write");
  }
  return found(isUsed(frame) ? null : "value");
}

/** The name behind the dot. A computed name, though it be a literal, and `?.` are none. */
function writtenName({ property, computed, optional }: Frame["node"]): string | null {
  if (computed === true || optional === true || !isNode(property) || property.type !== "Identifier") return null;
  return String(property["name"]);
}

const isCalled = ({ key, up }: Frame): boolean => key === "callee" && up?.node.type === "CallExpression";

/** By name, the place where each is first said. Positions less `shift` are those of the source. */
function firstOf(named: readonly (readonly [string, Frame["node"]])[], shift: number): ReadonlyMap<string, Range> {
  const first = new Map<string, Range>();
  for (const [name, { start, end }] of named.toSorted(([, a], [, b]) => a.start - b.start)) {
    if (!first.has(name)) first.set(name, { start: start - shift, end: end - shift });
  }
  return first;
}

/** What fetch stands for. */
const FETCH = "http.request";

/** Each `<alias>.<operation>` that a script calls, and each secret it names, where it does so first. */
export function reachOf(
  { services, secrets, fetches }: Accesses,
  shift: number,
): { calls: ReadonlyMap<string, Range>; secrets: ReadonlyMap<string, Range> } {
  const sound = (list: readonly Access[]) =>
    list.filter(({ misuse }) => misuse === null).map(({ path, node }) => [path.join("."), node] as const);
  return {
    calls: firstOf([...sound(services), ...fetches.map((node) => [FETCH, node] as const)], shift),
    secrets: firstOf(sound(secrets), shift),
  };
}
