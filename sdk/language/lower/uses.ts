import type { Use } from "@woml/model";
import type { Range } from "../source.ts";
import { childrenNamed, type Element } from "../tree.ts";
import { required } from "./attribute.ts";
import type { Draft } from "./draft.ts";

/** First-party, and so without a `<uses>` of its own. */
const HTTP: Use = { alias: "http", capability: "http", range: "*" };

const usesIn = (root: Element): readonly Element[] => childrenNamed(root, "imports").flatMap((imports) => childrenNamed(imports, "uses"));
const aliasOf = (uses: Element): string => required(uses, "as");

/** What the scripts call, and nothing else; undefined when they call nothing. */
export function lowerUses(root: Element, draft: Draft): Use[] | undefined {
  const called = draft.called;
  const uses = usesIn(root)
    .filter((element) => called.has(aliasOf(element)))
    .map((element) => ({ alias: aliasOf(element), capability: required(element, "capability"), range: required(element, "version") }));
  const all = called.has(HTTP.alias) ? [...uses, HTTP] : uses;
  return all.length > 0 ? all : undefined;
}

export const unusedUses = (root: Element, draft: Draft): readonly Element[] =>
  usesIn(root).filter((element) => !draft.called.has(aliasOf(element)));

/** By alias, where it is named; http where it is first called. */
export function usePlaces(draft: Draft): ReadonlyMap<string, Range> {
  const places = new Map(usesIn(draft.document.root).map((element) => [aliasOf(element), element.openRange]));
  const first = [...draft.calls.values()].flatMap((calls) => [...calls]).find(([call]) => call.startsWith(`${HTTP.alias}.`));
  if (first) places.set(HTTP.alias, first[1]);
  return places;
}
