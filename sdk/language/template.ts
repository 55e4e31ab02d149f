import type { Range } from "./source.ts";

/** Offsets are within the text of the template. */
export interface Placeholder {
  readonly kind: "reference";
  /** What stands between the braces, without the blanks at its ends; `range` is its place. */
  readonly name: string;
  readonly range: Range;
}
export type Part = { readonly kind: "text"; readonly text: string } | Placeholder;
/** Texts are not empty and no two stand side by side; or a brace that belongs to none. */
export type Template = { readonly parts: readonly Part[] } | { readonly stray: "{{" | "}}"; readonly at: number };

const OPEN = "{{";
const CLOSE = "}}";

/** A text with `{{ … }}` in it. Single braces are text; there is no way to write two as text. */
export function readTemplate(text: string): Template {
  const parts: Part[] = [];
  for (let at = 0; at < text.length; ) {
    const open = text.indexOf(OPEN, at);
    const end = open < 0 ? text.length : open;
    const before = text.slice(at, end);
    const stray = before.indexOf(CLOSE);
    if (stray >= 0) return { stray: CLOSE, at: at + stray };
    if (before !== "") parts.push({ kind: "text", text: before });
    if (open < 0) break;
    const close = text.indexOf(CLOSE, open + OPEN.length);
    const inner = text.slice(open + OPEN.length, close < 0 ? undefined : close);
    if (close < 0 || inner.includes(OPEN)) return { stray: OPEN, at: open };
    parts.push(placeholder(inner, open + OPEN.length));
    at = close + CLOSE.length;
  }
  return { parts };
}

function placeholder(inner: string, at: number): Placeholder {
  const name = inner.trim();
  const start = at + (inner.length - inner.trimStart().length);
  return { kind: "reference", name, range: { start, end: start + name.length } };
}

/** The text that `readTemplate` takes apart into these parts. */
export const printTemplate = (parts: readonly Part[]): string =>
  parts.map((part) => (part.kind === "text" ? part.text : `${OPEN}${apart(part.name)}${CLOSE}`)).join("");

/** A name's last brace would close the placeholder one character early. */
const apart = (name: string): string => (name.endsWith("}") ? `${name} ` : name);
