import type { Law } from "../outline.ts";
import { isRange } from "../range.ts";
import { pointer, violated } from "../violation.ts";

/** A capability's range can be read, so that it means the same to everybody. */
export const readableRanges: Law = function* ({ definition }) {
  for (const [at, { range }] of (definition.uses ?? []).entries()) {
    if (!isRange(range))
      yield violated("WOML_CAPABILITY_RANGE_INVALID", `/uses${pointer(at)}/range`, `${JSON.stringify(range)} is no range of versions`);
  }
};
