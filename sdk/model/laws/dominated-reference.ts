import type { Law, Outline } from "../outline.ts";
import { type Reading, readings, readNode } from "../reading.ts";
import { violated } from "../violation.ts";

/**
 * A reference reads only what has surely completed before its node; the result of an arm may read the arm's outputs as well, and what
 * comes after a node that node's output.
 */
export const dominatedReference: Law = function* (outline) {
  const ends = armEnds(outline);
  for (const reading of readings(outline)) {
    const read = readNode(reading.reference, outline.loop !== null);
    if (typeof read !== "string" || sees(outline, reading, read, ends)) continue;
    const message = `${read} has not surely completed when ${reading.node} reads it`;
    yield violated("WOML_REFERENCE_NOT_DOMINATING", reading.path, message);
  }
};

type Ends = (choice: string, arm: string) => readonly string[];

function sees({ visibility }: Outline, { node, arm, isAfter }: Reading, output: string, ends: Ends): boolean {
  if (visibility.sees(node, output) || (isAfter && node === output)) return true;
  return arm !== null && ends(node, arm).some((from) => from === output || visibility.sees(from, output));
}

/** The last nodes of an arm: those that lead to the choice. */
function armEnds({ flow, links, nesting }: Outline): Ends {
  const choices = flow.nodes.filter((node) => node.kind === "choice");
  const armOf = (id: string): string => nesting.arms.get(id)?.arm ?? "";
  const ends = new Map(
    choices.map(({ id }) => {
      const last = links.incoming(id).map((edge) => edge.from);
      return [id, Map.groupBy(last, armOf)];
    }),
  );
  return (choice, arm) => ends.get(choice)?.get(arm) ?? [];
}
