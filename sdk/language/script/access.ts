import type { Range } from "../source.ts";
import { isWritten, type Mention, type Names } from "./names.ts";
import { OPERATIONS } from "./operations.ts";
import { type Frame, isNode } from "./walk.ts";

/** Why a name is used in a way of which nobody could tell what it reaches: written to, found by a computed name, or used as a value. */
export type Misuse = "write" | "dynamic" | "value";

/** One use of `services` or `secrets`: the names that follow it as they are written, and the node in which they stand. */
export interface Access {
  readonly path: readonly string[];
  readonly node: Frame["node"];
  readonly misuse: Misuse | null;
  /** The call of an operation, where it is one. */
  readonly call: Frame["node"] | null;
}
/** What a script reaches through the names it is given. */
export interface Accesses {
  /** `services.<alias>.<operation>(…)`, `services.db(…).<operation>(…)`, and `services.db(…)` alone. */
  readonly services: readonly Access[];
  /** `secrets.<NAME>`. */
  readonly secrets: readonly Access[];
  /** Wherever `fetch` is read: it may be called by another name later. */
  readonly fetches: readonly Frame["node"][];
}

export function accessesOf({ mentions }: Names): Accesses {
  const of = (name: string): readonly Mention[] => mentions.filter((mention) => mention.name === name);
  return {
    services: of("services").map((mention) => access(mention, 2)),
    secrets: of("secrets").map((mention) => access(mention, 1)),
    fetches: of("fetch")
      .filter(({ writes }) => !writes)
      .map(({ frame }) => frame.node),
  };
}

/** Follows `depth` members upwards from a mention. An operation, the second of them, must be called. */
function access(mention: Mention, depth: number): Access {
  const path: string[] = [];
  let { frame } = mention;
  const found = (misuse: Misuse | null, call: Frame | null = null): Access => ({
    path,
    node: frame.node,
    misuse,
    call: call?.node ?? null,
  });
  if (mention.writes) return found("write");
  while (path.length < depth) {
    if (path[0] === "db" && callOf(frame)) return connection(frame, path);
    const member = memberAround(frame);
    if (!member) return found("value");
    frame = member;
    const name = writtenName(member.node);
    if (name === null) return found("dynamic");
    path.push(name);
    if (isWritten(member)) return found("write");
  }
  if (depth === 1) return found(null);
  const call = callOf(frame);
  return found(call ? null : "value", call);
}

/** `services.db(…)`, and the operation where it is called at once. */
function connection(frame: Frame, path: readonly string[]): Access {
  const opened = callOf(frame);
  const member = opened && memberAround(opened);
  const name = member && writtenName(member.node);
  const call = member && callOf(member);
  if (name && call) return { path: [...path, name], node: frame.node, misuse: null, call: call.node };
  return { path, node: frame.node, misuse: null, call: null };
}

const memberAround = ({ key, up }: Frame): Frame | null => (key === "object" && up?.node.type === "MemberExpression" ? up : null);
const callOf = ({ key, up }: Frame): Frame | null => (key === "callee" && up?.node.type === "CallExpression" ? up : null);

/** The name behind the dot. A computed name, though it be a literal, and `?.` are none. */
function writtenName({ property, computed, optional }: Frame["node"]): string | null {
  if (computed === true || optional === true || !isNode(property) || property.type !== "Identifier") return null;
  return String(property["name"]);
}

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

/** Each `<alias>.<operation>` that a script may call, and each secret it names, where it does so first. */
export function saidIn(
  { services, secrets, fetches }: Accesses,
  shift: number,
): { calls: ReadonlyMap<string, Range>; secrets: ReadonlyMap<string, Range> } {
  const called = services.flatMap((access) => reached(access).map((call) => [call, access.node] as const));
  const named = secrets.filter(({ misuse }) => misuse === null).map(({ path, node }) => [path.join("."), node] as const);
  return {
    calls: firstOf([...called, ...fetches.map((node) => [FETCH, node] as const)], shift),
    secrets: firstOf(named, shift),
  };
}

/** Whether its text says what it may call, however it is used. */
export const isTold = ({ path: [alias, operation], misuse }: Access): boolean =>
  misuse === null || (misuse !== "write" && alias !== undefined && (operation !== undefined || OPERATIONS.has(alias)));

/** What may be called: `<alias>.<operation>`; of what is kept as a value, all that it can do, `<alias>.*` where that is not known. */
function reached({ path: [alias, operation], misuse }: Access): readonly string[] {
  if (alias === undefined || misuse === "write") return [];
  return (operation === undefined ? (OPERATIONS.get(alias) ?? ["*"]) : [operation]).map((name) => `${alias}.${name}`);
}
