import { withoutSlashes } from "./spell.ts";

/** A text without backslashes that must not be shown, and what is put there. */
export interface Marked {
  readonly form: string;
  readonly put: string;
}

/** Between two texts: in no form, for it is half a character. */
const SEAM = "\ud800";
/** Characters by which a form is looked up before it is searched for; no form is shorter. */
const GRAM = 4;
const MOST_GRAMS = 2 ** 22;

/**
 * Puts what is to be put wherever a form stands; where two overlap, the one that comes first in `forms` gives its own. Backslashes count for
 * nothing. All texts are searched as one. By search, not by an expression: a form may be longer than an expression can be, and whoever chose
 * it would choose how it is run.
 */
export function hide(texts: readonly string[], forms: readonly Marked[]): readonly string[] {
  const bare = withoutSlashes(texts.join(SEAM));
  const cover = covered(bare, forms);
  if (cover === null) return texts;
  let from = 0;
  const hidden: string[] = [];
  for (const text of texts) {
    hidden.push(replaced(text, cover.subarray(from), forms));
    from += withoutSlashes(text).length + SEAM.length;
  }
  return hidden;
}

/** For each character which form covers it, from 1; 0: none. */
function covered(bare: string, forms: readonly Marked[]): Uint32Array | null {
  const may = grams(bare);
  let cover: Uint32Array | null = null;
  for (const [index, { form }] of forms.entries()) {
    if (form.length > bare.length || !may(form, 0) || !may(form, form.length - GRAM)) continue;
    for (let at = bare.indexOf(form); at >= 0; at = bare.indexOf(form, at + form.length)) {
      cover ??= new Uint32Array(bare.length);
      for (let place = at; place < at + form.length; place++) cover[place] ||= index + 1;
    }
  }
  return cover;
}

/** A backslash goes with what follows it. */
function replaced(whole: string, cover: Uint32Array, forms: readonly Marked[]): string {
  let text = "";
  let last: string | undefined;
  let at = 0;
  for (let index = 0; index < whole.length; index++) {
    const unit = whole[index] ?? "";
    const put = forms[(cover[at] ?? 0) - 1]?.put;
    if (put === undefined) text += unit;
    if (unit === "\\") continue;
    if (put !== undefined && put !== last) text += put;
    last = put;
    at += 1;
  }
  return text;
}

/** Answers whether the four characters at a place of a form may stand in the text; where it says no, they do not. */
function grams(text: string): (form: string, at: number) => boolean {
  let size = 1_024;
  while (size < text.length * 4 && size < MOST_GRAMS) size *= 2;
  const seen = new Uint8Array(size);
  for (let at = 0; at + GRAM <= text.length; at++) seen[hashed(text, at) & (size - 1)] = 1;
  return (form, at) => seen[hashed(form, at) & (size - 1)] === 1;
}

function hashed(text: string, at: number): number {
  const low = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
  const high = text.charCodeAt(at + 2) | (text.charCodeAt(at + 3) << 16);
  const mixed = Math.imul(low, 0x9e3779b1) ^ Math.imul(high, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
