import type { Document, Imported } from "./document.ts";
import { isElementName } from "./grammar.ts";
import type { Element } from "./tree.ts";

/** Elements of the language that an imported definition may hide. As a trigger each stays what it is. */
export const HIDEABLE: ReadonlySet<string> = new Set(["telegram", "discord", "whatsapp"]);

/** The import whose tag an element is; undefined for what is no tag of an import. */
export function tagOf({ name, parent }: Element, { imports }: Pick<Document, "imports">): Imported | undefined {
  const isHidden = HIDEABLE.has(name) && parent?.name !== "triggers";
  return isElementName(name) && !isHidden ? undefined : imports.reusables.get(name);
}

/** Whether an element is the tag of an import. */
export const isTag = (element: Element, document: Pick<Document, "imports">): boolean => tagOf(element, document) !== undefined;

/** Whether an element is the tag of a step: also where it is not known what its import defines. */
export function isStepTag(element: Element, document: Pick<Document, "imports">): boolean {
  const imported = tagOf(element, document);
  return imported !== undefined && (imported.definition ? imported.definition.kind === "step" : element.parent?.name !== "notify");
}
