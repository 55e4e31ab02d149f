import type { Remark } from "./diagnostic.ts";
import { isName } from "./name.ts";
import { Places, quoted, type Range } from "./source.ts";

/** `fault` is a remark after which reading goes on, `halt` one after which it cannot. */
export type Token =
  | { readonly kind: "open"; readonly name: string; readonly range: Range; readonly attributes: Range; readonly selfClosing: boolean }
  | { readonly kind: "close"; readonly name: string; readonly range: Range }
  | { readonly kind: "text" | "comment" | "raw"; readonly range: Range }
  | { readonly kind: "fault" | "halt"; readonly range: Range; readonly remark: Remark };

const SCRIPT_END = "</script>";
/** What stands where a tag has its name. */
const WORD = /[^> \t\n\r]*/y;
const NEARLY_END = /<\/\s*script\s*>/gi;
const BLANK_AND_END = /\s*>/y;

/** Splits a text into tokens that cover it without a gap, in one pass. Nothing follows a `halt`. */
export function* scan(text: string): Generator<Token> {
  let at = text.startsWith("\ufeff") ? 1 : 0;
  while (at < text.length) {
    const token = next(text, at);
    yield token;
    if (token.kind === "halt") return;
    at = token.range.end;
    if (token.kind !== "open" || token.name !== "script" || token.selfClosing) continue;
    const end = text.indexOf(SCRIPT_END, at);
    if (end < 0) {
      yield halt("WOML_UNCLOSED_RAW_BODY", token.range, "This script has no end.", endHint(text, at));
      return;
    }
    yield { kind: "raw", range: { start: at, end } };
    at = end;
  }
}

/** What was meant as the end of the script that begins at `from` is likely to look like one. */
function endHint(text: string, from: number): string {
  NEARLY_END.lastIndex = from;
  const near = NEARLY_END.exec(text);
  if (!near) return `Close it with ${SCRIPT_END}.`;
  const { line } = new Places(text).position(near.index);
  return `Line ${line} has ${quoted(near[0])}: write ${SCRIPT_END}, in lower case and without blanks.`;
}

function next(text: string, at: number): Token {
  if (text[at] !== "<") {
    const end = text.indexOf("<", at);
    return { kind: "text", range: { start: at, end: end < 0 ? text.length : end } };
  }
  if (text.startsWith("<!--", at)) return comment(text, at);
  if (text.startsWith("<!", at) || text.startsWith("<?", at)) return declaration(text, at);
  return text[at + 1] === "/" ? closeTag(text, at) : openTag(text, at);
}

function comment(text: string, start: number): Token {
  const end = text.indexOf("-->", start + 4);
  if (end < 0) return halt("WOML_MALFORMED_MARKUP", { start, end: start + 4 }, "This comment has no end.", "Close it with -->.");
  return { kind: "comment", range: { start, end: end + 3 } };
}

function declaration(text: string, start: number): Token {
  const range = { start, end: declarationEnd(text, start) };
  const remark: Remark = {
    code: "WOML_DECLARATION_NOT_ALLOWED",
    message: "XML declarations, doctypes, CDATA sections and processing instructions are not part of WOML.",
    hint: "Remove it. A script needs no CDATA: its body is taken as it is.",
  };
  return range.end < 0 ? { kind: "halt", range: { start, end: start + 2 }, remark } : { kind: "fault", range, remark };
}

function declarationEnd(text: string, start: number): number {
  const after = (mark: string, from: number): number => {
    const at = text.indexOf(mark, from);
    return at < 0 ? -1 : at + mark.length;
  };
  if (text.startsWith("<?", start)) return after("?>", start);
  if (text.startsWith("<![CDATA[", start)) return after("]]>", start);
  const end = after(">", start);
  const subset = end < 0 ? -1 : text.slice(start, end).indexOf("[");
  const closed = subset < 0 ? end : after("]", end - 1);
  return closed < 0 || subset < 0 ? closed : after(">", closed);
}

function closeTag(text: string, start: number): Token {
  const name = wordAt(text, start + 2);
  if (!isName(name)) return noName(text, start + 2 + withoutSlash(name).length, name);
  BLANK_AND_END.lastIndex = start + 2 + name.length;
  if (BLANK_AND_END.test(text)) return { kind: "close", name, range: { start, end: BLANK_AND_END.lastIndex } };
  const place = text.includes(">", start) ? start : text.length;
  const hint = "A closing tag is </name>.";
  return halt("WOML_MALFORMED_MARKUP", { start: place, end: Math.min(place + 2, text.length) }, "This closing tag is not complete.", hint);
}

function openTag(text: string, start: number): Token {
  const name = withoutSlash(wordAt(text, start + 1));
  const attributes = start + 1 + name.length;
  if (!isName(name)) return noName(text, attributes, name);
  const end = tagEnd(text, attributes);
  if (end < 0) {
    const message = `A quote in the tag <${quoted(name).slice(1, -1)}> is not closed.`;
    const range = { start: attributes, end: Math.min(attributes + 1, text.length) };
    return halt("WOML_INVALID_ATTRIBUTE", range, message, 'Write attributes as name="value".');
  }
  const selfClosing = text[end - 1] === "/" && end - 1 >= attributes;
  return {
    kind: "open",
    name,
    range: { start, end: Math.min(end + 1, text.length) },
    attributes: { start: attributes, end: selfClosing ? end - 1 : end },
    selfClosing,
  };
}

function wordAt(text: string, at: number): string {
  WORD.lastIndex = at;
  return WORD.exec(text)?.[0] ?? "";
}

const withoutSlash = (word: string): string => (word.endsWith("/") ? word.slice(0, -1) : word);

/** The place is the one behind the name that is none. */
function noName(text: string, at: number, name: string): Token {
  const message = name === "" ? "Here a tag should have its name." : `${quoted(name)} is no name of a tag.`;
  const hint = "Only scripts may hold a < as it is. Write &lt; in an attribute, and \\u003c in the JSON of a schema.";
  return halt("WOML_MALFORMED_MARKUP", { start: at, end: Math.min(at + 1, text.length) }, message, hint);
}

/** The first > outside quotes; the end of the text when there is none; -1 when that stands inside quotes. */
function tagEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === ">") return at;
    if (character !== '"' && character !== "'") continue;
    at = text.indexOf(character, at + 1);
    if (at < 0) return -1;
  }
  return text.length;
}

const halt = (code: Remark["code"], range: Range, message: string, hint: string): Token => ({
  kind: "halt",
  range,
  remark: { code, message, hint },
});
