import type { Document } from "./document.ts";
import { dominatedReferences } from "./rules/flow/dominated-reference.ts";
import { unusedImports } from "./rules/reusable/unused.ts";
import { GATES, RULES } from "./rules.ts";
import { visit } from "./visit.ts";

/** All that is wrong with one document, into its findings. What it imports has been judged before. */
export function judge(document: Document): void {
  visit(document, { gates: GATES, rules: RULES });
  dominatedReferences(document);
  unusedImports(document);
}
