import { childrenNamed, type Element, elementsOf } from "../tree.ts";
import { joinedOf } from "../visibility.ts";
import { required } from "./attribute.ts";
import type { Draft, Ends, LowerFlow } from "./draft.ts";

/** `f:fork` leads into every branch and to `f`, where the flow goes on when the joined branches have come to it; the others lead nowhere. */
export function lowerFork(element: Element, draft: Draft, lowerFlow: LowerFlow): Ends {
  const join = required(element, "id");
  const fork = `${join}:fork`;
  const isJoined = joinedOf(element);
  draft.add({ kind: "fork", id: fork, join }, element);
  draft.connect(fork, join);
  const branches: string[] = [];
  const made: string[] = [];
  for (const branch of childrenNamed(element, "branch")) {
    const id = required(branch, "id");
    const mark = draft.outputs.mark();
    const ends = lowerFlow(elementsOf(branch), draft);
    const outputs = draft.outputs.back(mark);
    if (!ends) throw new Error(`the branch ${id} without items has passed the rules`);
    draft.connect(fork, ends.entry, id);
    if (!isJoined(id)) continue;
    draft.connect(ends.exit, join);
    branches.push(id);
    made.push(...outputs);
  }
  draft.add({ kind: "join", id: join, branches: branches.sort() }, element);
  for (const output of made) draft.outputs.add(output);
  return { entry: fork, exit: join };
}
