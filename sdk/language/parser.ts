import { readAttributes } from "./attributes.ts";
import type { Remark } from "./diagnostic.ts";
import type { Findings } from "./findings.ts";
import { scan, type Token } from "./scanner.ts";
import { quoted, type Range, trimmed } from "./source.ts";
import type { Child, Element } from "./tree.ts";

/** Deepest nesting of elements. Everything that walks a tree may therefore recurse. */
const DEPTH = 200;
/** Most elements. The 5,000 nodes that a definition may have need fewer, even if each is an arm with a step and a result. */
const MOST_ELEMENTS = 25_000;

const TOO_DEEP: Remark = {
  code: "WOML_NESTING_TOO_DEEP",
  message: `Elements are nested more than ${DEPTH} deep.`,
  hint: "Split the workflow, or turn nested choices into steps.",
};
const TOO_MANY: Remark = {
  code: "WOML_TOO_MANY_ELEMENTS",
  message: `The source has more than ${MOST_ELEMENTS} elements.`,
  hint: "Split the workflow.",
};

type Growing = { -readonly [K in keyof Element]: Element[K] } & { readonly children: Child[] };
type Open = Extract<Token, { kind: "open" }>;

/** The tree of a text; null when its tags do not form one, which has been reported. */
export function parse(text: string, findings: Findings): Element | null {
  const tree = new Growth(text, findings);
  for (const token of scan(text)) if (!tree.take(token)) return null;
  return tree.finish();
}

class Growth {
  readonly #text: string;
  readonly #findings: Findings;
  readonly #open: Growing[] = [];
  #root: Element | null = null;
  #count = 0;
  /** Where the last script body ended: a stray closing tag behind it may come from a `</script>` inside a string. */
  #scriptEnd = -1;

  constructor(text: string, findings: Findings) {
    this.#text = text;
    this.#findings = findings;
  }

  /** False when the tree cannot be used. */
  take(token: Token): boolean {
    switch (token.kind) {
      case "comment":
        return true;
      case "open":
        return this.#enter(token);
      case "close":
        return this.#leave(token.name, token.range);
      case "text":
        return this.#keepText(token.range);
      case "raw":
        this.#scriptEnd = token.range.end;
        this.#innermost()?.children.push({ kind: "raw", value: this.#text.slice(token.range.start, token.range.end), range: token.range });
        return true;
      default:
        this.#findings.add(token.range, token.remark);
        return token.kind === "fault";
    }
  }

  finish(): Element | null {
    const unclosed = this.#innermost();
    if (unclosed)
      this.#malformed(unclosed.openRange, `<${shown(unclosed.name)}> is not closed.`, `Close it with </${shown(unclosed.name)}>.`);
    else if (!this.#root) this.#malformed({ start: 0, end: 0 }, "There is no element here.", "A document is one <woml> element.");
    return unclosed ? null : this.#root;
  }

  #innermost(): Growing | undefined {
    return this.#open.at(-1);
  }

  #enter({ name, range, attributes, selfClosing }: Open): boolean {
    if (this.#root) return this.#malformed(range, `A second root element <${shown(name)}>.`, "A document is one <woml> element.");
    this.#count += 1;
    const excess = this.#open.length >= DEPTH ? TOO_DEEP : this.#count > MOST_ELEMENTS ? TOO_MANY : null;
    if (excess) return this.#stop(range, excess);
    const parent = this.#innermost() ?? null;
    const element: Growing = {
      kind: "element",
      name,
      attributes: readAttributes(this.#text, attributes, this.#findings),
      children: [],
      parent,
      range,
      openRange: range,
    };
    parent?.children.push(element);
    if (!selfClosing) this.#open.push(element);
    else if (!parent) this.#root = element;
    return true;
  }

  #leave(name: string, range: Range): boolean {
    const element = this.#open.pop();
    if (element?.name !== name) {
      const expected = element ? `</${shown(element.name)}> is expected here, not </${shown(name)}>.` : `</${shown(name)}> closes nothing.`;
      return this.#malformed(range, expected, this.#mismatchHint(name));
    }
    element.range = { start: element.openRange.start, end: range.end };
    if (this.#open.length === 0) this.#root = element;
    return true;
  }

  #keepText(range: Range): boolean {
    const parent = this.#innermost();
    if (parent) parent.children.push({ kind: "text", range });
    const stray = parent ? null : trimmed(this.#text, range);
    return !stray || this.#malformed(stray, "Text stands outside the root element.", "Only comments may stand before and after <woml>.");
  }

  #mismatchHint(name: string): string {
    if (name === "script" && this.#scriptEnd >= 0)
      return 'The script above ended at its first </script>. Inside a string write it as "</scr" + "ipt>".';
    return "Every element is closed by a tag of its own name, innermost first.";
  }

  #malformed(range: Range, message: string, hint: string): false {
    return this.#stop(range, { code: "WOML_MALFORMED_MARKUP", message, hint });
  }

  #stop(range: Range, remark: Remark): false {
    this.#findings.add(range, remark);
    return false;
  }
}

const shown = (name: string): string => quoted(name).slice(1, -1);
