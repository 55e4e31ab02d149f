import type { RunState } from "@woml/run";

/** What must be in flight at `now`, and when to look again (epoch ms): at or past it, `fire_timers`. Null: only an outcome moves the run. */
export interface Due {
  readonly run: readonly { readonly node: string; readonly attempt: number }[];
  /** Operations without an outcome: `perform` what is open, `ask` about what is doubted and due. */
  readonly operations: readonly {
    readonly node: string;
    readonly attempt: number;
    readonly call: number;
    readonly try: number;
    readonly action: "perform" | "ask";
  }[];
  readonly nextAt: number | null;
}

const NOTHING: Due = { run: [], nextAt: null };

/** Recovery is not a mode: what is open in the log and not in flight is started, by whoever asks. */
export function due(state: RunState, now: number): Due {
  if (state.ended !== null) return NOTHING;
  const run: { node: string; attempt: number }[] = [];
  let nextAt = state.deadlineAt;
  for (const node of state.open) {
    const step = state.steps.get(node);
    if (step?.status === "running") run.push({ node, attempt: step.attempt });
    else if (step?.status === "backoff" && step.dueAt !== null) nextAt = Math.min(step.dueAt, nextAt ?? step.dueAt);
  }
  const isOver = state.deadlineAt !== null && now >= state.deadlineAt;
  return { run: isOver ? [] : run, nextAt };
}
