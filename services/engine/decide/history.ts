import type { Draft } from "./draft.ts";
import { cutShort, fail } from "./finish.ts";
import { EVENTS, historyLimit, isExhausted, isSpent, OUTPUT_BYTES, WARNED } from "./limits.ts";
import { abandon } from "./operation.ts";

/** After each answer: ends a run that has none of its events left (D33), and warns of a limit that has come near (D31). */
export function keepWithin(draft: Draft): void {
  if (draft.state.admitted === null || draft.state.ended !== null) return;
  if (isExhausted(draft.state) && !draft.isOver) fail(draft, historyLimit(draft.state));
  if (isSpent(draft.state)) finish(draft);
  if (draft.events.length > 0) warn(draft);
}

/** Neither what is pending nor what still observes it is waited for. */
function finish(draft: Draft): void {
  if (!draft.isOver) return;
  abandon(draft, SPENT);
  if (draft.state.outcome !== null && draft.state.ended === null) cutShort(draft);
}

const SPENT = {
  message: "The run has no events left in which to wait for it.",
  evidence: "the run ended at the limit of its history while this was pending",
};

function warn(draft: Draft): void {
  const { head, outputBytes } = draft.state;
  const used = [
    ["events", head, EVENTS],
    ["outputs", outputBytes, OUTPUT_BYTES],
  ] as const;
  for (const [limit, has, most] of used) {
    const { outcome, warned } = draft.state;
    if (has < most * WARNED || outcome !== null || warned.includes(limit)) continue;
    draft.emit({ type: "limit_warned", data: { limit, used: has, most } });
  }
}
