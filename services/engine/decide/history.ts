import type { Draft } from "./draft.ts";
import { fail } from "./finish.ts";
import { EVENTS, historyLimit, isExhausted, isSpent, OUTPUT_BYTES, WARNED } from "./limits.ts";
import { abandon } from "./operation.ts";

/** After each answer that says anything: warns of a limit that comes near (D31), and ends a run that has none of its events left (D33). */
export function keepWithin(draft: Draft): void {
  if (draft.events.length === 0 || draft.state.ended !== null) return;
  if (isExhausted(draft.state) && !draft.isOver) fail(draft, historyLimit(draft.state));
  if (isSpent(draft.state) && draft.state.stop !== null) abandon(draft, SPENT);
  warn(draft);
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
