import type { Law } from "../outline.ts";
import { pointer, violated } from "../violation.ts";

/** A trigger id belongs to one trigger. It may equal a node's. */
export const uniqueTriggerIds: Law = function* ({ definition }) {
  const seen = new Set<string>();
  for (const [at, { id }] of definition.triggers.entries()) {
    if (seen.has(id)) yield violated("WOML_DUPLICATE_TRIGGER_ID", `/triggers${pointer(at)}/id`, `another trigger has the id ${id}`);
    seen.add(id);
  }
};
