import type { Script } from "@woml/model";
import type { Document } from "../document.ts";
import { reachOf } from "../script/reach.ts";
import type { Range } from "../source.ts";
import type { Element } from "../tree.ts";
import type { Draft } from "./draft.ts";

/** Where a script runs and for whom. */
interface Placed {
  /** Its node's id, or `hook:<event>:<n>`. A second script of one id adds to what that reaches. */
  readonly id: string;
  /** The document that holds the script, when that is another one (who lowers it notes its place); `tag` brings it into the draft's own. */
  readonly from?: { readonly document: Document; readonly tag: Range };
  /** Whether a step's output may be there; by default, when it is certain to be. */
  readonly sees?: (step: string) => boolean;
}

/** A script as it runs, with all that it reaches noted in the draft. */
export function lowerScript(element: Element, draft: Draft, { id, from, sees = (step) => draft.outputs.has(step) }: Placed): Script {
  const document = from?.document ?? draft.document;
  const reading = document.read(element);
  const { body, start, needs, secrets } = reading;
  const { calls, modules } = reachOf(reading, document);
  if (!from) draft.scripts.set(id, start);
  const note = (noted: Draft["calls"], reached: ReadonlyMap<string, Range>): void => {
    const placed = [...reached].map(([name, range]) => [name, from?.tag ?? range] as const);
    if (placed.length > 0) noted.set(id, new Map([...placed, ...(noted.get(id) ?? [])]));
  };
  note(draft.calls, calls);
  note(draft.secrets, secrets);
  const used = [...modules].flatMap(([alias, range]) => {
    const bundle = document.imports.modules.get(alias);
    if (!bundle) return [];
    if (!draft.modules.has(bundle.digest)) draft.modules.set(bundle.digest, { bundle, place: from?.tag ?? range });
    return { alias, digest: bundle.digest };
  });
  return {
    source: body,
    ...(needs && { needs: { payload: needs.payload, steps: [...needs.steps].filter(sees).sort() } }),
    ...(calls.size > 0 && { calls: [...calls.keys()].sort() }),
    ...(secrets.size > 0 && { secrets: [...secrets.keys()].sort() }),
    ...(used.length > 0 && { modules: used.sort((a, b) => (a.alias < b.alias ? -1 : 1)) }),
  };
}
