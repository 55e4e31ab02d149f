import type { StepNode } from "@woml/model";
import { childrenNamed, type Element } from "../tree.ts";
import { labels, required } from "./attribute.ts";
import type { Draft, Ends } from "./draft.ts";
import { lowerRetry } from "./retry.ts";
import { lowerScript } from "./script.ts";

export function lowerStep(element: Element, draft: Draft): Ends {
  const id = required(element, "id");
  const [script] = childrenNamed(element, "script");
  if (!script) throw new Error(`step ${id} without a script has passed the rules`);
  const retry = lowerRetry(element);
  const node: StepNode = {
    kind: "step",
    id,
    ...labels(element),
    script: lowerScript(script, draft, { id }),
    ...(retry && { retry }),
  };
  draft.add(node, element);
  return { entry: id, exit: id };
}
