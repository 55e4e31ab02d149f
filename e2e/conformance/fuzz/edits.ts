// What is done to a text to make another one. Most of it keeps the markup a tree, so that what is wrong is wrong deeper down.
import type { Chance } from "./chance.ts";
import { WORDS } from "./corpus.ts";
import { attributesIn, elementsIn, empty, type Piece, put, scriptsIn, tagsIn, written } from "./markup.ts";

/** `other` is a text to take pieces from. */
export type Edit = (text: string, chance: Chance, other: string) => string;

const SIGNS: readonly string[] = [
  ..."<>/\"'=&;{}()[]`\\.,:-+*?!#@$%|~^ \t\n\r",
  ..."\0\u0007\u0085\u00a0\u2028\u202e\ufeff\uffff\ud800\udc00",
  ..."é🚀İſ",
  ...["{{", "}}", "</", "/>", "<!--", "-->", "<![CDATA[", "]]>", "<?", "<!DOCTYPE", "&lt;", "&#0;", "&#x1F680;", "&nope;", "\r\n"],
  ...["</script>", "<script>", "{{context.", "{{secrets.", "{{props.", "${", "//", "/*", "*/", "=>", "?.", "..."],
];
const NUMBERS: readonly [string, ...string[]] = [
  "0",
  "-1",
  "00",
  "1e3",
  "1.5",
  "2147483648",
  "9007199254740993",
  "9".repeat(400),
  "1_0",
  "٣",
];

/** Where a tag begins, or the text ends. */
function seam(text: string, chance: Chance): Piece {
  const starts = [...tagsIn(text).map(({ start }) => start), text.length];
  return empty(chance.one(starts) ?? text.length);
}

const cut: Edit = (text, chance) => {
  const start = chance.below(text.length + 1);
  return put(text, { start, end: start + 1 + chance.below(chance.once(4) ? text.length : 12) }, "");
};
const flip: Edit = (text, chance) => {
  const start = chance.below(text.length + 1);
  return put(text, { start, end: start + chance.below(2) }, chance.one(SIGNS) ?? "");
};
const dropElement: Edit = (text, chance) => put(text, chance.one(elementsIn(text)) ?? empty(0), "");
const dropTag: Edit = (text, chance) => put(text, chance.one(tagsIn(text)) ?? empty(0), "");
const dropAttribute: Edit = (text, chance) => put(text, chance.one(attributesIn(text)) ?? empty(0), "");

const double: Edit = (text, chance) => {
  const piece = chance.one(elementsIn(text));
  return piece ? put(text, empty(piece.end), written(text, piece)) : text;
};
const move: Edit = (text, chance) => {
  const piece = chance.one(elementsIn(text));
  if (!piece) return text;
  const rest = put(text, piece, "");
  return put(rest, seam(rest, chance), written(text, piece));
};
const graft: Edit = (text, chance, other) => put(text, seam(text, chance), written(other, chance.one(elementsIn(other))));
const swapElement: Edit = (text, chance, other) =>
  put(text, chance.one(elementsIn(text)) ?? empty(0), written(other, chance.one(elementsIn(other))));
const insertTag: Edit = (text, chance) => put(text, seam(text, chance), chance.one(WORDS.tags) ?? "");

const rename: Edit = (text, chance) => {
  const name = chance.one(WORDS.elements) ?? "a";
  const tag = chance.one(tagsIn(text));
  if (!tag) return text;
  const at = text.indexOf(tag.name, tag.start);
  return put(text, { start: at, end: at + tag.name.length }, name);
};
const addAttribute: Edit = (text, chance) => {
  const tag = chance.one(tagsIn(text).filter(({ kind }) => kind !== "close"));
  return tag ? put(text, empty(tag.start + 1 + tag.name.length), ` ${chance.one(WORDS.attributes) ?? ""}`) : text;
};
const swapAttribute: Edit = (text, chance) => {
  const piece = chance.one(attributesIn(text));
  return piece ? put(text, piece, chance.one(WORDS.attributes) ?? "") : text;
};
const swapValue: Edit = (text, chance) => {
  const piece = chance.one(attributesIn(text));
  const at = piece ? text.indexOf("=", piece.start) + 1 : 0;
  const value = (chance.one(WORDS.values) ?? "").replaceAll('"', "&quot;");
  return piece ? put(text, { start: at, end: piece.end }, `"${value}"`) : text;
};
const swapNumber: Edit = (text, chance) => {
  const found = text.matchAll(/\d+/g).map(({ index, 0: { length } }) => ({ start: index, end: index + length }));
  return put(text, chance.one([...found]) ?? empty(0), chance.one(NUMBERS));
};
const swapScript: Edit = (text, chance) => put(text, chance.one(scriptsIn(text)) ?? empty(0), chance.one(WORDS.scripts) ?? "");
const spliceScript: Edit = (text, chance) => {
  const piece = chance.one(scriptsIn(text));
  if (!piece) return text;
  const start = piece.start + chance.below(piece.end - piece.start + 1);
  const tokens = Array.from({ length: 1 + chance.below(4) }, () => chance.one(WORDS.tokens) ?? "");
  return put(text, { start, end: start + chance.below(3) }, tokens.join(chance.once(2) ? "" : " "));
};

const ANYWHERE: readonly Edit[] = [cut, flip, dropElement, dropTag, dropAttribute, double, move, graft, swapElement, insertTag, rename];
const INSIDE: readonly Edit[] = [addAttribute, swapAttribute, swapValue, swapValue, swapNumber, swapScript, spliceScript, spliceScript];

export const edited: Edit = (text, chance, other) => chance.one([...ANYWHERE, ...INSIDE])?.(text, chance, other) ?? text;
