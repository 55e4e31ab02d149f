import type { StepNode } from "@woml/model";
import { childrenNamed, type Element } from "../tree.ts";
import { labels, required } from "./attribute.ts";
import type { Draft, Ends } from "./draft.ts";
import { lowerRetry } from "./retry.ts";

export function lowerStep(element: Element, draft: Draft): Ends {
  const id = required(element, "id");
  const [script] = childrenNamed(element, "script");
  if (!script) throw new Error(`step ${id} without a script has passed the rules`);
  const { body, start, needs, calls, secrets } = draft.document.read(script);
  const retry = lowerRetry(element);
  const node: StepNode = {
    kind: "step",
    id,
    ...labels(element),
    script: {
      source: body,
      ...(needs && { needs: { payload: needs.payload, steps: [...needs.steps].filter((name) => draft.outputs.has(name)).sort() } }),
      ...(calls.size > 0 && { calls: [...calls.keys()].sort() }),
      ...(secrets.size > 0 && { secrets: [...secrets.keys()].sort() }),
    },
    ...(retry && { retry }),
  };
  draft.nodes.push(node);
  draft.scripts.set(id, start);
  if (calls.size > 0) draft.calls.set(id, calls);
  if (secrets.size > 0) draft.secrets.set(id, secrets);
  return { entry: id, exit: id };
}
