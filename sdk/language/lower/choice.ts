import { readReference } from "../reference.ts";
import { childrenNamed, type Element, elementsOf } from "../tree.ts";
import { labels, required } from "./attribute.ts";
import type { Draft, Ends, LowerFlow } from "./draft.ts";

/** `c:select` leads into every arm, every arm to `c`, whose output is the value that the selected arm names. */
export function lowerChoice(element: Element, draft: Draft, lowerFlow: LowerFlow): Ends {
  const choice = required(element, "id");
  const select = `${choice}:select`;
  const tests = childrenNamed(element, "when").map((when, at) => ({ arm: `when-${at + 1}`, element: when }));
  const otherwise = childrenNamed(element, "otherwise").map((last) => ({ arm: "otherwise", element: last }));
  draft.nodes.push({
    kind: "select",
    id: select,
    choice,
    arms: tests.map(({ arm, element: when }) => ({ arm, test: path(required(when, "test")) })),
    otherwise: "otherwise",
  });
  const results = [...tests, ...otherwise].map(({ arm, element: body }) => {
    const mark = draft.outputs.mark();
    const ends = lowerFlow(elementsOf(body), draft);
    draft.outputs.back(mark);
    if (!ends) throw new Error(`an arm of ${choice} without items has passed the rules`);
    draft.edges.push({ from: select, to: ends.entry, arm });
    draft.connect(ends.exit, choice);
    return { arm, value: resultOf(body) };
  });
  draft.nodes.push({ kind: "choice", id: choice, ...labels(element), results });
  draft.outputs.add(choice);
  return { entry: select, exit: choice };
}

function resultOf(arm: Element): string[] {
  const [result] = childrenNamed(arm, "result");
  return result ? path(required(result, "value")) : [];
}

function path(value: string): string[] {
  const read = readReference(value);
  return read.kind === "payload" || read.kind === "steps" ? [...read.path] : [];
}
