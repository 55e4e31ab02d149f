import type { Findings } from "./findings.ts";
import { isName } from "./name.ts";
import { quoted, type Range } from "./source.ts";
import type { Attribute } from "./tree.ts";

const PIECE = /([^\s=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']\S*))?)?/y;
const HINT = 'Write attributes as name="value", with a blank between them, and a quote in a value as &quot;.';
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/**
 * Reads the attributes of one start tag; `range` is what stands between its name and its end. null when another tag begins in it: what
 * follows can form no tree. The first that is no attribute is told: it is often the rest of a value that has quotes in it.
 */
export function readAttributes(text: string, range: Range, findings: Findings): ReadonlyMap<string, Attribute> | null {
  const part = text.slice(range.start, range.end);
  const read = new Map<string, Attribute>();
  let [last, isTold]: [Attribute | null, boolean] = [null, false];
  for (let at = blanks(part, 0); at < part.length; ) {
    const glued = at === 0 || !isBlank(part[at - 1]);
    PIECE.lastIndex = at;
    const match = PIECE.exec(part);
    const end = match ? PIECE.lastIndex : pieceEnd(part, at);
    const attribute = match
      ? attributeOf(match, range.start + at, range.start + end)
      : nameless(range.start + valueStart(part, at, end), range.start + end);
    const fault = match ? faultOf(attribute, glued) : "A value stands here without a name.";
    if (fault && !isTold) findings.add(attribute.nameRange, { code: "WOML_INVALID_ATTRIBUTE", message: fault, hint: HINT });
    isTold ||= fault !== null;
    if (attribute.name.includes("<")) return null;
    if (fault && glued && last) read.set(last.name, unread(last));
    last = fault ? unread(attribute) : attribute;
    keep(read, last, findings);
    at = blanks(part, end);
  }
  return read;
}

/** An attribute whose value is not known. What is glued to a value may be the rest of it. */
const unread = (attribute: Attribute): Attribute => ({ ...attribute, value: null });

const nameless = (start: number, end: number): Attribute => ({
  name: "=",
  value: null,
  nameRange: { start, end },
  valueRange: { start, end },
});

/** Of a value without a name, what is behind its equals signs, if anything is. */
function valueStart(part: string, from: number, end: number): number {
  let at = from;
  while (at < end && part[at] === "=") at++;
  return at < end ? at : from;
}

function attributeOf(match: RegExpExecArray, start: number, end: number): Attribute {
  const [, name = "", double, single] = match;
  const raw = double ?? single;
  const valueRange = raw === undefined ? { start, end } : { start: end - 1 - raw.length, end: end - 1 };
  return { name, value: raw === undefined ? null : decoded(raw), nameRange: { start, end: start + name.length }, valueRange };
}

function faultOf({ name, value }: Attribute, glued: boolean): string | null {
  if (name.includes("<")) return "Another tag begins before this one has ended with >.";
  if (!isName(name)) return `${quoted(name)} is no attribute name.`;
  if (value === null) return `The attribute ${quoted(name)} has no value in quotes.`;
  return glued ? `A blank is missing before the attribute ${quoted(name)}.` : null;
}

function keep(read: Map<string, Attribute>, attribute: Attribute, findings: Findings): void {
  if (!read.has(attribute.name)) read.set(attribute.name, attribute);
  else if (attribute.value !== null)
    findings.add(attribute.nameRange, {
      code: "WOML_DUPLICATE_ATTRIBUTE",
      message: `The attribute ${quoted(attribute.name)} is written twice on this tag.`,
      hint: "Keep one of them.",
    });
}

/** The five named entities; everything else stays as typed. */
const decoded = (raw: string): string => raw.replace(/&(lt|gt|amp|quot|apos);/g, (whole, name: string) => ENTITIES[name] ?? whole);

const isBlank = (character: string | undefined): boolean => character !== undefined && /\s/.test(character);

function blanks(part: string, from: number): number {
  let at = from;
  while (isBlank(part[at])) at++;
  return at;
}

function pieceEnd(part: string, from: number): number {
  let at = from;
  while (at < part.length && !isBlank(part[at])) at++;
  return at;
}
