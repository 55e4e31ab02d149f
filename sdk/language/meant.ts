import { closest } from "./closest.ts";
import type { Document } from "./document.ts";
import { attributeUse, FLOW, formOf, isElementName, RETRY_ATTRIBUTES } from "./grammar.ts";
import { isStepTag } from "./tag.ts";
import { childrenNamed, type Element, elementsOf, textOf } from "./tree.ts";
import { isRoute, lacksId } from "./visibility.ts";

// One slip is one fault: it has been reported where it stands, and what seems to be missing because of it is not reported too.

/** Whether a child is called so, or something that is no element of the language and may have been meant to be. */
export const mayBe = ({ name }: Element, wanted: string): boolean =>
  name === wanted || (!isElementName(name) && (name.toLowerCase() === wanted || closest(name, [wanted]) !== null));

/** What an arm is called in the other choice, where it may not stand. */
const OTHERWISE: ReadonlyMap<string, string> = new Map([
  ["when", "case"],
  ["case", "when"],
  ["otherwise", "default"],
  ["default", "otherwise"],
]);

/**
 * Whether an element holds a child called so, or one that is no element of the language or an arm of another choice: that has been
 * reported, and may be the child.
 */
export const mayHold = (element: Element, wanted: string): boolean =>
  elementsOf(element).some(({ name }) => name === wanted || name === OTHERWISE.get(wanted) || !isElementName(name));

/** Whether an element of the language has an attribute that is none of its own: it may be one that it lacks. */
export const isMisnamed = (element: Element): boolean =>
  formOf(element) !== undefined &&
  [...element.attributes.keys()].some((name) => !attributeUse(element, name) && !RETRY_ATTRIBUTES.includes(name));

const ID = /^[a-z][A-Za-z0-9]*$/;

/** Whether an item has no id that could be named, though it needs one, or is missing: a reference to nothing may be meant for it. */
export function hasNameless(document: Document): boolean {
  const enter = (element: Element): boolean => isNameless(element, document) || isHollow(element) || elementsOf(element).some(enter);
  return childrenNamed(document.root, "workflow").some(enter);
}

function isNameless(element: Element, document: Document): boolean {
  const isItem = isStepTag(element, document) || (FLOW.includes(element.name) && !isRoute(element));
  if (!isItem) return false;
  const isOptional = attributeUse(element, "id") === "optional";
  const id = textOf(element, "id");
  return id === undefined ? !isOptional || element.attributes.has("id") || isMisnamed(element) || lacksId(element) : !ID.test(id);
}

const HOLDERS: ReadonlySet<string> = new Set(["steps", "parallel", "when", "otherwise", "case", "default", "fork", "branch", "for-each"]);

/** Whether an element that must hold items holds none. */
const isHollow = (element: Element): boolean => HOLDERS.has(element.name) && elementsOf(element).every(({ name }) => name === "result");

/** Whether an import may bring a tag that is not known here: what it is called, or what it is, cannot be read. */
export const hasDoubtfulImport = ({ root }: Document): boolean =>
  someImport(root, (item) => item.name !== "uses" && (item.name !== "module" || !isReadable(item)));

/** Whether an import may bring what a script calls, and it cannot be read by which name. */
export const hasDoubtfulService = ({ root }: Document): boolean => someImport(root, (item) => !isTold(item));

const someImport = (root: Element, isDoubtful: (item: Element) => boolean): boolean =>
  elementsOf(root).some((part) => {
    // Imports within the workflow are refused there, and are no less meant.
    if (part.name !== "imports") return !isElementName(part.name) || childrenNamed(part, "imports").length > 0;
    const items = elementsOf(part);
    return items.length === 0 || items.some(isDoubtful) || new Set(items.map(aliasOf)).size < items.length;
  });

/** Of two imports called so, which has been reported, either may be meant. */
const aliasOf = (item: Element): string | undefined => textOf(item, item.name === "uses" ? "as" : "name");

const TAG = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

/** Whether a tag can be called so. */
export const isTagName = (name: string): boolean => name.length <= 128 && TAG.test(name);

function isTold(item: Element): boolean {
  if (item.name === "uses") return ID.test(textOf(item, "as") ?? "");
  return item.name === "module" && (textOf(item, "from")?.endsWith(".woml") || ID.test(textOf(item, "name") ?? ""));
}

function isReadable(module: Element): boolean {
  const [name, from] = [textOf(module, "name") ?? "", textOf(module, "from") ?? ""];
  return /\.(?:js|ts)$/.test(from) || (from.endsWith(".woml") && isTagName(name));
}
