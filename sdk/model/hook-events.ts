import type { Hook } from "./lifecycle.ts";

/** What a hook may be told of, in the order in which a definition lists its hooks. */
export const HOOK_EVENTS: readonly Hook["on"][] = [
  ...(["run_start", "step_start", "step_success", "step_failure", "step_complete"] as const),
  ...(["run_success", "run_failure", "run_cancel", "run_complete"] as const),
];
