// Reads markup as loosely as an edit needs it: broken markup has tags and attributes too.

export interface Piece {
  readonly start: number;
  readonly end: number;
}
interface Element extends Piece {
  readonly name: string;
}
interface Tag extends Element {
  readonly kind: "open" | "close" | "whole";
}

export const put = (text: string, { start, end }: Piece, by: string): string => text.slice(0, start) + by + text.slice(end);
export const written = (text: string, piece: Piece | undefined): string => (piece ? text.slice(piece.start, piece.end) : "");
export const empty = (at: number): Piece => ({ start: at, end: at });

const TAG = /<(\/?)([A-Za-z][\w-]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>/g;
const ATTRIBUTE = /[A-Za-z][\w-]*\s*=\s*(?:"[^"<>]*"|'[^'<>]*')/g;
const SCRIPT = /<script>([^<]*)/g;

export const tagsIn = (text: string): readonly Tag[] =>
  text
    .matchAll(TAG)
    .map(({ index, 0: { length }, 1: slash, 2: name = "", 3: rest = "" }): Tag => {
      const kind = slash === "/" ? "close" : rest.endsWith("/") ? "whole" : "open";
      return { start: index, end: index + length, name, kind };
    })
    .toArray();

export const attributesIn = (text: string): readonly Piece[] => piecesIn(text, ATTRIBUTE, 0);

/** Their bodies, up to the first `<`. */
export const scriptsIn = (text: string): readonly Piece[] => piecesIn(text, SCRIPT, "<script>".length);

/** From its tag to the one that closes it; what is not closed is no element. */
export function elementsIn(text: string): readonly Element[] {
  const found: Element[] = [];
  const open: Tag[] = [];
  for (const tag of tagsIn(text)) {
    if (tag.kind === "whole") found.push(tag);
    if (tag.kind === "open") open.push(tag);
    if (tag.kind !== "close") continue;
    const at = open.findLastIndex(({ name }) => name === tag.name);
    const [opener] = at < 0 ? [] : open.splice(at);
    if (opener) found.push({ name: opener.name, start: opener.start, end: tag.end });
  }
  return found;
}

const piecesIn = (text: string, form: RegExp, before: number): readonly Piece[] =>
  text
    .matchAll(form)
    .map(({ index, 0: { length } }) => ({ start: index + before, end: index + length }))
    .toArray();
