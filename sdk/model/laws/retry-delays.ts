import type { Law } from "../outline.ts";
import { violated } from "../violation.ts";

/** An exponential back-off may grow: its longest delay is not below its first. */
export const retryDelays: Law = function* ({ flow, nodePath }) {
  for (const node of flow.nodes) {
    const backoff = node.kind === "step" ? node.retry?.backoff : undefined;
    if (backoff?.kind !== "exponential" || backoff.maxDelayMs >= backoff.delayMs) continue;
    const message = `the longest delay (${backoff.maxDelayMs} ms) is below the first (${backoff.delayMs} ms)`;
    yield violated("WOML_RETRY_MAX_DELAY_INVALID", `${nodePath(node.id)}/retry/backoff/maxDelayMs`, message);
  }
};
