import type { Node } from "acorn";
import type { Range } from "../source.ts";
import { type Frame, frames, isNode, staticKey } from "./walk.ts";

/** One place where a script says a name. `writes`: it is assigned to or deleted there. */
export interface Mention {
  readonly name: string;
  readonly frame: Frame;
  readonly writes: boolean;
}
/** One place where a script declares a name, and the part of the script in which the name then means that. */
interface Declaration {
  readonly name: string;
  readonly node: Node;
  readonly scope: Range;
}
export interface Names {
  readonly declarations: readonly Declaration[];
  /** Those that mean what the script was given, not something of its own. */
  readonly mentions: readonly Mention[];
  /** All other nodes that a rule or the needs of a script look at. */
  readonly others: readonly Frame[];
}

const OTHERS: ReadonlySet<string> = new Set(["ImportExpression", "ThisExpression", "WithStatement"]);
const EVERYWHERE: Range = { start: 0, end: Number.MAX_SAFE_INTEGER };

/** Finds where a script says one of `tracked`. */
export function names(statements: readonly Node[], tracked: ReadonlySet<string>): Names {
  const declarations: Declaration[] = [];
  const mentions: Mention[] = [];
  const others: Frame[] = [];
  for (const frame of frames(statements)) {
    const { node } = frame;
    if (OTHERS.has(node.type) || isMaker(node)) others.push(frame);
    const name = node.type === "Identifier" ? String(node["name"]) : "";
    if (!tracked.has(name) || isKey(frame)) continue;
    const target = targetOf(frame);
    const scope = scopeOf(target);
    if (scope) declarations.push({ name, node, scope });
    else mentions.push({ name, frame, writes: isWrite(target) });
  }
  const scopes = new Map([...Map.groupBy(declarations, ({ name }) => name)].map(([name, list]) => [name, outermost(list)]));
  return { declarations, mentions: mentions.filter(({ name, frame }) => !isWithin(scopes.get(name) ?? [], frame.node.start)), others };
}

/** `x.constructor`, which leads from any function to the one that makes functions of texts. */
const isMaker = ({ type, property, computed }: Frame["node"]): boolean =>
  type === "MemberExpression" && staticKey(property, computed) === "constructor";

/** Scopes are nested or apart: those that no other holds say it all, and can be searched. */
function outermost(declarations: readonly Declaration[]): readonly Range[] {
  const found: Range[] = [];
  for (const { scope } of declarations.toSorted((a, b) => a.scope.start - b.scope.start || b.scope.end - a.scope.end)) {
    if (scope.start >= (found.at(-1)?.end ?? 0)) found.push(scope);
  }
  return found;
}

function isWithin(scopes: readonly Range[], at: number): boolean {
  let [low, high] = [0, scopes.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((scopes[middle]?.end ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  const scope = scopes[low];
  return scope !== undefined && scope.start <= at;
}

/** Identifiers that name a property or a label, not a variable. */
function isKey({ node, key, up }: Frame): boolean {
  if (!up) return false;
  const holder = up.node;
  switch (holder.type) {
    case "MemberExpression":
      return key === "property" && holder["computed"] !== true;
    case "Property":
    case "MethodDefinition":
    case "PropertyDefinition":
      return key === "key" && holder["computed"] !== true && holder["key"] === node;
    case "LabeledStatement":
    case "BreakStatement":
    case "ContinueStatement":
      return key === "label";
    case "ExportSpecifier":
      return key === "exported";
    case "MetaProperty":
      return true;
    default:
      return false;
  }
}

/** Of patterns: what `targetOf` has answered. Thousands of names may stand in a pattern that is thousands deep. */
const targets = new WeakMap<Frame, Frame>();

/** The outermost pattern that `frame` is a target of, or `frame` itself: in `let { a: [b] } = c` that of b is `{ a: [b] }`. */
function targetOf(frame: Frame): Frame {
  const passed: Frame[] = [];
  let target = frame;
  for (let up = target.up; up && isPattern(up, target.key); up = target.up) {
    target = targets.get(up) ?? up;
    passed.push(up);
  }
  for (const pattern of passed) targets.set(pattern, target);
  return target;
}

function isPattern({ node, up }: Frame, key: string): boolean {
  if (node.type === "AssignmentPattern") return key === "left";
  if (node.type === "Property") return key === "value" && up?.node.type === "ObjectPattern";
  return node.type === "ObjectPattern" || node.type === "ArrayPattern" || node.type === "RestElement";
}

/** Where the names of a declaration hold; null when `target` declares nothing. */
function scopeOf({ node, key, up }: Frame): Range | null {
  if (!up) return null;
  const holder = up.node;
  if (holder.type === "VariableDeclarator" && key === "id") {
    return around(up.up, up.up?.node["kind"] === "var" ? isFunction : isBlock);
  }
  if (holder.type === "CatchClause" && key === "param") return holder;
  if (isFunction(holder) && key === "params") return holder;
  if (key !== "id" || holder["id"] !== node) return null;
  if (holder.type === "FunctionDeclaration" || holder.type === "ClassDeclaration") return around(up, isBlock);
  return holder.type === "FunctionExpression" || holder.type === "ClassExpression" ? holder : null;
}

function around(frame: Frame | null, holds: (node: Node) => boolean): Range {
  for (let up = frame?.up; up; up = up.up) if (holds(up.node)) return inside(up.node);
  return EVERYWHERE;
}

/** What is declared in a function does not hold in the defaults of its parameters, nor what a switch declares in its discriminant. */
function inside(node: Frame["node"]): Range {
  const { body, discriminant } = node;
  if (isNode(discriminant)) return { start: discriminant.end, end: node.end };
  return isNode(body) && isFunction(node) ? body : node;
}

const isFunction = (node: Node): boolean => /Function/.test(node.type) || node.type === "StaticBlock";
const isBlock = (node: Node): boolean => isFunction(node) || /^(BlockStatement|For\w*Statement|SwitchStatement)$/.test(node.type);

function isWrite({ node, key, up }: Frame): boolean {
  const holder = up?.node;
  if (!holder) return false;
  if (holder.type === "UpdateExpression") return true;
  if (holder.type === "UnaryExpression") return holder["operator"] === "delete";
  const isLeft = key === "left" && holder["left"] === node;
  return isLeft && /^(AssignmentExpression|ForInStatement|ForOfStatement)$/.test(holder.type);
}

/** The member expression around a mention, as in `globalThis.fetch`, with the name of its property (null when computed). */
export function memberOf({ frame }: Mention): { readonly frame: Frame; readonly property: string | null } | null {
  const member = frame.key === "object" && frame.up?.node.type === "MemberExpression" ? frame.up : null;
  return member && { frame: member, property: staticKey(member.node["property"], member.node["computed"]) };
}

/** Whether the expression of `frame` is assigned to or deleted. */
export const isWritten = (frame: Frame): boolean => isWrite(targetOf(frame));

/** Whether something is assigned to what a mention stands for, or to anything in it. */
export function isWrittenThrough({ frame, writes }: Mention): boolean {
  if (writes) return true;
  for (let at = frame; at.key === "object" && at.up?.node.type === "MemberExpression"; at = at.up) if (isWritten(at.up)) return true;
  return false;
}
