// What is done to the flow of a workflow so that most of it still means something.
import type { Chance } from "./chance.ts";
import { WORDS } from "./corpus.ts";
import type { Edit } from "./edits.ts";
import { elementsIn, empty, type Piece, put, scriptsIn, written } from "./markup.ts";

const ITEMS: ReadonlySet<string> = new Set(["step", "parallel", "choose", "switch", "fork", "for-each", "approval"]);
const STEP = '<step id="s"><script>return 1;</script></step>';
/** What an item may stand in. */
const AROUND: readonly (readonly [string, string])[] = [
  ['<parallel id="p">', "</parallel>"],
  ['<choose><when test="{{context.payload.a}}">', `</when><otherwise>${STEP}</otherwise></choose>`],
  ['<switch value="{{context.payload.a}}"><case value="a">', `</case><default>${STEP}</default></switch>`],
  ['<fork id="f"><branch id="one">', `</branch><branch id="two">${STEP}</branch></fork>`],
  ['<fork id="f" join="none"><branch id="one">', "</branch></fork>"],
  ['<for-each id="l" items="{{context.payload.a}}">', "</for-each>"],
  ['<approval id="y"><when-approved>', "</when-approved><when-rejected></when-rejected></approval>"],
];

const item = (text: string, chance: Chance): Piece | undefined => chance.one(elementsIn(text).filter(({ name }) => ITEMS.has(name)));

/** Ids that no document has: all of them end alike. */
function renamed(text: string, chance: Chance): string {
  const end = `N${chance.below(100_000)}`;
  return text.replace(/\sid\s*=\s*["'][a-z]\w*(?=["'])/g, (id) => id + end);
}

/** With ids of its own an item may stand beside the one that it was taken from. */
const double: Edit = (text, chance) => {
  const piece = item(text, chance);
  return piece ? put(text, empty(piece.start), renamed(written(text, piece), chance)) : text;
};
const graft: Edit = (text, chance, other) => {
  const place = item(text, chance);
  return place ? put(text, empty(place.start), renamed(written(other, item(other, chance)), chance)) : text;
};
const wrap: Edit = (text, chance) => {
  const piece = item(text, chance);
  const [before = "", after = ""] = (chance.one(AROUND) ?? []).map((part) => renamed(part, chance));
  return piece ? put(text, piece, before + written(text, piece) + after) : text;
};
/** In front of the item that it was made of, so that the last one stays what it is. */
const wrapCopy: Edit = (text, chance) => {
  const piece = item(text, chance);
  const copy = renamed(written(text, piece), chance);
  return piece ? put(text, empty(piece.start), wrap(copy, chance, "")) : text;
};
const move: Edit = (text, chance) => {
  const piece = item(text, chance);
  if (!piece) return text;
  const rest = put(text, piece, "");
  return put(rest, empty(item(rest, chance)?.start ?? piece.start), written(text, piece));
};
const swapScript: Edit = (text, chance) => put(text, chance.one(scriptsIn(text)) ?? empty(0), chance.one(WORDS.scripts) ?? "");

const EDITS: readonly Edit[] = [double, double, graft, wrap, wrapCopy, wrapCopy, wrapCopy, move, swapScript];

export const grownFlow: Edit = (text, chance, other) => chance.one(EDITS)?.(text, chance, other) ?? text;
