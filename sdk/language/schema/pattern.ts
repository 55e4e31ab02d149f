import { statesOf } from "@woml/model/schema";
import { Excess, ScriptParser, Wrong } from "../script/parser.ts";

/** Deepest nesting of groups: the parser of patterns recurses. */
const DEPTH = 200;
const MOST_STATES = 20_000;

export interface PatternFault {
  readonly kind: "invalid" | "pattern";
  readonly why: string;
}

/**
 * Why a pattern of a schema is refused; null when it is a regular expression of ECMAScript with the flag `u` that can be matched in time
 * linear in the text. It is read, and never compiled: that alone can take minutes.
 */
export function patternFault(pattern: string): PatternFault | null {
  if (groupDepth(pattern) > DEPTH) return { kind: "pattern", why: `nests groups more than ${DEPTH} deep` };
  const excess = reasonOfParser(pattern);
  if (excess) return excess;
  const size = statesOf(pattern);
  if (typeof size === "string") return { kind: "pattern", why: `has a ${size}, which cannot be matched in linear time` };
  return size > MOST_STATES ? { kind: "pattern", why: `has more than ${MOST_STATES} states when its counts are written out` } : null;
}

function reasonOfParser(pattern: string): PatternFault | null {
  // With a slash before it, it would be a comment.
  if (pattern.startsWith("*")) return INVALID;
  try {
    ScriptParser.parseExpressionAt(literalOf(pattern), 0, { ecmaVersion: "latest" });
    return null;
  } catch (fault) {
    if (fault instanceof Excess) return { kind: "pattern", why: "has too many groups" };
    if (fault instanceof Wrong) return INVALID;
    throw fault;
  }
}

const INVALID: PatternFault = { kind: "invalid", why: "must be a regular expression" };

/** A pattern as JavaScript writes it. A line's end behind a backslash stays: it is an escape of nothing, and the literal is none. */
const literalOf = (pattern: string): string =>
  pattern === "" ? "/(?:)/u" : `/${pattern.replace(/\\.|[/\n\r\u2028\u2029]/gs, (found) => WRITTEN.get(found) ?? found)}/u`;

const WRITTEN: ReadonlyMap<string, string> = new Map([
  ["/", "\\/"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\u2028", "\\u2028"],
  ["\u2029", "\\u2029"],
]);

/** No less than how deep groups are nested: in a class or behind a backslash a parenthesis is none. */
function groupDepth(pattern: string): number {
  let [depth, deepest, isClass] = [0, 0, false];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === "\\") at += 1;
    else if (isClass) isClass = character !== "]";
    else if (character === "[") isClass = true;
    else if (character === "(") deepest = Math.max(deepest, ++depth);
    else if (character === ")") depth -= 1;
  }
  return deepest;
}
