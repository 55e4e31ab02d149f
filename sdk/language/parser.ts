import { readAttributes } from "./attributes.ts";
import type { Remark } from "./diagnostic.ts";
import type { Findings } from "./findings.ts";
import { scan, type Token } from "./scanner.ts";
import { splitHint } from "./script-end.ts";
import { Places, quoted, type Range, trimmed } from "./source.ts";
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

/** Text may hold an & only where it begins an entity, known or not; attributes may hold it anywhere. */
const BARE_AMPERSAND = /&(?!(?:#\d*|#x[\da-fA-F]*|\w{1,20});)/;

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
  /** A root with a closing tag: what follows it is malformed. What follows one that closes itself is only too much. */
  #closed = false;
  #count = 0;
  /** The last script body: a stray closing tag behind it may come from a `</script>` inside a string. */
  #script: Range | null = null;

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
        this.#script = token.range;
        this.#innermost()?.children.push({ kind: "raw", value: this.#text.slice(token.range.start, token.range.end), range: token.range });
        return true;
      default:
        this.#findings.add(token.range, token.remark);
        this.#spoil();
        return token.kind === "fault";
    }
  }

  finish(): Element | null {
    const [outermost] = this.#open;
    if (!outermost && this.#root) return this.#root;
    // A tag without end has faults of its own, which are the cause.
    if (this.#findings.hasError) return null;
    if (!outermost) this.#malformed({ start: 0, end: 0 }, "There is no element here.", "A document is one <woml> element.");
    else {
      const innermost = this.#innermost() ?? outermost;
      const name = shown(innermost.name);
      this.#malformed(outermost.openRange, `<${name}> of line ${this.#lineOf(innermost)} is not closed.`, `Close it with </${name}>.`);
    }
    return null;
  }

  /** A schema is its text: without all of that nothing can be said of it. */
  #spoil(): void {
    const around = this.#innermost();
    if (around?.name === "schema") this.#findings.refuse(around);
  }

  #lineOf(element: Element): number {
    return new Places(this.#text).position(element.range.start).line;
  }

  #innermost(): Growing | undefined {
    return this.#open.at(-1);
  }

  #enter({ name, range, attributes, selfClosing }: Open): boolean {
    if (this.#root) return this.#second(name, range, selfClosing);
    const read = readAttributes(this.#text, attributes, this.#findings);
    if (!read) return false;
    this.#count += 1;
    const excess = this.#open.length >= DEPTH ? TOO_DEEP : this.#count > MOST_ELEMENTS ? TOO_MANY : null;
    if (excess) return this.#stop(range, excess);
    const parent = this.#innermost() ?? null;
    const element: Growing = {
      kind: "element",
      name,
      attributes: read,
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
      const expected = element
        ? `</${shown(element.name)}> is expected here, for the tag of line ${this.#lineOf(element)}, not </${shown(name)}>.`
        : `</${shown(name)}> closes nothing.`;
      return this.#malformed(range, expected, this.#mismatchHint(name));
    }
    element.range = { start: element.openRange.start, end: range.end };
    if (this.#open.length > 0) return true;
    this.#root = element;
    this.#closed = true;
    return true;
  }

  /** WOML 1.0 finds a second root where its tag ends. */
  #second(name: string, range: Range, selfClosing: boolean): false {
    const [message, hint] = [`A second root element <${shown(name)}>.`, "A document is one <woml> element."];
    if (this.#closed && !selfClosing) return this.#malformed({ start: range.end - 1, end: range.end }, message, hint);
    return this.#stop(range, { code: "WOML_MULTIPLE_ROOTS", message, hint });
  }

  #keepText(range: Range): boolean {
    const parent = this.#innermost();
    const ampersand = parent ? BARE_AMPERSAND.exec(this.#text.slice(range.start, range.end)) : null;
    if (ampersand) {
      const at = range.start + ampersand.index;
      return this.#malformed({ start: at, end: at + 1 }, "An & that begins no entity.", "Write &amp;, or \\u0026 in the JSON of a schema.");
    }
    if (parent) parent.children.push({ kind: "text", range });
    const stray = parent ? null : trimmed(this.#text, range);
    if (!stray) return true;
    const code = this.#root && !this.#closed ? "WOML_TEXT_OUTSIDE_ROOT" : "WOML_MALFORMED_MARKUP";
    return this.#stop(stray, {
      code,
      message: "Text stands outside the root element.",
      hint: "Only comments may stand before and after <woml>.",
    });
  }

  #mismatchHint(name: string): string {
    // Whatever it is that closes nothing: a script above that broke off in a string says why.
    const split = this.#script && splitHint(this.#text, this.#script);
    if (split) return split;
    if (name === "script" && this.#script)
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
