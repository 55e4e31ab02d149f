import { printable, type Range } from "./source.ts";

const END = "</script>";
/** What is shown of the author's own text on each side. */
const SHOWN = 24;

/** What a script's text is in the midst of at its end; `at` is where that began. */
interface Unfinished {
  readonly kind: "string" | "template" | "expression" | "comment";
  readonly at: number;
}

/**
 * A script ends at its first `</script>`, also in a string. Where the one that ends `body` stands inside something of JavaScript, how the
 * author can write it; null where it does not.
 */
export function splitHint(text: string, body: Range): string | null {
  const source = text.slice(body.start, body.end);
  const unfinished = unfinishedIn(source);
  if (!unfinished || !text.startsWith(END, body.end)) return null;
  const ended = `The script ended at its first ${END}.`;
  switch (unfinished.kind) {
    case "string": {
      const quote = source[unfinished.at] ?? '"';
      const [before, after] = [shownBefore(source.slice(unfinished.at + 1)), shownAfter(text, body.end + END.length, quote)];
      return `${ended} Inside a string write it as ${quote}${before}</scr${quote} + ${quote}ipt>${after}${quote}.`;
    }
    case "template":
      return `${ended} Inside a template write it as \`</scr\${""}ipt>\`.`;
    case "expression":
      return `${ended} Inside a regular expression write it as <\\/script>.`;
    case "comment":
      return `${ended} Inside a comment write it another way, such as </ script>.`;
  }
}

const shownBefore = (written: string): string => printable(written.length <= SHOWN ? written : `…${written.slice(-SHOWN)}`);

function shownAfter(text: string, from: number, quote: string): string {
  const line = text.slice(from, from + SHOWN).split("\n", 1)[0] ?? "";
  const end = line.indexOf(quote);
  return end < 0 ? "…" : printable(line.slice(0, end));
}

/** Before a slash these say that it begins a regular expression, and is no division. */
const OPERATORS = "(,=:[!&|?{};+-*%~^<>";
const WORDS: ReadonlySet<string> = new Set(["return", "typeof", "case", "in", "of", "void", "delete", "throw", "await", "yield"]);

/** A look at quotes, slashes and comments alone: enough to say what an end stands in. */
function unfinishedIn(source: string): Unfinished | null {
  /** The last character that was neither blank nor comment. */
  let last = -1;
  for (let at = 0; at < source.length; at++) {
    const character = source[at] ?? "";
    if (/\s/.test(character)) continue;
    const kind = kindAt(source, at, last);
    if (kind === null) {
      last = at;
      continue;
    }
    const end = endOf(source, at, kind);
    if (end < 0) return { kind, at };
    if (kind !== "comment") last = end;
    at = end;
  }
  return null;
}

function kindAt(source: string, at: number, last: number): Unfinished["kind"] | null {
  switch (source[at]) {
    case '"':
    case "'":
      return "string";
    case "`":
      return "template";
    case "/":
      if (source[at + 1] === "/" || source[at + 1] === "*") return "comment";
      return last < 0 || OPERATORS.includes(source[last] ?? "") || WORDS.has(wordBefore(source, last)) ? "expression" : null;
    default:
      return null;
  }
}

/** The word that ends at `last`, as far as it can be one of those that matter. */
const wordBefore = (source: string, last: number): string => /[a-z]*$/.exec(source.slice(Math.max(0, last - 8), last + 1))?.[0] ?? "";

/** The last character of what begins at `at`; -1 when it goes on to the end. A line ends what may not go over it. */
function endOf(source: string, at: number, kind: Unfinished["kind"]): number {
  if (kind === "comment") {
    const block = source[at + 1] === "*";
    const end = source.indexOf(block ? "*/" : "\n", at + 2);
    return end < 0 ? -1 : end + (block ? 1 : 0);
  }
  let inClass = false;
  for (let to = at + 1; to < source.length; to++) {
    const character = source[to];
    if (character === "\\") to++;
    else if (character === "\n" && kind !== "template") return to;
    else if (kind === "expression" && (character === "[" || character === "]")) inClass = character === "[";
    else if (character === source[at] && !inClass) return to;
  }
  return -1;
}
