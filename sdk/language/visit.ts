import type { Document } from "./document.ts";
import type { Findings } from "./findings.ts";
import { type Element, elementsOf } from "./tree.ts";

/** Looks at one element; made anew for every document, so that it may remember what it has seen. */
export type Look = (element: Element) => void;
export type Rule = (findings: Findings, document: Document) => Look;

/**
 * Shows every element to every rule, depth first in source order. Gates decide whether an element belongs where it stands: after a
 * refusal neither rules nor children follow. Depth is bounded by the parser.
 */
export function visit(document: Document, { gates, rules }: { gates: readonly Rule[]; rules: readonly Rule[] }): void {
  const { findings } = document;
  const [gateLooks, ruleLooks] = [gates, rules].map((list) => list.map((rule) => rule(findings, document)));
  const enter = (element: Element): void => {
    for (const look of gateLooks ?? []) if (!findings.isRefused(element)) look(element);
    if (findings.isRefused(element)) return;
    for (const look of ruleLooks ?? []) look(element);
    for (const child of elementsOf(element)) enter(child);
  };
  enter(document.root);
}
