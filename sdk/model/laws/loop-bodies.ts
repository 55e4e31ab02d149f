import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";

/** The body of a loop has one entry and one last node: an iteration begins at the one and has succeeded with the other. */
export const loopBodies: Law = function* ({ loop, path, flow, links }) {
  if (!loop) return;
  const counts = [
    ["entries", flow.nodes.filter(({ id }) => links.incoming(id).length === 0).length],
    ["last nodes", flow.nodes.filter(({ id }) => links.outgoing(id).length === 0).length],
  ] as const;
  for (const [what, count] of counts) {
    // Without any there is a circle, which has a law of its own.
    if (count > 1) yield violated("WOML_INVALID_FOR_EACH", path, `the body of ${loop.id} has ${count} ${what}; it has one`);
  }
};
