import type { Document } from "./document.ts";
import { reachOf, splitCall } from "./script/reach.ts";
import { type Element, elementsOf } from "./tree.ts";

/** The aliases of all that the scripts of a document call: capabilities, services of the platform, modules. */
export function aliasesReached(document: Document): ReadonlySet<string> {
  const aliases = new Set<string>();
  const enter = (element: Element): void => {
    if (element.name === "script") {
      const { calls, modules } = reachOf(document.read(element), document);
      for (const call of calls.keys()) aliases.add(splitCall(call)[0]);
      for (const alias of modules.keys()) aliases.add(alias);
    }
    for (const child of elementsOf(element)) enter(child);
  };
  enter(document.root);
  return aliases;
}
