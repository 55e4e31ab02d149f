import type { Script } from "@woml/model";
import type { Element } from "../tree.ts";
import type { Draft } from "./draft.ts";

/**
 * What runs in the sandbox. `key` is what the draft knows it by: a node's id, or `hook:<event>:<n>`. `sees`: whether an output exists where
 * the script runs; what does not, it cannot need.
 */
export function lowerScript(element: Element, key: string, draft: Draft, sees: (id: string) => boolean): Script {
  const { body, start, needs, calls, secrets } = draft.document.read(element);
  draft.scripts.set(key, start);
  if (calls.size > 0) draft.calls.set(key, calls);
  if (secrets.size > 0) draft.secrets.set(key, secrets);
  return {
    source: body,
    ...(needs && { needs: { payload: needs.payload, steps: [...needs.steps].filter(sees).sort() } }),
    ...(calls.size > 0 && { calls: [...calls.keys()].sort() }),
    ...(secrets.size > 0 && { secrets: [...secrets.keys()].sort() }),
  };
}
