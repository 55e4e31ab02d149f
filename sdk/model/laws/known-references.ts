import type { Law } from "../outline.ts";
import { readings, readNode } from "../reading.ts";
import { violated } from "../violation.ts";
import { hasOutput } from "../visibility.ts";

/** A reference is a path into the payload or into the output of a step or choice that exists. */
export const knownReferences: Law = function* (outline) {
  for (const { path, reference } of readings(outline)) {
    const read = readNode(reference);
    if (read === undefined) {
      yield violated("WOML_INVALID_REFERENCE", path, 'a reference begins with "payload", or with "steps" and a node id');
    } else if (read !== null && !hasOutput(outline.links, read)) {
      yield violated("WOML_UNKNOWN_REFERENCE", path, `${read.slice(0, 80)} is no step or choice of this definition`);
    }
  }
};
