import type { Use } from "@woml/model";
import type { Document } from "../document.ts";
import { OPERATIONS } from "../script/operations.ts";
import type { Range } from "../source.ts";
import { childrenNamed, type Element } from "../tree.ts";
import { required } from "./attribute.ts";
import type { Draft } from "./draft.ts";

/** Of the platform's own, and so without a `<uses>`. */
const ownUse = (alias: string): Use => ({ alias, capability: alias, range: "*" });

const usesIn = (root: Element): readonly Element[] => childrenNamed(root, "imports").flatMap((imports) => childrenNamed(imports, "uses"));
const aliasOf = (uses: Element): string => required(uses, "as");

/** What the scripts call, and nothing else; undefined when they call nothing. */
export function lowerUses(root: Element, draft: Draft): Use[] | undefined {
  const { called } = draft;
  const uses = new Map<string, Use>();
  // An alias means the same in every document of a workflow: a rule sees to that.
  for (const element of [root, ...foreignRoots(draft)].flatMap(usesIn)) {
    const alias = aliasOf(element);
    if (called.has(alias)) uses.set(alias, { alias, capability: required(element, "capability"), range: required(element, "version") });
  }
  for (const alias of OPERATIONS.keys()) if (called.has(alias) && !uses.has(alias)) uses.set(alias, ownUse(alias));
  for (const [alias, place] of usePlaces(draft)) draft.subjects.set(`use:${alias}`, place);
  return uses.size > 0 ? [...uses.values()] : undefined;
}

function foreignRoots({ foreign }: Draft): readonly Element[] {
  const documents = new Set<Document>([...foreign.values()].map(({ document }) => document));
  return [...documents].map(({ root }) => root);
}

export const unusedUses = (root: Element, draft: Draft): readonly Element[] => {
  const { called } = draft;
  return usesIn(root).filter((element) => !called.has(aliasOf(element)));
};

/** By alias, where it is named; what is named nowhere in the source, where it is first called. */
export function usePlaces({ document, calls }: Draft): ReadonlyMap<string, Range> {
  const places = new Map(usesIn(document.root).map((element) => [aliasOf(element), element.openRange]));
  for (const [call, range] of [...calls.values()].flatMap((reached) => [...reached])) {
    const alias = call.slice(0, call.indexOf("."));
    if (!places.has(alias)) places.set(alias, range);
  }
  return places;
}
