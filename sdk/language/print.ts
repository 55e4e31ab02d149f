import { trimmed } from "./source.ts";
import type { Attribute, Child, Element } from "./tree.ts";

/**
 * A tree as canonical text: an element a line, indented by its depth, attributes in their written order, comments dropped. Scripts and
 * schemas stay character for character. `text` is what the tree was parsed from. The same tree comes of what is printed, and so the same
 * definition; an attribute that could not be read is left out.
 */
export function print(root: Element, text: string): string {
  const lines: string[] = [];
  printElement(root, { text, lines, depth: 0 });
  return `${lines.join("\n")}\n`;
}

interface Page {
  readonly text: string;
  readonly lines: string[];
  readonly depth: number;
}

function printElement(element: Element, page: Page): void {
  const indent = "  ".repeat(page.depth);
  const open = `${indent}<${element.name}${[...element.attributes.values()].map(printAttribute).join("")}`;
  const children = element.children.filter((child) => isSaid(child, page.text));
  const verbatim = verbatimOf(element, page.text);
  if (verbatim !== null) page.lines.push(`${open}>${verbatim}</${element.name}>`);
  else if (children.length === 0) page.lines.push(`${open} />`);
  else {
    page.lines.push(`${open}>`);
    for (const child of children) printChild(child, { ...page, depth: page.depth + 1 });
    page.lines.push(`${indent}</${element.name}>`);
  }
}

function printChild(child: Child, page: Page): void {
  if (child.kind === "element") printElement(child, page);
  else page.lines.push("  ".repeat(page.depth) + page.text.slice(child.range.start, child.range.end).trim());
}

/** Blank text between elements says nothing. */
const isSaid = (child: Child, text: string): boolean => child.kind !== "text" || trimmed(text, child.range) !== null;

/** What stands in a script, or in a schema that holds text alone; null for all else. */
function verbatimOf({ name, children }: Element, text: string): string | null {
  const isText = name === "schema" && children.length > 0 && children.every(({ kind }) => kind === "text");
  if (!isText && !children.some(({ kind }) => kind === "raw")) return null;
  return children.map(({ range }) => text.slice(range.start, range.end)).join("");
}

/** A tag may hold every character but those that end its value, or that would be read as something else. */
const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function printAttribute({ name, value }: Attribute): string {
  return value === null ? "" : ` ${name}="${value.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character)}"`;
}
